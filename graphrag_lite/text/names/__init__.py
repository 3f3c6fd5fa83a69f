"""Names in a text unit: people, places, organisations, works, events and terms, by text analysis alone.

`find` is the entrance. Scripts with capitals: `tokens` reads words and what stands between them, `runs` joins them,
`cuts` takes off what is no part of a name, `titles` and `terms` add what capitals do not show, `types` weighs what the
words around a name tell, `contexts` gives those words for what only the corpus tells; `words` and `gazetteer` are its
word lists. Scripts without: `caseless` chooses the script, `engine` finds the names by the rules in `chinese` (with
`transliterations`), `japanese`, `korean` and `other_scripts`. Their word lists are the text files in `lists/`, in which
`lexicon` looks words up.
"""
