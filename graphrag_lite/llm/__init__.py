"""The model boundary: what stages and search ask of a model, and the only code that reaches a network.

    stage -> stage_model -> memo -> meter -> openai_chat -> endpoint -> retries -> limits -> http_client
                                         -> providers -> retries -> limits -> a model of somebody else

`chat` has the protocols and the values that cross them: start there, then `stage_model`, which is what a stage gets of
a run's `model`, and `gleaning`, the conversation of extraction. `memo` keeps every answer, `meter` counts and holds the
budget.
`openai_chat` and `openai_embedder` speak to an `endpoint`, in `batches` too, whose forms are in `batch_forms`;
`providers` speak to what another package brings, or to `local_embedder` and `llamacpp_chat`, which need no network.
`retries` and `limits` serve both, and `diagnosis` says what went wrong. `rehearsal` is a model that only counts.
"""
