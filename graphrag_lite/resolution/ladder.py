"""Which names are one entity, and which are none: the exact, lexical and alias rungs of entity resolution.

`resolve` takes what the mentions say, as parallel lists with one entry a mention, and returns one row for every
distinct name that holds in the whole corpus, and one for every (document, name) that means something else there. A name
that no document uses for what it would mean in the whole corpus, and that is nobody else's, has only the latter:

    rows = resolve(document_ids, names, types, anchored, lower_counts)
    by_name = {(row.document_id, row.name): row for row in rows}
    row = by_name.get((document_id, name)) or by_name["", name]

The rungs, each of which can be switched off:

* exact: NFKC, casefold, punctuation and white space folded, leading article off (`name_keys.exact_key`).
* lexical: Jaccard similarity of character 3-grams >= 0.9, equal numerals, and no second candidate
  (`name_similarity.similar_pairs`); and the case forms of a name, in languages that decline it (`case_forms`).
* alias: a shorter name of exactly one longer name of a person, first in its document, else in the corpus, where the
  longer one is in more documents than the shorter one is without it (`name_aliases`); a company without its legal form;
  an acronym that the text defines. A person is called by the whole name that most documents use. Nothing joins names
  of two stated types, or two that a document tells apart (`told_apart`).

Dropped are names that only ever stand where a capital proves nothing, single words that the corpus mostly writes in
lower case, and terms without support. Nothing is dropped from `confirmed` mentions, which a model or a person named as
entities: there the commonest spelling is the title, and types, which may be any words, are decided by majority.

Nothing depends on the order of the mentions. The cost is near linear: candidates share words or a rare 3-gram, and are
never compared all to all.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from graphrag_lite.resolution.aliases import Person, alias_in_corpus, alias_in_documents, as_person, is_whole
from graphrag_lite.resolution.candidates import Candidate, find_openers, is_acronym, is_name, majority_type
from graphrag_lite.resolution.case_forms import ENDINGS, case_forms
from graphrag_lite.resolution.distinctions import Apart, differ, parted, stated_kinds
from graphrag_lite.resolution.faces import confirmed_face, face, inferred, majority_word
from graphrag_lite.resolution.name_keys import exact_key
from graphrag_lite.resolution.name_similarity import similar_pairs
from graphrag_lite.text.names.gazetteer import DEMONYMS, GIVEN_NAMES, PLACES, SAME_PLACES
from graphrag_lite.text.names.words import CORPORATE

# A surname is no short name of its bearer if things begin with it this many times as often as the full name occurs.
_NAMESAKE_RATIO = 3
_MIN_STATED = 3  # mentions of a name that state its type
POSSESSIVE = re.compile(r"['’]s?\s", re.I)


@dataclass(frozen=True, slots=True)
class Resolution:
    """What `name` stands for in `document_id` ("" for every document without a row of its own).

    `key` is the same for all names of one entity, "" when the name is dropped; `title` and `type` belong to the
    entity; `rule` is exact, lexical, alias, opener or dropped.
    """

    document_id: str
    name: str
    key: str
    title: str
    type: str
    rule: str


def resolve(
    document_ids: Sequence[str],
    names: Sequence[str],
    types: Sequence[str],
    anchored: Sequence[bool],
    lower_counts: Mapping[str, int],
    *,
    ordinals: Sequence[int] | None = None,
    contexts: Mapping[str, Sequence[Sequence[str]]] | None = None,
    languages: Sequence[str] = (),
    definitions: Iterable[tuple[str, str]] = (),
    related: Iterable[tuple[str, str, str]] = (),
    exact: bool = True,
    lexical: bool = True,
    alias: bool = True,
    threshold: float = 0.9,
    confirmed: bool = False,
) -> list[Resolution]:
    """Return one row for every distinct name, and one for every (document, name) that differs, in that order.

    The first four have one entry a mention, as has `ordinals`: the place of its text unit in the document, by default
    one for all. `lower_counts` tells how often the corpus writes a word in lower case. `contexts` are what stands
    beside the mentions of each name (`text.names.contexts`): types that no text states are inferred from them.
    `languages` (ISO 639-1) has one entry a mention: in some, names are declined.
    `definitions` are pairs (long name, acronym) that texts define, one each time; `related` are (document, name, name)
    where a sentence relates the two. `confirmed` says that all mentions are entities for sure. Rows are sorted by
    document id, then name.

    >>> rows = resolve(["d"] * 3, ["Ebenezer Scrooge", "Mr. Scrooge", "Humbug"], ["person"] * 2 + ["unknown"],
    ...                [True, True, False], {"humbug": 2})
    >>> [(row.name, row.title, row.rule) for row in rows]  # doctest: +NORMALIZE_WHITESPACE
    [('Ebenezer Scrooge', 'Ebenezer Scrooge', 'exact'), ('Humbug', '', 'dropped'),
     ('Mr. Scrooge', 'Ebenezer Scrooge', 'alias')]
    """
    keys = {name: exact_key(name) if exact else name for name in sorted(set(names))}
    entries: dict[str, Candidate] = defaultdict(Candidate)
    documents: dict[str, dict[str, tuple[int, int]]] = defaultdict(dict)
    places = ordinals or [0] * len(names)
    for document, name, kind, sure, place in zip(document_ids, names, types, anchored, places, strict=True):
        key = keys[name]
        entry = entries[key]
        entry.count += 1
        entry.anchored += sure
        entry.types[kind] += 1
        entry.surfaces[name] += 1
        held = documents[document]
        first, last = held.get(key, (place, place))
        held[key] = min(first, place), max(last, place)
    n_documents = Counter(key for held in documents.values() for key in held)
    dropped = {
        key
        for key, entry in entries.items()
        if not confirmed and not is_name(key, entry, n_documents[key], lower_counts)
    }
    vote = majority_word if confirmed else majority_type
    kinds = {key: vote(entry.types) for key, entry in entries.items()}

    targets: dict[str, tuple[str, str]] = {}  # key -> (key it joins, rule), corpus-wide
    local: dict[tuple[str, str], str] = {}
    loose: set[str] = set()  # those that an alias joins, which the text itself does not define
    persons: dict[str, Person] = {}
    stated = kinds
    if not confirmed:
        stated = {key: kinds[key] if " " in key else _sure(entry, kinds[key]) for key, entry in entries.items()}
    apart = Apart(
        ((document, keys[one], keys[other]) for document, one, other in related),
        (
            (document, keys[name], place)
            for document, name, kind, place in zip(document_ids, names, types, ordinals or (), strict=False)
            if confirmed and kind.casefold() == "person"
        ),
        stated_kinds(document_ids, [keys[name] for name in names], types, vote) if confirmed else {},
        stated,
    )
    if alias:
        openers = find_openers(entries, kinds, dropped, lower_counts, documents, n_documents)
        targets.update((key, (root, "opener")) for key, root in openers.items())
        persons, shorts = _persons(entries, kinds, dropped, targets, lower_counts, confirmed=confirmed)
        for key in _namesakes(entries, kinds, shorts):
            del shorts[key]
        local = alias_in_documents(documents, persons, shorts)
        denied = {place for place, root in local.items() if root and apart(*place, root)}
        local |= dict.fromkeys(denied, "")
        joined, own = alias_in_corpus(local, persons, shorts, n_documents)
        n_denied = Counter(key for _, key in denied)
        n_agreed = Counter(key for (_, key), root in local.items() if root)
        joined = {key: root for key, root in joined.items() if n_agreed[key] > n_denied[key]}
        local = {place: root for place, root in local.items() if place not in own}
        targets.update((key, (root, "alias")) for key, root in joined.items())
        defined = _acronyms(definitions, keys, dropped)
        forms = {**_legal_forms(entries, dropped), **defined}
        forms.update((key, root) for key, root in SAME_PLACES.items() if key in entries and root in entries)
        for key, root in sorted(forms.items()):
            if _follow(root, targets) != key and not differ(stated[key], stated[root]):
                targets.setdefault(key, (root, "alias"))
        loose = {*joined, *(forms.keys() - defined.keys() if confirmed else ())}
    if lexical:
        declined = {
            keys[name]: language for name, language in zip(names, languages, strict=False) if language in ENDINGS
        }
        known = {key: language for key, language in declined.items() if key not in dropped and key not in targets}
        for key, root in case_forms(known, {key: entries[key].count for key in known}).items():
            if not differ(stated[key], stated[root]):
                targets[key] = (root, "lexical")
        for one, other in similar_pairs((key for key in entries if key not in dropped), threshold):
            less, more = sorted((one, other), key=lambda key: (entries[key].count, key))
            if less not in targets and _follow(more, targets) != less:
                targets[less] = (more, "lexical")

    groups: dict[str, list[str]] = defaultdict(list)
    roots = {key: _follow(key, targets) for key in entries}
    for key, root in roots.items():
        if key not in dropped or key in targets:
            groups[root].append(key)
    heads = {root: _head(root, group, persons, entries, n_documents) for root, group in groups.items()}
    roots = {key: heads.get(root, root) for key, root in roots.items()}
    groups = {heads[root]: group for root, group in groups.items()}
    alone = parted(
        documents,
        lambda document, key: key if local.get((document, key)) == "" else roots[local.get((document, key), key)],
        lambda document, key: bool(local.get((document, key), key in loose)),
        apart,
    )
    local |= dict.fromkeys(alone, "")
    kinds.update((head, kinds[root]) for root, head in heads.items() if kinds[head] == "unknown")
    show = confirmed_face if confirmed else face
    faces = {root: show(root, group, entries, kinds) for root, group in groups.items()}
    if contexts:
        faces |= inferred(faces, groups, entries, contexts, lower_counts)

    rows = []
    names_of_key: dict[str, list[str]] = defaultdict(list)
    for name, key in keys.items():
        names_of_key[key].append(name)
        root = roots[key]
        if root in faces and (key not in dropped or key in targets):
            title, kind = faces[root]
            rule = "exact" if key == root else targets[key][1] if key in targets else "alias"
            rows.append(Resolution("", name, root, title, kind, rule))
        else:
            rows.append(Resolution("", name, "", "", "unknown", "dropped"))
    meant: set[str] = set()
    anywhere = Counter(n_documents)  # documents where a name means what it means in the whole corpus
    for (document, key), target in sorted(local.items()):
        root = roots[target] if target else key
        if root == roots[key] and (key not in dropped or key in targets):
            continue
        if root not in faces:
            if root in dropped and (document, key) not in alone:
                continue
            faces[root] = show(root, [root], entries, kinds)
        title, kind = faces[root]
        rule = "alias" if target else "exact"
        rows.extend(Resolution(document, name, root, title, kind, rule) for name in names_of_key[key])
        meant.add(root)
        anywhere[key] -= 1
    meant.update(roots[key] for key in entries if anywhere[key])
    kept = (row for row in rows if not row.key or row.key in meant)
    return sorted(kept, key=lambda row: (row.document_id, row.name))


def _sure(entry: Candidate, kind: str) -> str:
    """Return the type of a single word as far as it is stated: by most mentions, and not by chance.

    Of 14 surnames with another type that lost their full name without this, as "Scorsese" (work), 11 were right.
    """
    told = entry.types[kind]
    return kind if told >= _MIN_STATED and 2 * told > entry.count else "unknown"


def _persons(
    entries: Mapping[str, Candidate],
    kinds: Mapping[str, str],
    dropped: set[str],
    targets: Mapping[str, tuple[str, str]],
    lower_counts: Mapping[str, int],
    *,
    confirmed: bool,
) -> tuple[dict[str, Person], dict[str, Person]]:
    """Return the keys that may be a longer and those that may be a shorter name of a person."""
    longs: dict[str, Person] = {}
    shorts: dict[str, Person] = {}
    for key, entry in entries.items():
        kind = kinds[key]
        person = None if key in targets else as_person(key, entry.anchored > 0)
        if person is None or (confirmed and _is_description(entry, person, lower_counts)):
            continue
        first = person.words[0]
        if key not in dropped and len(set(person.words)) == len(person.words):
            given = first in GIVEN_NAMES
            rare = first not in DEMONYMS and not lower_counts.get(first)
            if kind == "person" and (given or rare or person.title):
                longs[key] = person
            elif not confirmed and (
                kind == "unknown" and rare and 2 <= len(person.words) <= 3 and _is_surname(entry, person, lower_counts)
            ):
                longs[key] = replace(person, known=False)
        if kind != "person" and is_acronym(key, entry):  # "AI" is no short form of "Allen AI"
            continue
        if (
            kind == "concept"
            or (key in PLACES and key not in GIVEN_NAMES)
            or (kind not in ("person", "unknown") and " " in key)
        ):
            continue
        if key not in dropped or (not entry.anchored and len(person.words) == 1 and kind in ("person", "unknown")):
            shorts[key] = person
    return longs, shorts


def _is_description(entry: Candidate, person: Person, lower_counts: Mapping[str, int]) -> bool:
    """Tell whether a model named somebody by a common noun: "the ghost" is not short for "Marley's ghost"."""
    last = person.words[-1]
    common = last not in GIVEN_NAMES and lower_counts.get(last, 0) >= entry.count
    return common or any(POSSESSIVE.search(name) for name in entry.surfaces)


def _is_surname(entry: Candidate, person: Person, lower_counts: Mapping[str, int]) -> bool:
    """Tell whether the last word of a name of unknown type looks like a surname: no acronym, no common word."""
    last = max(entry.surfaces, key=lambda name: (entry.surfaces[name], name)).split()[-1]
    return not any(lower_counts.get(word) for word in person.words) and last[1:].islower() and last.isalpha()


def _namesakes(entries: Mapping[str, Candidate], kinds: Mapping[str, str], shorts: Mapping[str, Person]) -> list[str]:
    """Return single words that rather name what was named after a person: Hubble, beside the Hubble Space Telescope."""
    things: Counter[str] = Counter()
    people: Counter[str] = Counter()
    for key, entry in entries.items():
        words = key.split()
        if len(words) > 1 and kinds[key] == "person":
            people[words[-1]] += entry.count
        elif len(words) > 1:
            things[words[0]] += entry.count
    return [key for key in shorts if key in things and things[key] > _NAMESAKE_RATIO * people[key]]


def _legal_forms(entries: Mapping[str, Candidate], dropped: set[str]) -> dict[str, str]:
    """Join a company's name with its legal form to the name without it, where both occur."""
    found = {}
    for key in entries:
        words = key.split()
        short = words
        while len(short) > 1 and short[-1] in CORPORATE:
            short = short[:-1]
        bare = " ".join(short)
        if bare != key and bare in entries and bare not in dropped and key not in dropped:
            found[key] = bare
    return found


def _acronyms(definitions: Iterable[tuple[str, str]], keys: Mapping[str, str], dropped: set[str]) -> dict[str, str]:
    """Join an acronym to its expansion, where all definitions of it agree."""
    meant: dict[str, set[str]] = defaultdict(set)
    for long, short in definitions:
        if long in keys and short in keys:
            meant[keys[short]].add(keys[long])
    return {
        short: next(iter(longs))
        for short, longs in sorted(meant.items())
        if len(longs) == 1 and short not in longs and not longs & dropped
    }


def _head(
    root: str,
    group: Iterable[str],
    persons: Mapping[str, Person],
    entries: Mapping[str, Candidate],
    n_documents: Mapping[str, int],
) -> str:
    """Return the key of the whole name that most documents use: "Roger Corman" rather than "Roger William Corman"."""
    if root not in persons:
        return root
    whole = [key for key in group if key == root or (key in persons and is_whole(persons[key], persons[root]))]
    return max(whole, key=lambda key: (n_documents[key], entries[key].count, key == root, key))


def _follow(key: str, targets: Mapping[str, tuple[str, str]]) -> str:
    seen = {key}
    while key in targets and targets[key][0] not in seen:
        key = targets[key][0]
        seen.add(key)
    return key
