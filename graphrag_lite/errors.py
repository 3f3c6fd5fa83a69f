"""What the user must fix, one class per thing. Anything else that is raised is a bug and keeps its traceback.

GraphragLiteError
├── SettingsError    settings.yaml, --config
│   └── OverrideError    --set, --config FILE that is not there
├── PluginError      a name that an installed package brings in
├── PromptError      a prompt file
├── InputError       the corpus, a questions file, a question
├── TableError       a table of an index that is damaged or not of this version
├── IndexNotFound    no index at this root yet
├── OutputError      the output folder cannot be written
├── LockedError      another run holds the lock
├── WaitingError     a batch that the provider has not answered yet
├── WorkerError      a worker process was killed
├── ModelError       the model's endpoint, key, or the budget for it
├── CallError        one request to it
│   └── UnansweredError    after all its attempts
└── ReplyError       one reply of it, which cannot be used
"""


class GraphragLiteError(Exception):
    """Say where, what, and the next step. `exit_code` is what the command line ends with."""

    exit_code = 1


class SettingsError(GraphragLiteError):
    """A setting is unknown or has an impossible value; all problems at once."""


class OverrideError(SettingsError):
    """What a command sets itself is wrong: it was never begun, and is no run that failed."""


class PluginError(GraphragLiteError):
    """What an installed package brings in is not there, cannot be imported, or is of another kind."""


class PromptError(GraphragLiteError):
    """A prompt file is missing or lacks a placeholder."""


class InputError(GraphragLiteError):
    """The corpus or the question cannot be used."""


class TableError(GraphragLiteError):
    """A table is damaged, missing, or of another schema version."""


class IndexNotFound(GraphragLiteError):
    """There is no published index under this root."""


class OutputError(GraphragLiteError):
    """The output folder cannot be written: no space, no permission."""


class LockedError(GraphragLiteError):
    """Another run holds the lock of this output folder."""

    exit_code = 75  # EX_TEMPFAIL of sysexits.h: try again later


class WaitingError(GraphragLiteError):
    """What a run needs next is asked of the provider in a batch, and will be answered within a day."""

    exit_code = 75  # EX_TEMPFAIL of sysexits.h: try again later


class WorkerError(GraphragLiteError):
    """A worker process was killed, most likely because memory was short."""


class ModelError(GraphragLiteError):
    """No request to the model can succeed: the endpoint is down, the key is wrong, the budget is spent."""


class CallError(GraphragLiteError):
    """This request did not succeed; another one may."""


class UnansweredError(CallError):
    """A request used up its attempts: the endpoint answers 429 or 5xx, or not at all."""


class ReplyError(GraphragLiteError):
    """A reply of the model cannot be used: cut off, empty, or not of the form asked for."""
