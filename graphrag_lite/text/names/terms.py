"""Terms in lower case: phrases of two or three words that a text unit repeats, and expansions of acronyms.

A phrase stands between function words and punctuation, like a noun phrase (after RAKE, Rose et al. 2010), and must
occur twice in the unit. What is left is checked against the whole corpus by `graph.resolution`.
"""

from graphrag_lite.text.names.name import Name
from graphrag_lite.text.names.tokens import JOIN, Tokens
from graphrag_lite.text.names.words import MONTHS_AND_DAYS, NUMBER_WORDS, UNITS


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Words that neither begin nor end a term: verbs, adverbs, adjectives of degree and nouns too general to be one.
_NO_EDGE = _words("""
    able absolute accept according across act actual add afraid agree allow amazing amount answer anybody apart
    appear apply
    area aren't ask asked aspect available away awful back bad basic beautiful became become becomes began begin
    beginning
    begins being believe believed belonging better big bigger biggest bit body bottom bring bringing broad
    brought build
    building builds built buy called came can't care carry case cases cast certain chance change changed changes
    changing
    cheap check choose clear clever close come comes coming common complete completely concern consider continue
    continued
    continues continuing correct count couple course create created creates creating cross current cut cute deal
    dear decide
    decided decision deep definitely degree detail didn't different difficult direct discuss doesn't doing don't
    door double
    drive driven driving drop early easier easy effect effort either empty end ended enjoy enormous entire
    especially
    essentially etc event eventually evening everyday exact example excellent excited exciting existing expect
    expected
    experience explain extra extremely eye eyes face fact facts fair fairly fall familiar famous far fast
    favorite feel feeling
    feels felt figure fill final find finding finds fine finish finished fit fix follow followed following force
    form forward
    found free front full fun funny further gave general gentleman gentlemen get gets getting give given gives
    giving glad go
    goes going gone gonna good got gotta gotten great greater greatest grew grow growing grown guess guy guys
    half hand hands
    happen happened happening happens happy hard haven't head hear heard heart held help helped helping helps
    high higher highest
    hold hope hour hours huge i'd i'll i'm i've idea ideas immediate important impossible incredible incredibly
    interested
    interesting involved isn't it's issue item join keep keeping keeps kept key kid kids kind kinds knew know
    knowing known
    knows lady large larger largest last late later latest lead leads learn learned leave leaves led left less
    let let's level
    life light like liked likely limited line list little live lived lives living long longer look looked
    looking looks lost lot
    lots love loved low lower made main maintain major make makes making man manner many massive matter maybe
    mean meaning means
    meant meet men mention mentioned met middle mind minute minutes moment moments moral more morning most
    mostly move moved
    moving mr mrs much multiple mutual name named natural nature nearly necessary need needed needs never new
    next nice night nobody
    normal note nothing notice number numbers obvious occur offer often old older oldest ones open opened order
    ordinary original
    others outside overall own page part particular parts party past people perfect period person piece pieces
    place places plain
    plan play point points poor possible potential pounds powerful present pretty previous primary prior private
    probably
    problem process product program project proud provide provided provides put puts putting question questions
    quick quickly quiet
    quite raise ran range rate rather ready real really reason reasonable reasons receive recent recently record
    regular
    related relatively remain remember reply report require required respect result results return returned
    right rise role room
    round run running runs sad said same sat saw say saying says scene seat second see seeing seem seemed seems
    seen seeing sees
    send sense sent separate serious serve set sets several shape share shared shook short show showed showing
    shown shows side sides
    significant similar simple simply sit sitting situation slow small smaller smallest smart soft solid
    something sort sorts sound
    sounds speak special specific spend spent stage stand standing start started starting starts state stay step
    steps stood stop
    story strange strong stuff sudden suggest super support suppose supposed sure surprised sweet take taken
    takes taking talk
    talked talking talks team tell telling tells ten terms terrible test that's they're they've thing things
    think thinking
    thinks third thought thousand time times tiny today told tone top total totally touch true truly try trying
    turn turned type
    types ultimately understand understanding unique upon use used useful user uses using usual usually value
    various vast very
    view voice wait waiting walk walked wanna want wanted wanting wants warm was wasn't watch watching way ways
    we'll we're we've
    weak week weeks weird well went whole wide wild win woman women won won't wonder wonderful wondering word
    words work worked
    working works world worse worst worth write writing written wrong wrote year years yes you'd you'll you're
    you've young younger
    youngest zero ago based including related across regarding among within without via per toward please
    respectively
    approximately roughly increasingly newly highly previously currently originally later eventually finally
    primarily
    strongly slightly deeply mostly merely hardly scarcely gently softly slowly suddenly quickly
    white black red blue green yellow brown grey gray dark bright cold hot dead alive alone sharp thick thin
    heavy tall
    door window table chair bed house street town arm arms hair foot feet leg legs finger fingers shoulder
    grand grande grands grandes petit petite petits petites nouveau nouvelle nouveaux nouvelles bon bonne beau
    belle vieux jeune jeunes
    fait faire dit dire peut pourrait doit avoir être fois jour jours année années an ans homme femme hommes
    femmes personnes pays
    monde temps vie cas lieu part partie début fin suite cours point groupe nombre dernier dernière derniers
    dernières prochain
    prochaine premier première seul seule même mêmes ainsi alors selon déclaré annoncé indiqué affirmé expliqué
    ajouté plusieurs
    million millions milliard milliards environ semaine mois heures heure mis mise pris prise vers toujours
    encore aussi
    año años día días vez veces parte gran grande nuevo nueva primer último última personas país mundo vida
    tiempo millones
    jahr jahre jahren tag tage zeit
""")
_ADVERB = ("ly", "ment")  # French adverbs in -ment are rare at the edges of English terms as well


def find_terms(tokens: Tokens, text: str) -> list[Name]:
    """Return every mention of the unit's repeated terms, in order, none of them anchored."""
    phrases: dict[tuple[str, ...], list[int]] = {}
    lower, n = tokens.lower, len(tokens.words)
    segment = 0  # length of the segment of plain words that ends before i
    for i in range(n + 1):
        plain = i < n and not tokens.capital[i] and not tokens.function[i] and _is_plain(tokens.words[i])
        if plain and (segment == 0 or (tokens.gaps[i] == JOIN and not tokens.possessive[i - 1])):
            segment += 1
            continue
        if segment > 1:
            for first in range(i - segment, i - 1):
                if lower[first] in _NO_EDGE or lower[first].endswith("ly"):
                    continue
                for last in range(first + 2, min(first + 3, i) + 1):
                    if not _bad_end(lower[last - 1]):
                        phrases.setdefault(tuple(lower[first:last]), []).append(first)
        segment = int(plain)
    repeated = {phrase: at for phrase, at in phrases.items() if len(at) > 1}
    for phrase in list(repeated):
        if len(phrase) == 3:
            for part in (phrase[:2], phrase[1:]):
                if part in repeated and len(repeated[part]) <= len(repeated[phrase]):
                    del repeated[part]
    found: list[Name] = []
    end = 0
    for first, negative in sorted((first, -len(phrase)) for phrase, at in repeated.items() for first in at):
        start, stop = tokens.starts[first], tokens.ends[first - negative - 1]
        if start >= end:
            found.append(Name(start, stop, " ".join(text[start:stop].split()), "concept", False))
            end = stop
    return found


def _is_plain(word: str) -> bool:
    return word[0].isalpha() and len(word) > 1 and len(word) < 30


def _bad_end(word: str) -> bool:
    return (
        word in _NO_EDGE
        or word.endswith("ly")
        or len(word) < 3
        or word in UNITS
        or word in NUMBER_WORDS
        or word in MONTHS_AND_DAYS
    )
