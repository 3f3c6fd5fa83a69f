"""Read a question with the eyes of an index: its terms, the entities it names, the period it asks about."""

import numpy as np

from graphrag_lite.search.bm25 import YEAR, Bm25
from graphrag_lite.search.mentions import NameTable, find_mentions
from graphrag_lite.search.ranking import Question
from graphrag_lite.text.words import terms


def read_question(question: str, language: str, index: Bm25, table: NameTable) -> Question:
    """Return what `rank` needs of `question`, in `language` (ISO 639-1, "" when unknown) like the units it is asked of.

    An ambiguous name stands for all its entities. The period is from the first to the last year that the question
    says, whatever it says about them.

    >>> from graphrag_lite.search.bm25 import build
    >>> from graphrag_lite.search.mentions import name_table
    >>> index = build([terms("Led Acme from 1998 to 2003", "en"), terms("Acme in 2011", "en")])
    >>> asked = read_question("Who led Acme from 2000 to 2005?", "en", index, name_table([("Acme", 7)]))
    >>> asked.entities, asked.in_name.nonzero()[0].tolist(), asked.dated_units.tolist()
    ({7: 1.0}, [2], [0])
    """
    mentions = find_mentions(question, language, table)
    distinct = list(dict.fromkeys(terms(question, language)))
    in_names = {term for m in mentions for term in terms(question[m.start : m.end], language)}
    years = [int(term) for term in distinct if YEAR.fullmatch(term)]
    return Question(
        term_scores=index.term_scores(distinct),
        in_name=np.array([term in in_names for term in distinct], dtype=np.bool_),
        entities={entity: 1.0 for m in mentions for entity in m.entities},
        dated_units=index.units_with_years(min(years), max(years)) if years else index.units[:0],
    )
