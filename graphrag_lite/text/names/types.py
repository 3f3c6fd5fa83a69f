"""Type a name by what its own words and the words beside it say. Weights add up within a text unit.

The types are person, organization, location, event, work and concept. Nothing here looks beyond one text unit, and
nothing but a stated cue decides: a name without one is `unknown`.
"""

from collections.abc import Sequence

from graphrag_lite.text.names.gazetteer import GIVEN_NAMES, PLACES
from graphrag_lite.text.names.words import CORPORATE, EPITHETS, HONORIFICS

TYPES = ("person", "organization", "location", "event", "work", "date", "concept")
"""Known types; the order breaks ties."""

Evidence = dict[str, float]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.casefold().split())


# Last (or, in Romance languages, first) words of names.
_LOCATION_HEADS = _words("""
    river lake mountain mountains mount mt island islands isle isles ocean sea bay gulf cape valley desert
    forest canyon peninsula
    county district province region township borough parish prefecture municipality oblast raion republic kingdom
    street avenue road lane boulevard highway square plaza bridge tunnel park garden gardens beach creek falls
    hill hills heights
    castle palace tower abbey cathedral church chapel temple mosque monastery hall house mansion inn hotel
    airport station
    stadium arena theatre theater port harbor harbour city town village coast territory plateau strait basin
    reservoir
    glacier peak ridge pass canal pier wharf cemetery junction crossing corner terrace farm ranch building fort
    rd ave
    rivière fleuve lac mont montagne île mer golfe vallée forêt département région commune rue avenue place pont
    château
    palais tour cathédrale église gare aéroport stade quai faubourg
    río lago isla sierra calle plaza ciudad provincia puerto monte cerro
    straße strasse platz brücke see berg fluss stadt kreis bezirk schloss bahnhof flughafen
    улица река озеро область район город
""")
_ORGANIZATION_HEADS = _words("""
    university college institute institution academy school schools department ministry agency bureau office
    commission
    committee council court parliament congress senate assembly government administration authority board
    service services
    company corporation group holdings industries enterprises partners associates systems technologies laboratories
    laboratory labs lab bank trust fund foundation association society union federation confederation league
    organization
    organisation party alliance coalition club team orchestra band choir ensemble press records entertainment
    pictures studios studio
    productions films media network networks broadcasting news times post herald tribune gazette journal
    magazine airlines
    airways motors hospital clinic library museum gallery navy army force forces guard police corps regiment
    brigade battalion
    division squadron church order brothers sons bros & co center centre consortium cooperative guild firm
    ventures capital
    insurance pharmaceuticals energy oil electric railway railways railroad fc afc f.c. cf sc united rovers
    wanderers
    université école collège lycée institut académie ministère agence bureau commission comité conseil cour
    parlement
    sénat assemblée gouvernement république congrès chambre nations société compagnie groupe banque fondation
    association syndicat fédération
    confédération ligue parti alliance club équipe orchestre musée hôpital bibliothèque armée police
    universidad instituto ministerio banco partido consejo comisión tribunal asociación empresa compañía
    sociedad museo
    universität institut ministerium bundesamt partei verband verein gesellschaft gericht bundestag gmbh
    университет институт министерство банк партия
""")
_EVENT_HEADS = _words("""
    war wars battle siege revolution rebellion uprising revolt massacre olympics games championship
    championships cup tournament
    festival conference summit election elections referendum crisis depression earthquake hurricane typhoon storm
    flood disaster crash attack attacks bombing shooting trial treaty expo exposition fair ceremony awards marathon
    race rally derby invasion campaign crusade crusades exile march raid offensive operation day week eve
    christmas easter friday
    monday sunday pandemic prix regatta convention premiership open masters
    guerre bataille siège révolution festival championnat jeux coupe élection élections conférence sommet
    guerra batalla revolución copa krieg schlacht revolution война битва революция
""")
_WORK_HEADS = _words("""
    symphony concerto sonata opera overture suite requiem ballad song songs album bible gospel testament chronicles
    podcast saga trilogy anthology dictionary encyclopedia encyclopaedia atlas manifesto constitution act bill
    report
""")

_FEASTS = _words(
    "christmas easter thanksgiving halloween ramadan hanukkah passover diwali noël pâques weihnachten ostern navidad"
)
# Heads that come first: Lake Geneva, Mount Everest.
_FRONTED = _words("""
    lake mount fort cape port river loch isle camp rivière lac mont île rue avenue place château université
    école lycée institut musée hôpital río lago isla sierra calle universidad instituto banco museo schloss улица
    река озеро battle siege treaty guerre bataille république congrès chambre sénat comité conseil commission
    parti ministère cour
""")
_NOBLE = _words("van von bin ibn bint al el ben der den ter di della")

# Nouns for a kind of thing: "the film X", "X is a British singer", "X, a village in Y".
_KINDS: dict[str, str] = {
    word: kind
    for kind, words in {
        "person": """
            actor actress politician singer songwriter singer-songwriter writer author poet novelist
            playwright director
            filmmaker producer composer musician pianist guitarist drummer rapper dancer painter
            sculptor artist architect
            photographer journalist reporter columnist editor historian philosopher scientist physicist chemist
            biologist mathematician economist engineer inventor entrepreneur businessman businesswoman
            investor lawyer
            attorney judge jurist physician doctor surgeon psychologist professor academic scholar
            teacher theologian
            priest bishop archbishop cardinal monk missionary saint soldier officer general admiral
            commander footballer
            player cricketer goalkeeper midfielder striker defender coach manager racer driver cyclist
            boxer wrestler
            swimmer athlete skier skater golfer quarterback pitcher king queen emperor prince princess duke duchess
            nobleman noblewoman monarch ruler president minister senator governor mayor diplomat ambassador activist
            revolutionary comedian presenter broadcaster host model designer screenwriter cinematographer conductor
            soprano tenor botanist zoologist geologist astronomer astronaut explorer sailor pilot criminal murderer
            spy chief executive officer chairman founder co-founder ceo cfo cto wife husband son
            daughter father mother
            brother sister uncle aunt nephew niece cousin grandson friend boy girl man woman gentleman
            lady clerk servant
            character statesman aristocrat blogger programmer researcher analyst barrister spokesman spokeswoman
            acteur actrice chanteur chanteuse écrivain auteur poète romancier réalisateur compositeur
            musicien peintre
            journaliste historien philosophe scientifique joueur footballeur entraîneur homme femme
            ministre roi reine
            actor escritor cantante político pintor futbolista schauspieler schauspielerin politiker
            schriftsteller sänger
        """,
        "location": """
            village town city country nation municipality commune hamlet settlement suburb neighbourhood
            neighborhood
            borough district county province region state territory island archipelago peninsula river
            lake sea mountain
            hill valley volcano bay cape creek street road highway park castle palace building skyscraper church
            cathedral temple mosque airport station stadium bridge planet crater capital locality township parish
            constituency continent kingdom port harbour beach desert house mansion hotel
            ville village pays commune région département fleuve rivière île quartier ciudad pueblo país
            río stadt dorf
        """,
        "organization": """
            company corporation firm manufacturer airline bank retailer band group duo trio quartet
            orchestra university
            college school institute organization organisation agency association club team party union
            publisher label
            studio network broadcaster newspaper charity foundation startup start-up museum hospital ngo league
            federation ministry department regiment squadron brand conglomerate subsidiary producer-company
            entreprise société groupe banque parti association équipe journal université empresa partido equipo
            unternehmen partei verein firma
        """,
        "event": """
            war battle siege conflict rebellion revolution massacre election referendum tournament championship
            competition festival conference ceremony earthquake hurricane storm flood disaster pandemic
            race match season
            holiday guerre bataille tournoi élection
        """,
        "work": """
            film movie song album single ep novel novella book poem play musical opera ballet symphony series sitcom
            show episode documentary magazine soundtrack game painting sculpture comic manga anime story
            essay memoir
            autobiography biography track miniseries telenovela drama thriller comedy western mixtape
            anthology fable
            roman livre chanson película novela canción libro buch lied
        """,
        "concept": """
            language dialect genus species family disease disorder syndrome software framework library protocol
            algorithm technique method theory sport genre dish breed religion philosophy concept
        """,
    }.items()
    for word in words.split()
}  # fmt: skip
# Adjectives and nouns that stand before the noun that decides, or after it without changing it.
_KIND_ENDS = _words(
    "who that which whose where from in of by at on for with and or to as since until between starring directed "
    "written released based located founded set qui que dont de du des en dans par à der die das aus von"
)
# Verbs that organisations share with people, and verbs that need a voice, a face or legs.
SPEECH = _words("""
    said says say remarked observed inquired enquired added told tells explained argued wrote writes recalled
    insisted
    admitted warned testified believes
    dit dis affirme affirmé déclaré déclare expliqué explique ajouté estime raconte dijo dice afirmó sagte sagt
    erklärte
""")
_VOICED = _words("""
    asked replied replies cried exclaimed whispered shouted muttered murmured screamed laughed sighed smiled nodded
    grinned frowned shrugged joked walked sat stood looked wept thought knew felt tweeted
    demanda répondit répond murmura cria preguntó fragte сказал сказала говорит
""")
_PERSON_VERBS = _words(
    "born died married studied graduated resigned retired né née nació geboren née directed starred né"
)
_LOCATIVE = _words("in near across outside inside throughout en à dans près")
_KIN = _words("""
    wife husband son daughter father mother brother sister uncle aunt nephew niece cousin widow girlfriend boyfriend
    lips eyes hand hands face voice heart hair head arm arms shoulder mind room shoulders gaze
""")
# Offices that only organisations have, and what is done at, from, by and with them, by the word that joins the two.
_OFFICES = _words("""
    ceo cfo cto coo cio chairman chairwoman chairperson founder co-founder cofounder founders co-founders employee
    employees executive executives shareholder shareholders spokesman spokeswoman spokesperson subsidiary headquarters
""")
_BEFORE_ORGANIZATION = {
    "of": _OFFICES,
    "for": _OFFICES,
    "at": _OFFICES
    | _words("""
        work works worked working job jobs career employed intern interned internship engineer engineers scientist
        scientists researcher researchers professor fellow manager director president vp postdoc lecturer analyst
        developer advocate student students
    """),
    "from": _words("degree degrees phd ph.d doctorate diploma bachelor's master's graduated graduate"),
    "by": _words("published developed distributed manufactured"),
    "with": _words("merged"),
}


OF_HEADS = (
    _ORGANIZATION_HEADS
    | _LOCATION_HEADS
    | _EVENT_HEADS
    | _WORK_HEADS
    | _words("""
    duke duchess earl count countess prince princess king queen bishop archbishop baron lord marquis ghost
    spirit secretary
    kingdom republic duchy principality order knights sons daughters lady our house isle state states
    commonwealth union
    ministry department university institute bank gulf bay cape city strait sea treaty peace battle siege
    declaration bill
    hall ring tower temple medal prize award cross hero heart wall code ministère
    """)
) - _words("attack attacks report act bill campaign trial race raid march day week")
"""Words after which "of X" or "for X" belongs to the name."""

PAIR_HEADS = _words("""
    administration commission committee department agency ministry museum act services service authority council
    bureau
    institute secretary office board centre center school faculty college society association foundation
    ministère comité conseil commission institut
""")
"""Words that make one name of "X and Y": Food and Drug Administration, Department of Health and Human Services."""

INSTITUTION_OWNED = _words("""
    cathedral church chapel college school university hospital inn hall day eve park bridge square cup league
    championship championships
    olympics island islands bay court stadium association union theatre theater museum club house castle palace
    cove creek hill point
    rights office
""") - _words("house office hall court hill park")
"""What an institution's name owns: St. Paul's Cathedral, King's College, Valentine's Day."""

EVENTS_OF_A_YEAR = _words("""
    olympics games championship championships cup election elections census season war tour open prix awards
    conference
    act festival expo euro eurovision finals playoffs marathon crisis revolution earthquake tournament summit
    referendum
    masters series superbowl bowl league trophy uprising riots coup pandemic convention
""")


def kind_of(word: str) -> str:
    """Return the type of the things that a noun names, "" if it names none: film -> work."""
    return _KINDS.get(word, "")


def evidence_of_words(words: Sequence[str], kept: Sequence[str]) -> Evidence:
    """Return what the words of one name say about its type. `words` are casefolded, `kept` as written.

    >>> evidence_of_words(["university", "of", "oslo"], ["University", "of", "Oslo"])
    {'organization': 3.0}
    """
    found: Evidence = {}
    first, last = words[0], words[-1]
    name = " ".join(words)
    if name in PLACES:
        found["location"] = 1.0 if name in GIVEN_NAMES else 3.0
        return found
    if name in _FEASTS:
        found["event"] = 3.0
        return found
    if first in HONORIFICS and len(words) > 1 and first not in ("st", "saint", "san", "santa", "sainte"):
        found["person"] = 5.0
        return found
    head = words[next((i for i, w in enumerate(words) if w in ("of", "for", "de", "du", "des", "d'")), len(words)) - 1]
    fronted = first if words[-1] != head or first in _FRONTED else ""
    for word, weight in ((last, 3.0), (head, 3.0), (fronted, 1.5)) if len(words) > 1 else ((last, 1.0),):
        for kind, heads in (
            ("location", _LOCATION_HEADS),
            ("organization", _ORGANIZATION_HEADS),
            ("event", _EVENT_HEADS),
            ("work", _WORK_HEADS),
        ):
            if word in heads and weight > found.get(kind, 0.0):
                found[kind] = weight
        if found:
            break
    if last in CORPORATE or "&" in words:
        found["organization"] = 5.0
    if found:
        return found
    if first in GIVEN_NAMES and first not in PLACES:
        if len(words) == 1:
            found["person"] = 1.6
        elif len(words) <= 4 and not any(w.isdigit() for w in words) and words[1] not in ("and", "of"):
            found["person"] = 2.5
    initials = [w for w in kept[:-1] if len(w.rstrip(".")) == 1 and w[0].isupper()]
    if 2 <= len(words) <= 4 and initials and kept[0] not in ("A", "I", "O"):
        found["person"] = found.get("person", 0.0) + 2.0
    if len(words) >= 3 and (words[1] in _NOBLE or (words[-2] in ("the", "le", "der") and last in EPITHETS)):
        found["person"] = found.get("person", 0.0) + 1.5
    return found


def kind_after(words: Sequence[str]) -> str:
    """Return the type that the words after "X is a" state, "" if none. `words` are casefolded, at most about ten.

    >>> kind_after(["german", "skeleton", "racer", "who", "competed"])
    'person'
    >>> kind_after(["village", "in", "the", "district"])
    'location'
    """
    kind = ""
    for word in words:
        if word in _KIND_ENDS:
            break
        kind = _KINDS.get(word, kind)
    return kind


def kind_beside(words: Sequence[str]) -> str:
    """Return the type that an apposition states, "" if none: its noun must come last ("a British singer who").

    >>> kind_beside(["british", "singer", "who", "lives"]), kind_beside(["weight", "of", "his", "method"])
    ('person', '')
    """
    last = ""
    for word in words:
        if word in _KIND_ENDS:
            break
        last = word
    kind = _KINDS.get(last, "")
    return "" if kind == "concept" else kind


def evidence_beside(before: Sequence[str], after: Sequence[str], possessive: bool) -> Evidence:
    """Return what the words beside a mention say, without punctuation between them and the name.

    `before` are up to three casefolded words, nearest last; `after` up to three, nearest first; both end at the first
    punctuation mark.
    """
    found: Evidence = {}

    def add(kind: str, weight: float) -> None:
        found[kind] = found.get(kind, 0.0) + weight

    if before:
        kind = _KINDS.get(before[-1], "")
        if kind:
            add(kind, 2.0)
        elif before[-1] in SPEECH or before[-1] in _VOICED:
            add("person", 1.5)
        elif before[-1] in ("of", "de") and len(before) > 1 and _KINDS.get(before[-2]) == "location":
            add("location", 2.0)
        near = before[:-1] if before[-1] == "the" else before
        if len(near) > 1 and near[-2] in _BEFORE_ORGANIZATION.get(near[-1], ()):
            add("organization", 1.5)
    if after:
        if after[0] in _OFFICES:
            add("organization", 1.5)
        if possessive:
            if after[0] in _KIN:
                add("person", 2.0)
        elif after[0] in _VOICED or after[0] in _PERSON_VERBS:
            add("person", 1.5)
        elif after[0] in SPEECH:
            add("person", 0.7)
        elif after[0] in ("is", "was", "est", "était", "fue") and after[1:2] in (["born"], ["né"], ["née"]):
            add("person", 3.0)
    return found


def is_locative(word: str) -> bool:
    """Tell whether a name after `word` is often a place; alone it is too weak to type more than that one mention."""
    return word in _LOCATIVE


def best(evidence: Evidence) -> str:
    """Return the type with the most weight, `unknown` below 1.5 in all; ties by the order of `TYPES`."""
    if not evidence:
        return "unknown"
    kind = max(TYPES, key=lambda t: (evidence.get(t, 0.0), -TYPES.index(t)))
    return kind if evidence.get(kind, 0.0) >= 1.5 else "unknown"
