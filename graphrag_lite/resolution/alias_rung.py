"""The alias rung of entity resolution: shorter names of persons, companies without their legal form, acronyms.

`aliases` finds whose shorter name one is; here is decided which names may be longer or shorter ones, what else joins,
and what does not hold because the texts tell the two apart.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace

from graphrag_lite.resolution.aliases import Person, alias_in_corpus, alias_in_documents, as_person
from graphrag_lite.resolution.candidates import Candidate, find_openers, is_acronym
from graphrag_lite.resolution.distinctions import Apart, LocalName, types_differ
from graphrag_lite.resolution.mentioned import Mentioned
from graphrag_lite.resolution.works import alias_in_works
from graphrag_lite.text.names.gazetteer import DEMONYMS, GIVEN_NAMES, PLACES, SAME_PLACES, WELL_KNOWN
from graphrag_lite.text.names.words import CORPORATE

# A surname is no short name of its bearer if things begin with it this many times as often as the full name occurs.
_NAMESAKE_RATIO = 3
_KNOWN = frozenset().union(GIVEN_NAMES, DEMONYMS, PLACES, WELL_KNOWN)
_ELSEWHERE = ("person", "location")  # whose names begin those of other things: the Washington Post
_MIN_REST = 2  # words that say what a thing is: "Apple Watch" is no Apple
_MIN_BOTH, _MIN_SHARE = 3, 0.6  # documents that have a thing's name and its first word alone; of those with the name
MAX_AMBIGUOUS = 2  # letters of an acronym: "AR" is augmented reality, and a milk's energy for activity
POSSESSIVE = re.compile(r"['’]s?\s", re.I)


@dataclass(slots=True)
class Joins:
    """What the rungs have joined.

    `targets` has by key the key that it joins in the whole corpus, and the rule; `local` by document and key the key
    that it joins there, "" where it is a name of its own. `loose` are the keys that an alias joins which no text
    defines, `persons` the keys that may be a longer name.
    """

    targets: dict[str, tuple[str, str]] = field(default_factory=dict)
    local: dict[LocalName, str] = field(default_factory=dict)
    loose: set[str] = field(default_factory=set)
    persons: Mapping[str, Person] = field(default_factory=dict)

    def root(self, key: str) -> str:
        """Return the key at the end of what a key joins in the whole corpus."""
        seen = {key}
        while key in self.targets and self.targets[key][0] not in seen:
            key = self.targets[key][0]
            seen.add(key)
        return key


def join_aliases(
    names: Mentioned,
    works: Mapping[str, tuple[str, int]],
    definitions: Iterable[tuple[str, str, str]],
    glossed: Collection[LocalName],
    glosses: Iterable[tuple[str, str]],
    apart: Apart,
) -> Joins:
    """Return what names join as an alias, or after a common word.

    `definitions` are (document, long name, acronym), `glossed` (document, acronym) in brackets behind words, `glosses`
    names with themselves in another script.
    """
    openers = find_openers(
        names.entries, names.kinds, names.dropped, names.lower_counts, names.spans, names.n_documents
    )
    targets = {key: (root, "opener") for key, root in openers.items()}
    persons, shorts = _persons(names, targets)
    for key in _namesakes(names.entries, names.kinds, shorts):
        del shorts[key]
    local = alias_in_documents(names.spans, persons, shorts)
    if works:
        local |= alias_in_works(local, names.spans, works, persons, shorts)
    denied = {local_name for local_name, root in local.items() if root and apart(*local_name, root)}
    local |= dict.fromkeys(denied, "")
    joined, own = alias_in_corpus(local, persons, shorts, names.n_documents)
    n_denied = Counter(key for _, key in denied)
    n_agreed = Counter(key for (_, key), root in local.items() if root)
    joined = {key: root for key, root in joined.items() if n_agreed[key] > n_denied[key]}
    targets.update((key, (root, "alias")) for key, root in joined.items())
    local = {local_name: root for local_name, root in local.items() if local_name not in own}
    named = {(document, names.keys[name]) for document, name in glossed if name in names.keys}
    defined, in_documents = _acronyms(definitions, named, names)
    forms = _in_another_script(glosses, names) | _first_words(names)
    forms |= _legal_forms(names.entries, names.dropped) | defined
    forms.update((key, root) for key, root in SAME_PLACES.items() if key in names.entries and root in names.entries)
    loose = {*joined, *(forms.keys() - defined.keys() if names.confirmed else ())}
    joins = Joins(targets, local, loose, persons)
    for key, root in sorted(forms.items()):
        if joins.root(root) != key and (key in defined or not types_differ(names.stated[key], names.stated[root])):
            targets.setdefault(key, (root, "alias"))
    for (document, key), root in sorted(in_documents.items()):
        if not root or joins.root(root) != key:
            local.setdefault((document, key), root)
    return joins


def _persons(names: Mentioned, targets: Mapping[str, tuple[str, str]]) -> tuple[dict[str, Person], dict[str, Person]]:
    """Return the keys that may be a longer and those that may be a shorter name of a person."""
    longs: dict[str, Person] = {}
    shorts: dict[str, Person] = {}
    for key, entry in names.entries.items():
        person = None if key in targets else as_person(key, entry.anchored > 0)
        if person is None or (names.confirmed and _is_description(entry, person, names.lower_counts)):
            continue
        if long := _as_long(names, key, entry, person):
            longs[key] = long
        if _may_be_short(names, key, entry, person):
            shorts[key] = person
    return longs, shorts


def _as_long(names: Mentioned, key: str, entry: Candidate, person: Person) -> Person | None:
    """Return who may have shorter names, and whether it is known to be a person."""
    if key in names.dropped or len(set(person.words)) != len(person.words):
        return None
    first = person.words[0]
    rare = first not in DEMONYMS and not names.lower_counts.get(first)
    if names.kinds[key] == "person" and (first in GIVEN_NAMES or rare or person.title):
        return person
    unsure = not names.confirmed and names.kinds[key] == "unknown" and rare and 2 <= len(person.words) <= 3
    return replace(person, known=False) if unsure and _is_surname(entry, person, names.lower_counts) else None


def _may_be_short(names: Mentioned, key: str, entry: Candidate, person: Person) -> bool:
    kind = names.kinds[key]
    if kind != "person" and is_acronym(key, entry):  # "AI" is no short form of "Allen AI"
        return False
    if kind == "concept" or (key in PLACES and key not in GIVEN_NAMES):
        return False
    if kind not in ("person", "unknown") and " " in key:
        return False
    bare = not entry.anchored and len(person.words) == 1 and kind in ("person", "unknown")
    return key not in names.dropped or bare


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


def _in_another_script(glosses: Iterable[tuple[str, str]], names: Mentioned) -> dict[str, str]:
    """Join a name to what mostly stands beside it in another script: of the two the rarer one, and one that is none.

    Of equals it is the one without Latin letters, where nothing but rules says where the name begins.
    """
    beside: dict[str, Counter[str]] = defaultdict(Counter)
    for one, other in glosses:
        a, b = names.keys[one], names.keys[other]
        beside[a][b] += 1
        beside[b][a] += 1
    found = {}
    for key, others in beside.items():
        other, n = max(others.items(), key=lambda item: (item[1], item[0]))
        rank = [(k not in names.dropped, names.entries[k].count, k[0] < "\u0250", k) for k in (key, other)]
        if rank[0] < rank[1] and 2 * n >= others.total() and other not in names.dropped:
            found[key] = other
    return found


def _first_words(names: Mentioned) -> dict[str, str]:
    """Join the first word of a thing's name to the whole, as far as documents tell: Hubble, the Hubble Space Telescope.

    The other words say what it is, the name is in more documents than its first word is without it, most that have
    the name have the word alone, too, and no other longer name that begins with the word comes near it.
    """
    longer: dict[str, list[str]] = defaultdict(list)
    for key in names.entries:
        first, *rest = key.split()
        if rest and first in names.entries and first not in _KNOWN:
            longer[first].append(key)
    documents: dict[str, set[str]] = defaultdict(set)
    either = {*longer, *(key for several in longer.values() for key in several)}
    for document, held in names.spans.items():
        for key in held.keys() & either:
            documents[key].add(document)
    found = {}
    for first, several in longer.items():
        best, *others = sorted(several, key=lambda key: (-names.entries[key].count, key))
        rest = best.split()[1:]
        both = len(documents[first] & documents[best])
        if len(rest) < _MIN_REST or not all(names.lower_counts.get(word) for word in rest):
            continue
        if {first, best} & names.dropped or names.kinds[first] in _ELSEWHERE or names.lower_counts.get(first):
            continue
        if any(_NAMESAKE_RATIO * names.entries[key].count > names.entries[best].count for key in others):
            continue
        n_first, n_best = len(documents[first]), len(documents[best])
        if both >= _MIN_BOTH and both >= _MIN_SHARE * n_best and n_best > n_first - both:
            found[first] = best
    return found


def _legal_forms(entries: Mapping[str, Candidate], dropped: frozenset[str]) -> dict[str, str]:
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


def _acronyms(
    definitions: Iterable[tuple[str, str, str]], glossed: Collection[LocalName], names: Mentioned
) -> tuple[dict[str, str], dict[LocalName, str]]:
    """Return what acronyms mean in the whole corpus, and what in documents, "" where one means something else there.

    What a document defines, or has beside the acronym, holds in it. Documents that have the acronym alone follow the
    others where all agree; one of two letters, which many things share, only if they are the fewer. `glossed` are
    those (document, acronym) that stand in brackets behind some words.
    """
    stated = [
        (document, names.keys[long], names.keys[short])
        for document, long, short in definitions
        if long in names.keys and short in names.keys
    ]
    whole = sorted({long for _, long, _ in stated} - names.dropped, key=lambda key: (names.entries[key].count, key))
    one_of = {long.removesuffix("s"): long for long in whole}  # of singular and plural that which comes up more often
    defined: dict[LocalName, set[str]] = defaultdict(set)
    meant: dict[str, set[str]] = defaultdict(set)
    for document, long, short in stated:
        known = one_of.get(long.removesuffix("s"), short)
        if known != short:
            defined[document, short].add(known)
            meant[short].add(known)
    local: dict[LocalName, str] = {}
    alone: Counter[str] = Counter()
    n_defined: Counter[str] = Counter()
    for document, held in names.spans.items():
        for short in held.keys() & meant.keys():
            own = defined.get((document, short)) or meant[short] & held.keys()
            if len(own) == 1:
                local[document, short] = next(iter(own))
            elif own or ((document, short) in glossed and short not in SAME_PLACES):
                local[document, short] = ""
            n_defined[short] += bool(own)
            alone[short] += not own
    everywhere = {
        short: next(iter(longs))
        for short, longs in sorted(meant.items())
        if len(longs) == 1 and (len(short) > MAX_AMBIGUOUS or alone[short] < n_defined[short])
    }
    return everywhere, {local_name: root for local_name, root in local.items() if everywhere.get(local_name[1]) != root}
