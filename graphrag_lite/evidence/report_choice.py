"""Which facts of a community its report tells: those of one entity with enough to tell, and of what is close to it."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Any

from graphrag_lite.evidence import stories
from graphrag_lite.evidence.key_sentences import choose_sentences, ranked_sentences
from graphrag_lite.evidence.report_facts import Fact, in_reading, in_time
from graphrag_lite.evidence.report_statements import Sources
from graphrag_lite.evidence.report_title import is_informative
from graphrag_lite.evidence.sentence_reading import goes_on
from graphrag_lite.evidence.statement import ReportStatement
from graphrag_lite.evidence.story_passages import n_named, passages
from graphrag_lite.text.names.words import HONORIFICS
from graphrag_lite.text.transcripts import WHOLE

Row = Mapping[str, Any]
Choose = Callable[[Sequence[Fact | ReportStatement], Sequence[float], Sequence[bool], bool], list[int]]
"""`best_of`, of what is told, what each is worth, whether it is used above, and whether it is a story."""
MIN_FACTS = 3  # what has fewer has no page of its own: its parent tells it
MIN_OWN = 2  # of them that its main entity is named in
UNDEFINED = 5  # of facts of which none defines an entity, and none opens the document of most
FIRST = 1e6  # worth of what a report begins with
MEET = 2.0  # what a sentence of a story counts that names two people
BESIDE = 0.4  # what a sentence counts that is not about its main entity
PASSING = 0.6  # what a sentence counts that begins with the name of no member
EARLY, LEAST_ABOUT = 40, 2  # characters before a member's name in a sentence about it; of so many sentences one is
PLAIN, LONG = 0.7, 0.5  # worth of a sentence that addresses nobody and quotes nobody; what a long one has of it
OPENING = 500  # characters of a document whose sentences say what it is about
LEADERS = 3  # strongest members, of which the first that a sentence defines is what a report begins with
LEADS = 4  # that one's facts, times this, are at least those of any of them
WIDER, BESIDE_OWN = 2, 2  # times as many are ranked; to so many facts of its own a page may have one beside
STRONGEST = 10  # members of whom one is looked for of whom there is enough to tell


def best_of(
    candidates: Sequence[Fact | ReportStatement],
    worths: Sequence[float],
    used: Sequence[bool],
    narrated: bool,
    *,
    most: int,
    idf: Mapping[str, float],
) -> list[int]:
    """Return up to `WIDER` times `most` of what is told by place, best first; of a story, the best of each stretch.

    Each has its worth on a page, and may be `used` above; `idf` is what a term is worth.
    """
    sentences = [replace(one.sentence, worth=worth) for one, worth in zip(candidates, worths, strict=True)]
    texts = {one.text for one, above in zip(sentences, used, strict=True) if above}
    if not narrated:
        return choose_sentences(sentences, WIDER * most, idf, texts)
    best: dict[int, list[int]] = defaultdict(list)  # of each stretch
    for number in ranked_sentences(sentences, idf, texts):
        best[number * stories.PASSAGES // len(sentences)].append(number)
    return [number for several in best.values() for number in several[: stories.TRIED]]


def of_one_language(found: list[Fact]) -> list[Fact]:
    """Return the facts in the language of most of them, ties by its code; all where these are too few."""
    n_facts = Counter(fact.first.language for fact in found)
    language = max(sorted(n_facts), key=n_facts.__getitem__, default="")
    same = [fact for fact in found if fact.first.language == language]
    return same if len(same) >= MIN_FACTS else found


def choose_facts(
    found: Sequence[Fact],
    leads: Mapping[str, ReportStatement],
    members: Sequence[Row],
    choose: Choose,
    most: int,
    above: frozenset[str],
    sources: Sources,
    *,
    whole: bool,
) -> list[Fact]:
    """Return up to `most` facts that a report tells, what it begins with first; none where there are too few for one.

    `members` are the community's entities, strongest first, `leads` their definitions by id; `above` are the sentences
    of the summaries above it; `choose` is asked once at most. `whole`: it is all of a small corpus.
    """
    of_logs = {one for one in {fact.first.location[0] for fact in found} if sources.is_change_log(one)}
    found = [fact for fact in found if fact.first.location[0] not in of_logs and not sources.is_spoken(fact.first)]
    by_location = {fact.first.location: fact for fact in found}
    if of_people := is_narrated(found, sources):  # of people, each told by his whole name: "Squire Cass" is not Godfrey
        members = [row for row in members if row["type"] == "person"]
    names = _names(members)
    of = {row["id"]: row for row in members}
    known = {i: by_location[one.location] for i, one in leads.items() if i in of and one.location in by_location}
    defined = {i: fact for i, fact in known.items() if not of_people or of[i]["title"] in fact.sentence.text}
    strongest = {row["id"]: row for row in [row for row in members if whole or _is_theme(row)][:STRONGEST]}
    n_about = Counter(identity for fact in found for identity in fact.about)
    candidates = dict.fromkeys((*_leaders(members, defined, n_about, above), *strongest))
    tellings = ((identity, _telling(of[identity], found, sources, whole)) for identity in candidates)
    identity, usable = next(((identity, usable) for identity, usable in tellings if usable), ("", []))
    if not usable:
        return []
    lead = first = defined.get(identity)
    about = own_names(of[identity], members) if of_people else _names([of[identity]])
    if not first:
        beside = [defined[i] for i in strongest if i in defined and LEADS * n_about[i] >= n_about[identity]]
        first, lead = _opening(usable, about, beside, _names([*strongest.values()]), above, sources)
        if not (whole or lead or any(fact.is_row or fact.first.day for fact in usable)):
            usable = _of_work(first, usable, sources)
    if narrated := is_narrated(usable, sources):
        own = [fact for fact in usable if fact is first or identity in fact.about or _names_any(fact, about)]
        usable = in_time(own if len(own) >= stories.LEAST else usable, sources)
        people = [own_names(row, members) for row in members]
        gender = stories.gender_of(of[identity]["title"])
        worths = _scene_worths(usable, about, people, gender, sources)
    else:
        main = {identity, *(first.about if first and identity not in defined else ())}
        worths = [_worth(fact, main, names) for fact in usable]
    worths = [FIRST if fact is first else worth for fact, worth in zip(usable, worths, strict=True)]
    used = above - {lead.sentence.text} if lead else above
    numbers = choose(usable, worths, [fact.sentence.text in used for fact in usable], narrated)
    chosen = [usable[i] for i in numbers]
    if narrated:
        stretch = [i * stories.PASSAGES // len(usable) for i in numbers]
        chosen = passages(chosen, stretch, people, gender, sources)
    elif not whole:
        chosen = _mostly_own(chosen, identity, about, sources)
    chosen = chosen[:most]
    opened = lead is not None or (first is not None and _is_story(first, chosen, sources))
    return chosen if _is_page(chosen, names, opened=opened, narrated=narrated, whole=whole) else []


def _is_theme(row: Row) -> bool:
    """Say whether a page may be about an entity: what "constant currency" is said of is no theme."""
    return bool(not row["title"].islower() or row["acronym"])


def _is_story(first: Fact, chosen: Sequence[Fact], sources: Sources) -> bool:
    """Say whether most of what is told is of one work, which `first` opens."""
    works = [sources.work(fact.first.location[0]) for fact in chosen]
    return bool(works) and opens_document(first) and 2 * works.count(works[0]) > len(works)


def _is_page(chosen: Sequence[Fact], names: Collection[str], *, opened: bool, narrated: bool, whole: bool) -> bool:
    """Say whether facts are enough for a report: fewer are where one `opened` it, and on all of a small corpus."""
    least = MIN_FACTS if whole or opened or narrated or any(fact.is_row for fact in chosen) else UNDEFINED
    if narrated and not whole and sum(len(fact.statements) for fact in chosen) < stories.LEAST:
        return False
    begin = sum(_begins(fact, names) for fact in chosen)
    return len(chosen) >= least and (whole or LEAST_ABOUT * begin >= len(chosen))


def _telling(row: Row, found: Sequence[Fact], sources: Sources, whole: bool) -> list[Fact]:
    """Return the facts that a page on an entity may tell, none where they are too few, or too few are about it."""
    usable = _facts_about([row], found, sources, whole)
    own = [fact for fact in usable if row["id"] in fact.about or _names_any(fact, _called(row))]
    return usable if len(usable) >= MIN_FACTS and len(own) >= (1 if whole else MIN_OWN) else []


def _leaders(
    members: Sequence[Row], defined: Mapping[str, Fact], n_about: Mapping[str, int], above: frozenset[str]
) -> list[str]:
    """Return who of the strongest a page may be about: who is defined, and most is said of; defined anew goes first."""
    most = max((n_about[row["id"]] for row in members[:LEADERS]), default=0)
    found = [row["id"] for row in members[:LEADERS] if row["id"] in defined and LEADS * n_about[row["id"]] >= most]
    return sorted(found, key=lambda identity: defined[identity].sentence.text in above)


def _mostly_own(ranked: Sequence[Fact], main: str, names: Collection[str], sources: Sources) -> list[Fact]:
    """Return ranked facts, of those that do not name `main`, nor are of the best one's work, half as many as others."""
    work = [sources.work(fact.first.location[0]) for fact in ranked]
    own = [
        fact.is_row or main in fact.about or one == work[0] or _names_any(fact, names)
        for fact, one in zip(ranked, work, strict=True)
    ]
    beside = accumulate(not one for one in own)
    return [fact for fact, one, n in zip(ranked, own, beside, strict=True) if one or BESIDE_OWN * n <= sum(own)]


def _worth(fact: Fact, main: Collection[str], names: Collection[str]) -> float:
    """Return what a fact counts on a page about `main`."""
    beside = set(main).isdisjoint(fact.about) and not fact.is_row
    return fact.sentence.worth * (BESIDE if beside else 1.0) * (1.0 if _begins(fact, names) else PASSING)


def _scene_worths(
    facts: Sequence[Fact], names: Collection[str], people: Sequence[Collection[str]], gender: str, sources: Sources
) -> list[float]:
    """Return what sentences of a story count as beginnings of passages about who, of a `gender`, has some names."""

    def worth(fact: Fact) -> float:
        text = fact.sentence.text
        meets = (n_people := n_named(text, people)) > 1
        known = BESIDE if stories.dangles(text, names) or stories.is_astray(text, n_people, gender) else 1.0
        begins = 1.0 if _begins(fact, names, stories.SUBJECT) else BESIDE
        return sources.scene(fact.first) * (MEET if meets else 1.0) * begins * known

    return [worth(fact) for fact in facts]


def _of_work(first: Fact | None, facts: list[Fact], sources: Sources) -> list[Fact]:
    """Return the facts of the work that the `first` one tells: what nothing defines, and no day orders, is no theme."""
    if first and not is_informative(sources.called(first.first.location[0])):
        return facts
    work = sources.work(first.first.location[0]) if first else None
    return [fact for fact in facts if sources.work(fact.first.location[0]) == work]


def is_narrated(facts: Sequence[Fact], sources: Sources) -> bool:
    """Say whether facts are of stories that people speak in."""
    return all(sources.is_narrated(fact.first.location[0]) for fact in facts)


def is_story(chosen: Sequence[Fact], leads: Iterable[ReportStatement], sources: Sources) -> bool:
    """Say whether facts tell a story, or, where the first defines nothing, one work whose sentences no date orders."""
    if is_narrated(chosen, sources):
        return True
    works = {sources.work(fact.first.location[0]) for fact in chosen}
    defined = chosen[0].first.location in {lead.location for lead in leads}
    return len(works) == 1 and not defined and not any(fact.is_row or fact.first.stated for fact in chosen)


def opens_document(fact: Fact) -> bool:
    """Say whether a fact stands at the beginning of its document, where it says what the document is about."""
    return fact.first.location[1] < OPENING


def _facts_about(main: Sequence[Row], found: Sequence[Fact], sources: Sources, whole: bool) -> list[Fact]:
    """Return the facts about `main`, or that name it, about its neighbours, and those of rows.

    Left out is what others tell of a neighbour that one document, or fewer than half, tell with it, and what is a
    document's only fact and begins with another name, or is about a place: what many documents say in passing is no
    theme. Of a `whole` small corpus all is told.
    """
    work = {document: sources.work(document) for document in {fact.first.location[0] for fact in found}}
    titles = [name for row in main for name in _called(row)]
    together: dict[str, set[str]] = defaultdict(set)  # works that tell a neighbour with it
    apart: dict[str, set[str]] = defaultdict(set)  # works that tell a neighbour
    for fact in found:
        with_main = any(row["id"] in fact.about for row in main) or _names_any(fact, titles)
        for identity in fact.about:
            apart[identity].add(work[fact.first.location[0]])
            if with_main:
                together[identity].add(work[fact.first.location[0]])
    own = set().union(*together.values())
    close = {one for one, works in together.items() if 1 < len(works) >= len(apart[one]) / 2}
    close |= {row["id"] for row in main}
    usable = [
        fact
        for fact in found
        if whole
        or fact.is_row
        or not (together.keys() if work[fact.first.location[0]] in own else close).isdisjoint(fact.about)
    ]
    if whole:
        return usable
    n_facts = Counter(work[fact.first.location[0]] for fact in usable)
    names = _names(main)
    if all(row["type"] == "location" for row in main):
        names = ()
    # "Thomas" of another undated document is another one.
    alike = tuple(name for name in names if " " in name or all(row["type"] != "person" for row in main))
    return [
        fact
        for fact in usable
        if n_facts[work[fact.first.location[0]]] > 1 or _begins(fact, names if fact.first.day else alike)
    ]


def _opening(
    facts: Sequence[Fact],
    about: Collection[str],
    beside: Iterable[Fact],
    names: Collection[str],
    above: frozenset[str],
    sources: Sources,
) -> tuple[Fact | None, Fact | None]:
    """Return what a page about whom nothing defines begins with, and that again where it defines somebody else.

    Where nothing introduces him that opens a document, it is somebody `beside` who is told with him, and defined.
    """
    anew = [fact for fact in facts if fact.sentence.text not in above]
    first = _introduction(anew, about, names, sources)
    if first and opens_document(first):
        return first, None
    lead = next((fact for fact in beside if fact in facts and _names_any(fact, about)), None)
    return lead or first, lead


def _introduction(facts: Sequence[Fact], own: Collection[str], names: Collection[str], sources: Sources) -> Fact | None:
    """Return the first fact, in reading order, of the work that tells most: one that begins with one of its own names.

    Where one work tells at least half, it may be any at the beginning of a document that names a member: who opens a
    story says what it is about.
    """
    work = {fact.first.location: sources.work(fact.first.location[0]) for fact in facts}
    n_facts = Counter(work.values())
    story = {one for one in n_facts if 2 * n_facts[one] >= len(facts)}
    found = [
        fact
        for fact in facts
        if _begins(fact, own)
        or (sources.is_narrated(fact.first.location[0]) and stories.introduces(fact.sentence.text, own))
        or (opens_document(fact) and work[fact.first.location] in story and _names_any(fact, names))
    ]

    def key(fact: Fact) -> tuple[Any, ...]:
        least, introduced = PLAIN * (1.0 if len(fact.sentence.text) in WHOLE else LONG), False
        if sources.is_narrated(fact.first.location[0]):
            text = fact.sentence.text
            introduced = stories.introduces(text, own)
            least = min(least, stories.LEAST_INTRODUCING) if introduced else least
            aside = not introduced and (
                not _begins(fact, own, stories.SUBJECT)
                or sources.scene(fact.first) < 1
                or stories.dangles(text, own)
                or any(f"{name}'s" in text for name in own)
            )
        else:  # "Better than expected results across Acme were offset" is no beginning
            begun = opens_document(fact) or _begins(fact, own, stories.SUBJECT)
            aside = goes_on(fact.sentence.text) or (bool(fact.first.day) and not begun)
        reading = in_reading(fact, sources)
        return fact.first.sentence.worth < least, not introduced, aside, -n_facts[work[fact.first.location]], reading

    return min(found, key=key, default=None)


def count_facts(chosen: Sequence[Fact], members: Sequence[Row], sources: Sources) -> Counter[str]:
    """Return how many facts are about each member or name it, by id; of a story, a person by the given name, too."""
    people = {row["id"] for row in members if row["type"] == "person"} if is_narrated(chosen, sources) else ()
    names = {
        row["id"]: {*_called(row), *_names([row])[2:]} if row["id"] in people else {*_called(row)} for row in members
    }
    texts = [(fact.about, [one.sentence.text for one in fact.statements]) for fact in chosen]
    return Counter(
        identity
        for about, sentences in texts
        for identity, own in names.items()
        if identity in about or any(name in text for name in own for text in sentences)
    )


def _names(entities: Iterable[Row]) -> tuple[str, ...]:
    """Return the names of entities, whole and by their last word, persons by their first one, too."""
    names: dict[str, None] = {}
    for row in entities:
        words = row["title"].split()
        called = row["type"] == "person" and words[0].casefold().rstrip(".") not in HONORIFICS
        names |= dict.fromkeys((row["title"], words[-1], *words[: int(called)], *_called(row)))
    return tuple(names)


def _called(row: Row) -> tuple[str, ...]:
    """Return the title of an entity, and the acronym that it is called by."""
    return (row["title"], row["acronym"]) if row["acronym"] else (row["title"],)


def own_names(person: Row, members: Iterable[Row]) -> tuple[str, ...]:
    """Return the names of a person of a story that no other one has: not that of the family."""
    others = {word for row in members if row["id"] != person["id"] for word in row["title"].split()}
    return tuple(name for name in _names([person]) if name == person["title"] or name not in others)


def _begins(fact: Fact, names: Iterable[str], early: int = EARLY) -> bool:
    """Say whether a fact begins with one of some names, or is a row: others name it in passing, or among examples."""
    return fact.is_row or any(name in fact.sentence.text[: early + len(name)] for name in names)


def _names_any(fact: Fact, names: Iterable[str]) -> bool:
    return any(name in fact.sentence.text for name in names)
