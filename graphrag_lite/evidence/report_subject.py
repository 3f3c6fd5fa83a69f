"""Whom a page is about, its title and its years, from what was chosen to be told on it."""

import re
from collections.abc import Iterable, Mapping, Sequence

from graphrag_lite.evidence.community_statements import CommunityStatements
from graphrag_lite.evidence.definition import definition
from graphrag_lite.evidence.report_choice import Row, is_narrated, opens_document
from graphrag_lite.evidence.report_facts import Fact
from graphrag_lite.evidence.report_statements import WORD
from graphrag_lite.evidence.report_title import common_subject, is_informative, title, year_range
from graphrag_lite.text.words import terms

FILE_WORDS = re.compile(r"\w-[^\W\d_a-z]|[a-z][A-Z]")  # "Eric-Horvitz Microsoft", "DanielaRus": a file's name
OFTEN = 4  # of so many sentences one names who stands in a title beside the main entity
SHORTEST_NAME = 3  # characters of a name that stands before the title of a document, or for a longer one


def main_entity(
    titles: Mapping[str, str], n_facts: Mapping[str, int], chosen: Sequence[Fact], statements: CommunityStatements
) -> str:
    """Return whom a report is about, of members by id: who its first fact defines, else names that others name most."""
    first = [i for i, name in titles.items() if i in chosen[0].about or name in chosen[0].sentence.text]
    if is_narrated(chosen, statements.sources):  # a story is about people
        first = [i for i in first if statements.entity[i]["type"] == "person"] or first
    defined = _defined(first, chosen[0], statements)
    plain = {i for i in titles if titles[i].islower() and not statements.entity[i]["acronym"]}
    return min(first or [*titles][:1], key=lambda i: (i not in defined, i in plain, -n_facts[i]))


def _defined(identities: Iterable[str], fact: Fact, statements: CommunityStatements) -> set[str]:
    return {i for i in identities if i in statements.leads and statements.leads[i].location == fact.first.location}


def report_title(
    of: Row,
    titles: Mapping[str, str],
    n_facts: Mapping[str, int],
    chosen: Sequence[Fact],
    period: str,
    statements: CommunityStatements,
) -> str:
    """Return the title of a report on what is `chosen`: the main entity, what it is, or is told in, and period."""
    language = chosen[0].first.language
    is_defined = _defined([of["id"]], chosen[0], statements)
    is_what = definition(chosen[0].sentence.text, of["title"], language) if is_defined else ""
    name = statements.sources.own_title(
        common_subject([statements.sources.called(fact.first.location[0]) for fact in chosen]), language
    )
    words = set(WORD.findall(of["title"].casefold()))
    of_file = FILE_WORDS.search(name) and words.issubset(WORD.findall(name.casefold()))
    if name and not (is_what and (name.casefold() in of["title"].casefold() or of_file)):
        headed = of["type"] == "location" and not is_informative(
            statements.sources.document(chosen[0].first.location[0])["title"]
        )
        called = of["title"].split()[-1] if of["type"] == "person" else of["title"]
        known = called.casefold() in name.casefold() or len(called) < SHORTEST_NAME  # "CO" of "CO 2", "N"
        wanted = set(terms(name, language))
        is_opening = opens_document(chosen[0]) and 2 * len(wanted.intersection(chosen[0].sentence.terms)) > len(wanted)
        return title([] if headed or known or is_opening else [of["title"]], name, period)
    if is_what:
        return title([of["title"]], is_what, period)
    least = max(2, len(chosen) / OFTEN)
    story = is_narrated(chosen, statements.sources)  # of people
    often = (
        i
        for i in sorted(titles, key=lambda i: -n_facts[i])
        if n_facts[i] >= least and (not story or statements.entity[i]["type"] == "person")
    )
    others = [titles[i] for i in often if not _alike(words, WORD.findall(titles[i].casefold()))]
    return title([of["title"], *others], "", period)


def _alike(words: Iterable[str], others: Iterable[str]) -> bool:
    """Say whether two names, by their words, may be forms of one.

    >>> _alike(["communist"], ["communists"]), _alike(["ann"], ["bob"])
    (True, False)
    """
    pairs = (sorted((one, other), key=len) for one in words for other in others)
    return any(one == other or (len(one) >= SHORTEST_NAME and other.startswith(one)) for one, other in pairs)


def _is_ahead(fact: Fact) -> bool:
    """Say whether what a fact says lay ahead when its document was written: no year of what a page tells."""
    return bool(fact.first.stated and fact.first.day and fact.first.stated.first.isoformat() > fact.first.day[:10])


def years(summary: Sequence[Fact], findings: Sequence[Fact]) -> str:
    """Return the years that a report's sentences state; where hardly one says when, those as of which they are told."""
    stated = [fact.first.stated for fact in (*summary, *findings) if fact.first.stated and not _is_ahead(fact)]
    if 2 * len(stated) < len(summary) + len(findings):
        dated = (fact for fact in (*summary, *findings) if fact.first.day and not _is_ahead(fact))
        stated = [period for fact in dated if (period := fact.first.period)]
    return year_range(stated)
