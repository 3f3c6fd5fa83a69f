"""Which names are one entity, and which are none: the exact, lexical and alias rungs of entity resolution.

`resolve` takes what the mentions say, as parallel lists with one entry a mention, and returns one row for every
distinct name that holds in the whole corpus, and one for every (document, name) that means something else there. A name
that no document uses for what it would mean in the whole corpus, and that is nobody else's, has only the latter:

    rows = resolve(mentions, lower_counts, NameEvidence())
    by_name = {(row.document_id, row.name): row for row in rows}
    row = by_name.get((document_id, name)) or by_name["", name]

The rungs, of which the lexical and the alias rung can be switched off:

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
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from graphrag_lite.resolution.alias_rung import Joins, join_aliases
from graphrag_lite.resolution.aliases import Person, is_whole
from graphrag_lite.resolution.case_forms import case_forms
from graphrag_lite.resolution.distinctions import (
    Apart,
    LocalName,
    separate_names,
    spellings_apart,
    stated_kinds,
    types_differ,
)
from graphrag_lite.resolution.faces import Contexts, Face, confirmed_face, face, inferred_faces, majority_word
from graphrag_lite.resolution.mentioned import Mentioned, MentionLists, summarize_mentions
from graphrag_lite.resolution.name_keys import exact_key
from graphrag_lite.resolution.name_similarity import similar_pairs
from graphrag_lite.text.case_endings import ENDINGS
from graphrag_lite.text.folding import fold

_INNER = re.compile(r"(?<=[a-z])(?=[A-Z])")  # of a word that begins with a capital; "dynamicPlugins" is no name


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


@dataclass(frozen=True, slots=True, eq=False)
class NameEvidence:
    """What texts say of names beside their mentions.

    `languages` (ISO 639-1) have one entry a mention. `works` has the work of each part of one, and what is added there
    to the places of text units. `contexts` tell what stands beside names: types that no text states. `definitions` are
    (document, long name, acronym), one each time; `glossed` (document, acronym) in brackets behind what may be another
    long name; `glosses` names with themselves in another script; `related` (document, name, name) of one sentence.
    """

    languages: Sequence[str] = ()
    works: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    contexts: Contexts | None = None
    definitions: Iterable[tuple[str, str, str]] = ()
    glossed: Collection[LocalName] = ()
    glosses: Iterable[tuple[str, str]] = ()
    related: Iterable[tuple[str, str, str]] = ()


def resolve(
    mentions: MentionLists,
    lower_counts: Mapping[str, int],
    evidence: NameEvidence,
    *,
    lexical: bool = True,
    alias: bool = True,
    threshold: float = 0.9,
    confirmed: bool = False,
) -> list[Resolution]:
    """Return one row for every distinct name, and one for every (document, name) that differs, in that order, sorted.

    Mentions that are not `confirmed`, names for sure, may be `alike`. `lower_counts` tells how often the corpus writes
    a word in lower case.

    >>> lists = MentionLists(["d"] * 2, ["Ebenezer Scrooge", "Mr. Scrooge"], ["person"] * 2, [True] * 2, *[[1, 1]] * 3)
    >>> rows = resolve(lists, {}, NameEvidence())
    >>> [(row.name, row.title, row.rule) for row in rows]
    [('Ebenezer Scrooge', 'Ebenezer Scrooge', 'exact'), ('Mr. Scrooge', 'Ebenezer Scrooge', 'alias')]
    """
    related = list(evidence.related)
    names_of = summarize_mentions(mentions, lower_counts, confirmed=confirmed)
    document_ids, names, types, _, ordinals, *_ = mentions
    keys = [names_of.keys[name] for name in names]
    apart = Apart(
        ((document, names_of.keys[one], names_of.keys[other]) for document, one, other in related),
        zip(document_ids, keys, ordinals, strict=True) if confirmed else (),
        stated_kinds(document_ids, keys, types, majority_word) if confirmed else {},
        names_of.stated,
    )
    joins = Joins()
    if alias:
        joins = join_aliases(names_of, evidence.works, evidence.definitions, evidence.glossed, evidence.glosses, apart)
    if lexical:
        declined = {
            key: language for key, language in zip(keys, evidence.languages, strict=False) if language in ENDINGS
        }
        _join_similar(names_of, joins, declined, threshold, apart)
    groups, roots = _entities(names_of, joins)
    joins.local |= dict.fromkeys(alone := _alone(names_of, joins, roots, apart), "")
    show = confirmed_face if confirmed else face
    faces = {root: show(root, group, names_of.entries, names_of.kinds) for root, group in groups.items()}
    if evidence.contexts is not None:
        faces |= inferred_faces(faces, groups, names_of.entries, evidence.contexts, lower_counts)
    rows = _rows(names_of, joins, roots, faces, alone)
    if confirmed:
        other = spellings_apart(document_ids, names, types, ordinals, names_of.keys, related)
        rows = _with_spellings(rows, other, set(zip(document_ids, names, strict=True)))
    return rows


def _alone(names: Mentioned, joins: Joins, roots: Mapping[str, str], apart: Apart) -> set[LocalName]:
    """Return the places that must be names of their own, so that nothing told apart is joined in its document."""

    def meaning(document: str, key: str) -> str:
        local = joins.local.get((document, key), key)
        return roots[local] if local else key

    def loose(document: str, key: str) -> bool:
        return bool(joins.local.get((document, key), key in joins.loose))

    return separate_names(names.spans, meaning, loose, apart)


def _join_similar(names: Mentioned, joins: Joins, declined: Mapping[str, str], threshold: float, apart: Apart) -> None:
    """Join the case forms of a name, in languages (by key, `declined`) that have them, and names written alike.

    Of confirmed names that are only alike none join that a document tells apart, or a text unit lists both of.
    """
    known = {
        key: language for key, language in declined.items() if key not in names.dropped and key not in joins.targets
    }
    for key, root in case_forms(known, {key: names.entries[key].count for key in known}).items():
        if not types_differ(names.stated[key], names.stated[root]):
            joins.targets[key] = (root, "lexical")
    usable = [key for key in names.entries if key not in names.dropped]
    pairs = [*_written_apart(usable, names), *similar_pairs(usable, threshold)]
    held: dict[str, set[str]] = {key: set() for pair in pairs for key in pair}
    for document, spans in names.spans.items() if names.confirmed else ():
        for key in spans.keys() & held.keys():
            held[key].add(document)
    for one, other in pairs:
        both = held[one] & held[other]
        if any(apart(document, one, other) or apart.listed_together(document, one, other) for document in both):
            continue
        if names.confirmed and types_differ(names.stated[one], names.stated[other]):
            continue
        less, more = sorted((one, other), key=lambda key: (names.entries[key].count, key))
        if less not in joins.targets and joins.root(more) != less:
            joins.targets[less] = (more, "lexical")


def _written_apart(keys: Collection[str], names: Mentioned) -> list[tuple[str, str]]:
    """Return the pairs of a name in one word and in several: LiHua, Li Hua; YouTube, You Tube."""
    own = set(keys)
    surfaces = (
        (key, surface)
        for key in keys
        for surface in names.entries[key].surfaces
        if surface[0].isupper() and _INNER.search(surface)
    )
    pairs = sorted({(key, exact_key(_INNER.sub(" ", surface))) for key, surface in surfaces})
    return [(key, other) for key, other in pairs if other in own and other != key]


def _entities(names: Mentioned, joins: Joins) -> tuple[dict[str, list[str]], dict[str, str]]:
    """Return the keys of each entity, by the key that it is called by, and of every key the one it is called by.

    Where that key has no type, it gets the one of the key that all joined.
    """
    groups: dict[str, list[str]] = defaultdict(list)
    roots = {key: joins.root(key) for key in names.entries}
    for key, root in roots.items():
        if key not in names.dropped or key in joins.targets:
            groups[root].append(key)
    heads = {root: _head(root, group, joins.persons, names) for root, group in groups.items()}
    names.kinds.update((head, names.kinds[root]) for root, head in heads.items() if names.kinds[head] == "unknown")
    return {heads[root]: group for root, group in groups.items()}, {
        k: heads.get(root, root) for k, root in roots.items()
    }


def _rows(
    names: Mentioned, joins: Joins, roots: Mapping[str, str], faces: dict[str, Face], alone: set[LocalName]
) -> list[Resolution]:
    """Return what each name means in the corpus, and in the documents where it means something else."""
    rows = []
    names_of_key: dict[str, list[str]] = defaultdict(list)
    for name, key in names.keys.items():
        names_of_key[key].append(name)
        root = roots[key]
        if root in faces and (key not in names.dropped or key in joins.targets):
            rule = "exact" if key == root else joins.targets[key][1] if key in joins.targets else "alias"
            rows.append(Resolution("", name, root, *faces[root], rule))
        else:
            rows.append(Resolution("", name, "", "", "unknown", "dropped"))
    meant: set[str] = set()
    anywhere = Counter(names.n_documents)  # documents where a name means what it means in the whole corpus
    show = confirmed_face if names.confirmed else face
    for (document, key), target in sorted(joins.local.items()):
        root = roots[target] if target else key
        if root == roots[key] and (key not in names.dropped or key in joins.targets):
            continue
        if root not in faces:
            if root in names.dropped and (document, key) not in alone:
                continue
            faces[root] = show(root, [root], names.entries, names.kinds)
        rule = "alias" if target else "exact"
        rows.extend(Resolution(document, name, root, *faces[root], rule) for name in names_of_key[key])
        meant.add(root)
        anywhere[key] -= 1
    meant.update(roots[key] for key in names.entries if anywhere[key])
    remaining = (row for row in rows if not row.key or row.key in meant)
    return sorted(remaining, key=lambda row: (row.document_id, row.name))


def _with_spellings(
    rows: Sequence[Resolution], other: Mapping[LocalName, str], used: Collection[LocalName]
) -> list[Resolution]:
    """Make an entity of its own of each (document, name) of `other`, by its spelling; `used` are all that there are.

    Its key is one that no name has: quoted.
    """
    own = {
        local_name: Resolution(*local_name, f'"{fold(local_name[1])}"', local_name[1], kind, "exact")
        for local_name, kind in other.items()
    }
    remaining = [row for row in rows if (row.document_id, row.name) not in own]
    anywhere = {name for _, name in set(used) - own.keys()}
    remaining = [row for row in remaining if row.document_id or row.name in anywhere]
    return sorted([*remaining, *own.values()], key=lambda row: (row.document_id, row.name))


def _head(root: str, group: Iterable[str], persons: Mapping[str, Person], names: Mentioned) -> str:
    """Return the key of the whole name that most documents use: "Roger Corman" rather than "Roger William Corman"."""
    if root not in persons:
        return root
    whole = [key for key in group if key == root or (key in persons and is_whole(persons[key], persons[root]))]
    return max(whole, key=lambda key: (names.n_documents[key], names.entries[key].count, key == root, key))
