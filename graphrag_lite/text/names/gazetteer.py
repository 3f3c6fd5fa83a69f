"""Small gazetteers for typing names: given names, places and their adjectives, well-known names of other types."""

from graphrag_lite.text.names.lists import all_languages

_LISTS = all_languages("gazetteer")
MALE_NAMES, FEMALE_NAMES = _LISTS["male_names"], _LISTS["female_names"]
GIVEN_NAMES = MALE_NAMES | FEMALE_NAMES
PLACES = _LISTS["places"]
DEMONYMS = _LISTS["demonyms"]
WELL_KNOWN = {
    name: kind
    for kind in ("concept", "law", "language", "product", "organization", "person")
    for name in _LISTS[f"{kind}s"]
}
"""The type of names that mean little else, by name in lower case."""

SAME_PLACES = {
    "us": "united states", "usa": "united states", "united states of america": "united states", "uk": "united kingdom",
    "ussr": "soviet union", "uae": "united arab emirates", "eu": "european union", "nyc": "new york city",
    "ee uu": "estados unidos", "eeuu": "estados unidos",
    "états unis d amérique": "états unis", "états unis damérique": "états unis",
}  # fmt: skip
"""Short forms of places that texts use without defining them, as keys of `resolution.name_keys.exact_key`."""
