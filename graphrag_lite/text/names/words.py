"""Word lists for finding names: what never is a name by itself, and what joins or labels the words of one.

General vocabulary of a language, written for this project; forms are casefolded. A word that is missing costs little:
at the start of a sentence it is left to the corpus to confirm.
"""

from graphrag_lite.text.function_words import FUNCTION_WORDS


def _words(text: str) -> frozenset[str]:
    return frozenset(text.casefold().split())


# Words that a sentence, a quotation or a title may begin with, beyond the closed classes of `function_words`.
_OPENERS = {
    "en": """
        about above according across actually additionally after afterwards again against ago ah aha alas albeit all
        almost alone along alongside already alright also although always amid among amongst an and another
        any anybody
        anyhow anyone anything anyway anywhere apart apparently aren't around as aside ask at away aye bah
        basically be
        because before behind being below beneath beside besides best better between beyond both bravo
        briefly but by
        bye can can't cannot certainly clearly come consequently considering conversely could couldn't cool
        currently
        despite did didn't do does doesn't doing don't done down due during each earlier early eh either
        else elsewhere
        enough especially even eventually ever every everybody everyone everything everywhere exactly except excuse
        fewer finally fine first firstly following for former formerly fortunately frankly from further furthermore
        generally get getting given go god's going good goodbye gosh got granted great had hadn't half hallo
        hardly has
        hasn't have haven't having he hello hence her here here's hers herself hey hi him himself his
        historically ho
        hopefully how how's however huh hurrah i i'd i'll i'm i've if immediately in including increasingly indeed
        initially inside instead interestingly into is isn't it it's its itself just kind know last lastly
        late lately
        later least less lest let let's like likewise listen little long look looking lots made mainly make
        making many
        may maybe me meanwhile merely might mine more moreover most mostly much must my myself nay near
        nearby nearly
        neither never nevertheless next nice no nobody none nonetheless nope nor normally not nothing
        notwithstanding
        now nowadays nowhere o obviously occasionally of off often oh ok okay old on once one ones only onto oops or
        ordinarily originally other others otherwise ought our ours ourselves out outside over overall own
        particularly
        per perhaps personally plus please poor possibly pray presently presumably previously primarily
        prior probably
        provided quite rather really recently regarding regardless remember respectively right roughly same say
        saying second secondly see seeing seems seldom several shall she should shouldn't similarly simply since so
        some somebody somehow someone something sometimes somewhere soon sorry specifically still such suddenly sure
        surely take taken taking talk tell thank thanks that that's the thee their theirs them themselves
        then thence
        there there's thereafter therefore these they they're they've thing things think third thirdly this
        those thou
        though three through throughout thus thy till to today together tomorrow tonight too toward towards
        truly try
        turning two typically ultimately under unfortunately unless unlike until unto up upon us use used using
        usually various very via wait was wasn't way we we'd we'll we're we've welcome well were weren't what
        what's whatever when when's whence whenever where where's whereas wherever whether which while
        whilst who who's
        whoever whole whom whose why wide will with within without won't wonderful would wouldn't wow ye
        yeah yep yes
        yesterday yet you you'd you'll you're you've your yours yourself yourselves call called born based name
        four five six seven eight nine ten eleven twelve twenty thirty forty fifty hundred hundreds thousand
        thousands
        million millions billion billions dozens number part parts member members people person man men woman women
        child children year years day days week weeks month months hour hours minute minutes time times morning
        evening afternoon night question questions answer note notes source sources chapter section figure table
        read click share photo image video copyright author title subject date page
        absolutely awesome correct definitely excellent fantastic gotcha interesting mm-hmm mmm nah
        obviously perfect
        precisely totally uh uh-huh um hmm hm er whoa yup ha haha ooh aw dear sir madam ma'am indeed
    """,
    "fr": """
        ainsi alors après arrivé aujourd'hui auparavant aucun aucune aussitôt autant autour autre autres avant avoir
        beaucoup bien bientôt bon bonjour bonsoir bref car cependant certains certaines certes cette chaque chez
        d'abord d'accord d'ailleurs d'après depuis derrière dès désormais dessous deux devant donc durant également
        encore enfin ensuite environ envers est-ce eux excepté face faute fin grâce hélas hier hors ici il jamais
        jusque jusqu'à là là-bas lors lorsque lui madame mademoiselle maintenant mais malgré mardi même mêmes merci
        messieurs mieux moi moins monsieur moyennant naturellement néanmoins non nul oh on or oui outre
        parce parfois
        parmi partout pendant personne peu peut-être plusieurs plutôt pourtant première premier près presque puis
        puisque quant quelques quelqu'un quelque quoique rien sauf selon seul seule seulement si sinon soit soudain
        souvent suivant surtout tandis tant tantôt tard tel telle telles tels tous tout toute toutefois toutes
        trois trop très vers voici voilà vraiment dix cinq quatre six sept huit neuf cent mille certain certaine
        celui celle ceux celles celui-ci celle-ci lequel laquelle lesquels actuellement finalement parallèlement
        ailleurs apparemment autrefois avez-vous afin alors-que âgé âgée née né situé située
        """,
    "es": """
        además ahora algo alguien algún alguna algunas algunos allí ambos ante antes apenas aquí así aun aún aunque
        bajo bien cada casi cierto claro conforme contra cuanto debido dentro después desde dos durante él
        ella ellos
        ello encima entonces excepto finalmente fuera gracias hace hacia hasta hay hola hoy incluso jamás junto
        luego mañana mediante mejor menos mientras mismo mucho muchos muchas nada nadie ningún ninguna no nunca otra
        otras otro otros pese poco pocos primero primera pronto pues quizá quizás salvo según segundo señor señora
        siempre sino sobre solo sólo tal también tampoco tan tanto tantos toda todas todavía todo todos tras tres tú
        último única único usted varias varios vez
        """,
    "de": """
        aber allein alle allem allen aller allerdings alles also andere anderen anders anfangs außer außerdem beide
        bereits besonders bislang bisher bitte da dabei dadurch dafür dagegen daher dahin damals damit
        danach daneben
        dann daran darauf daraus darin darüber darum davon davor dazu dennoch deren deshalb dessen desto deswegen
        doch dort drei durch ebenfalls ebenso eben einige einigen einmal endlich entweder erst erste etwa
        etwas falls
        fast ferner früher ganz gar gegenüber gemäß genau gerade gestern gibt gleich gleichzeitig heute hier hinter
        immer indem infolge inzwischen ja jede jeder jedes jedem jeden jedoch jemand jetzt kaum kein keine keinen
        laut letzte letztlich man manche mehr mehrere meist morgen nachdem nachher natürlich neben nein nicht nichts
        nie niemand nun ob obwohl oft ohne plötzlich schließlich schon sehr sei seitdem selbst seitens sobald sogar
        solange solche sollte somit sonst sowie sowohl später statt stets trotz trotzdem überall übrigens ungefähr
        viel viele vielleicht vier völlig vorher während wann warum weder weil weiter weitere welche wenig wenige
        wieder wirklich wohl zudem zuerst zuletzt zumindest zunächst zurück zusammen zwar zwei zwischen
        """,
    "it": """
        adesso allora alcune alcuni altra altre altri altro anche ancora anzi appena attualmente bene certo ciascuno
        ciò cioè così davvero dietro dopo dove due dunque durante ecco entrambi fino finalmente forse già grazie
        infatti infine inoltre insieme intanto invece loro mai meglio meno mentre molti molto nessuno niente oggi
        ogni oltre oppure ora ormai ovvero però perfino pertanto piuttosto poco poi poiché prima proprio pure quanto
        quasi qui quindi sarà secondo sempre senza sì sia solo soltanto sopra soprattutto sotto spesso stesso subito
        tale tanto terzo tra tre troppo tutta tutte tutti tutto ultimo verso
        """,
    "pt": """
        acima agora ainda além algum alguma algumas alguns alguém ali ambos antes apenas após aqui assim atualmente
        bem cada certo com como contra contudo depois desde dois duas durante embora enquanto então entretanto
        finalmente fora hoje inclusive junto logo mesmo menos muitos nada nenhum ninguém nunca ontem ora
        outra outras
        outro outros pois porém portanto pouco primeiro quase qualquer segundo sempre sim sob sobretudo somente tal
        talvez tanto tanto toda todas todavia todo todos três tudo última último vários
        """,
    "nl": """
        al alle alleen allemaal alles altijd andere anders beide behalve bijna binnen bovendien buiten daarna daarom
        daarnaast dan deze door drie dus echter een eens eerst elk elke enkele even geen gewoon hierdoor
        iedereen iets
        immers inmiddels is ja kortom later maar meer meestal mensen misschien na natuurlijk nee net niemand
        niet niets
        nu of ook ooit pas sinds soms steeds tegenwoordig terwijl toch toen twee uiteindelijk vaak van vandaag veel
        verder volgens vooral voordat want weer wel zelfs zij zo zoals zodra
        """,
    "ru": """
        а без более больше будто бы был вам ваш вдруг ведь весь вместо вообще вот впрочем все всё всегда всего всех
        вы вчера где говорят даже два две действительно для до другие другой его едва если есть ещё еще же здесь и
        из или именно иногда итак каждый как какой когда конечно кроме кто куда лишь между многие может можно мы на
        над надо наконец наш не несмотря нет неужели ни нигде никогда никто ничего но ну о об однако однажды
        около он
        она они опять от отсюда очень первый перед по под пока после потом потому почему почти при про просто раз
        разве сам сегодня сейчас сколько слишком сначала снова со собственно совсем стало так также такие такой там
        тем теперь то тогда тоже только тот три ты у уже хорошо хотя чего человек чем через что чтобы эта
        эти это этот я
        """,
    "el": """
        ο η το οι τα του της των τον την τους τις ένας μια μία ένα και κι ή αλλά όμως ωστόσο όταν αν εάν γιατί διότι
        επειδή πως πώς που πού ποιος ποια τι στο στη στην στον στους στις στα σε από για με χωρίς προς κατά
        μετά πριν
        μέχρι ως είναι ήταν θα να δεν μην αυτός αυτή αυτό αυτοί εγώ εσύ εμείς εσείς όλοι όλα κάθε κάποιος άλλος πολύ
        έτσι τώρα τότε εδώ εκεί σήμερα χθες αύριο επίσης ακόμη ακόμα μόνο ναι όχι σύμφωνα
        """,
}  # fmt: skip

_DATES = _words("""
    january february march april may june july august september october november december jan feb mar apr jun
    jul aug
    sep sept oct nov dec monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur
    thurs fri
    sat sun
    janvier février mars avril mai juin juillet août septembre octobre novembre décembre lundi mardi mercredi jeudi
    vendredi samedi dimanche
    januar februar märz april juni juli oktober dezember montag dienstag mittwoch donnerstag freitag samstag sonntag
    enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre lunes martes miércoles
    jueves viernes sábado domingo
    gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre lunedì martedì mercoledì giovedì venerdì
    sabato domenica janeiro fevereiro março maio junho julho setembro outubro novembro dezembro
""")
MONTHS_AND_DAYS = _DATES
"""Names of months and weekdays: no entities by themselves. `may`, `march`, `mars` and `august` are names in a run."""

# Upper-case abbreviations and labels that name nothing.
NO_NAMES = _words("""
    ok tv am pm a.m. p.m. id faq q&a vs etc eg ie e.g. i.e. ceo cfo cto coo phd ph.d. mba bc ad bce ce ad. b.c. a.d.
    jr sr mr mrs ms dr st no vol ed eds pp pdf url www http https html isbn ii iii iv vi vii viii ix xi xii p.s. ps
    n.b. nb r.i.p. rip asap fyi diy usd eur gbp gmt est pst edt pdt utc lol omg tbd tba n/a covid
    operator moderator interviewer y'all ain't d.c.l. m.d. b.a. m.a. q1 q2 q3 q4 h1 h2
""")

# Words that number a part of a text: they and what follows are headings.
STRUCTURE = _words("""
    chapter chapters part section sections figure figures fig table tables volume vol appendix page pages
    scene
    episode verse canto note notes exhibit item step question answer paragraph footnote book act slide line
    chapitre partie tome livre page figure tableau annexe kapitel abschnitt teil abbildung tabelle capítulo
    sección tabla parte capitolo sezione глава часть раздел
""")
NUMBER_WORDS = _words("""
    one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen
    nineteen twenty first second third fourth fifth sixth seventh eighth ninth tenth last premier première
    deuxième troisième un deux trois erste zweite dritte primero segundo
    i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi xvii xviii xix xx xxi xxii xxiii xxiv xxv xxx xl l
""")

ROMANCE = frozenset(("fr", "es", "it", "pt", "ca", "ro"))
"""Languages that capitalise only the noun of an institution."""

# Lower-case words that may stand inside a name, between two capitalised words.
OF_WORDS = _words("of de du des del della dello dei degli di do da dos das van von vom zu zur am a.d. af av")
FOR_WORDS = _words("for on pour para für per")
AND_WORDS = _words("and et und y e en og och и та i")
ARTICLES = _words("the a an le la les l' der die das den dem el los las lo il gli i o os as de het")
# Particles of surnames: they always join, and in English they may begin a name.
PARTICLES = _words(
    "van von der den ten ter de la le du di da del della dos das do bin ibn bint al el ul ud abu ben af av zu "
    "ap ye e y het 't lo los las"
)
LEADING_PARTICLES = _words("van von de di da del della bin ibn al el ul du la le ter ten den")
EPITHETS = _words("""
    great terrible conqueror wise bold pious fair bald young younger elder old first second third fourth fifth sixth
    impaler lionheart confessor pooh magnificent good bad cruel mad lame fat tall short brave baptist evangelist
    apostle divine just holy unready red black white blessed venerable victorious catholic simple
    grand jeune vieux sage bref gros pieux téméraire magnifique große fromme kahle
""")

# Titles kept in a name because they tell two people apart or are the only name there is.
HONORIFICS = _words("""
    mr mrs ms miss mx sir lord lady dame madam madame mme mlle mademoiselle monsieur messrs mister master
    mistress m mm
    dr herr frau fräulein don doña dona señor señora señorita sr sra srta signor signora signorina senhor
    senhora saint
    st ste santa san uncle aunt auntie cousin father mother brother sister grandpa grandma king queen prince
    princess
    duke duchess earl count countess baron baroness marquis marquess viscount emperor empress tsar czar kaiser
    sultan
    shah sheikh sheik pope rabbi imam rev reverend abbé père captain capt colonel col major maj general gen
    lieutenant
    lt sergeant sgt corporal admiral adm commander cmdr commodore private pvt detective inspector constable agent
    officer judge justice nurse professor prof squire dom fra frère soeur onkel tante tío tía
    roi reine prinz graf könig königin kaiserin rey reina г-н г-жа
""")
CROWN_TITLES = _words("king queen emperor empress tsar czar kaiser pope roi reine kaiserin rey reina")
FEMALE_HONORIFICS = _words("""
    mrs ms miss lady dame madam madame mme mlle mademoiselle mistress frau fräulein doña dona señora señorita
    sra srta
    signora signorina senhora aunt auntie mother sister grandma queen princess duchess countess baroness empress
    tante tía reine königin reina г-жа
""")
NEUTRAL_HONORIFICS = _words("""
    dr professor prof judge justice agent officer detective inspector captain capt colonel col major maj general gen
    lieutenant lt sergeant sgt nurse rev reverend saint st cousin commander cmdr private corporal rabbi constable m
""")

# Roles before a name: they label it and are not part of it.
ROLES = _words("""
    president vice-president vice chairman chairwoman chairperson chair ceo cfo cto coo cio cmo evp svp vp pm mp
    mep msp am
    chief executive officer financial technology operating director general managing prime minister premier
    first deputy foreign secretary home treasurer senator sen congressman congresswoman representative rep
    governor gov mayor
    chancellor ambassador attorney commissioner spokesman spokeswoman spokesperson editor producer founder
    co-founder
    host professor prof dr coach manager head leader speaker justice judge dean provost
    mr. ms. host lead principal engineer analyst
    président présidente premier première ministre directeur directrice général générale secrétaire député députée
    sénateur maire chef procureur porte-parole pdg
    präsident präsidentin bundeskanzler bundeskanzlerin kanzler kanzlerin minister ministerin bundesminister
    außenminister innenminister sprecher sprecherin
    presidente presidenta ministro ministra alcalde alcaldesa gobernador gobernadora secretario director directora
    президент министр
""")
# Of these a run may consist entirely and name no one; some of them only modify another role.
_WEAK_ROLES = _words(
    "vice first deputy foreign home general chief executive financial technology operating managing prime head lead "
    "principal am chair speaker host leader editor manager coach dean justice judge premier première"
)
STRONG_ROLES = ROLES - _WEAK_ROLES

# A full stop after these does not end a sentence.
ABBREVIATIONS = _words("""
    mr mrs ms dr st ste prof jr sr vs inc ltd co corp bros no gen sen rep capt lt col rev hon mt ft maj sgt adm
    cmdr gov
    messrs mme mlle m mm fr dept univ vol pp al bd ave blvd rd sra srta ing lic dra nr str bzw ca dipl hr
""")
CORPORATE = _words("""
    inc incorporated ltd limited llc llp plc corp corporation co company gmbh ag kg sa s.a sas sarl spa s.p.a bv
    nv oy
    ab asa pty pte srl sl se kk
""")

# Units after a number, so that "At Microsoft 10 years" isn't a name.
UNITS = _words("""
    years year months month weeks week days day hours hour minutes minute seconds percent per million billion
    thousand
    trillion hundred times people points point dollars euros pounds miles km kilometers kilometres metres meters
    feet
    inches acres employees members men women children other or and to of more % ans mois jours heures millions
    milliards personnes pour jahre
""")


def _function_words(language: str) -> frozenset[str]:
    words = FUNCTION_WORDS.get(language, frozenset()) | _words(_OPENERS.get(language, ""))
    return words if language == "en" else words | FUNCTION_WORDS["en"] - _words("die man")


_FUNCTION_WORDS = {language: _function_words(language) for language in sorted({*_OPENERS, *FUNCTION_WORDS})}
_UNKNOWN = _function_words("en")


_CLOSED = {language: words | FUNCTION_WORDS["en"] for language, words in FUNCTION_WORDS.items()}


def closed_class(language: str) -> frozenset[str]:
    """Return the articles, pronouns, prepositions and the like of `language` and of English, casefolded."""
    return _CLOSED.get(language, FUNCTION_WORDS["en"])


def function_words(language: str) -> frozenset[str]:
    """Return the words of `language` (ISO 639-1, "" for unknown) that don't begin or end a name, casefolded.

    English words are in every list, since English phrases are found in texts of all languages.
    """
    return _FUNCTION_WORDS.get(language, _UNKNOWN)
