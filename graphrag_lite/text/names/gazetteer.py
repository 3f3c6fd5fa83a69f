"""Small gazetteers for typing names: common given names, countries, regions, large cities and their adjectives.

General knowledge written for this project, not taken from a data set; forms are casefolded. They are weak evidence:
what a text says beside a name outweighs them.
"""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.casefold().split())


def _names(text: str) -> frozenset[str]:
    return frozenset(" ".join(name.split()) for name in text.casefold().split(","))


MALE_NAMES = _words("""
    aaron abdul abdullah abel abraham adam adolf adrian ahmed alan alain albert alberto aldo alec alejandro
    alessandro
    alex alexander alexandre alexei alexis alfonso alfred alfredo ali allan allen alvin amos anatoly anders
    andré andrea
    andreas andrei andrew andy angelo anthony antoine anton antonio archibald arnold arthur arturo ashton august
    augustus
    barack barry bart basil ben benedict benjamin bernard bert bertrand bill billy bob bobby boris brad bradley
    brandon
    brendan brent brett brian bruce bruno bryan byron calvin cameron carl carlo carlos cecil cedric charles
    charlie chester
    chris christian christophe christopher claude clark claudio clayton clement clifford clint clive clyde colin
    connor
    conrad corey craig curt curtis cyril cyrus damien damon dan daniel danny dario darren darryl dave david dean
    dennis
    denis derek dermot desmond dexter diego dieter dirk dmitri dmitry dominic dominique don donald doug douglas
    duncan dustin
    dwayne dwight earl ebenezer eddie edgar eduardo edmond edmund eduard edward edwin egon eli elias elijah
    elliott ellis elmer
    elon emanuel emil emile emilio emmanuel enrico enrique eric erik ernest ernesto ernst erwin ethan eugene
    eustace evan
    ezra fabio felipe felix ferdinand fernando fidel floyd françois francesco francis francisco franco frank
    franklin franz
    fred freddie frederic frédéric frederick friedrich fritz fyodor gabriel garrett garry gary gavin geoff
    geoffrey georg george
    georges gérard gerald gerard gerhard gilbert giovanni giuseppe glenn gordon graham greg gregory guillaume
    günter guido gus
    gustav gustave guy hamid hans harold harris harry harvey hassan hector heinrich helmut hendrik henri henrik
    henry
    herbert herman hermann homer horace howard hubert hugh hugo humphrey hussein ian ibrahim ignatius igor ira
    irving isaac
    isaiah ismail ivan jack jackson jacob jacques jaime jake jakob james jamie jan jared jason javier jay jean
    jeff jeffrey
    jeffery jeremiah jeremy jerome jerry jesse jesús jim jimmy joachim joão joaquín joe joel joey johan johann
    johannes john
    johnny jon jonah jonas jonathan jordi jorge josé josef joseph josh joshua juan jules julian julien julio
    julius jürgen justin
    karl keith ken kenneth kenny kent kevin klaus konrad kurt kyle lance larry lars laurence laurent lawrence
    lee leo leon
    leonard leonardo leopold leroy leslie lester lewis liam lionel lloyd logan lorenzo louis luc luca lucas
    luciano ludwig
    luigi luis luke luther magnus mahmoud malcolm manuel marc marcel marcello marcelo marco marcus mariano mario
    mark marshall martin
    martín marty marvin matt matteo matthew matthias maurice mauricio max maxim maxime maximilian mehmet michael
    michel michelangelo miguel
    mick mikael mike mikhail miles milton mitchell mohamed mohammad mohammed morgan morris moses muhammad murray
    napoleon nathan nathaniel
    ned neil nelson nicholas nicolas nick nicolai niels nigel nikita nikolai noah noel norman oleg oliver
    olivier omar orlando
    oscar oskar osman otto owen pablo pascal patrick paul paulo pavel pedro per percy perry peter petr phil
    philip philippe
    phillip pierre pieter piotr quentin rafael ralph ramon randall randolph randy raphael raúl ray raymond
    reginald rené reuben rex
    ricardo richard rick ricky rob robert roberto robin rod roderick rodney rodrigo roger roland rolf roman ron
    ronald ronnie
    rory roy ruben rudolf rudolph rudy rupert russell ryan salman salvador salvatore sam sami samuel satya scott
    sean sebastian serge
    sergei sergey sergio seth shane shaun shawn sid sidney sigmund silvio simon solomon spencer stan stanley
    stefan stefano
    stephan stéphane stephen steve steven stewart stuart sven sydney tariq ted terence terrence terry theo
    theodor theodore thierry
    thomas tim timothy tobias toby todd tom tommy tony travis trevor tristan troy tyler ulrich umberto valentin
    vernon
    victor vijay vincent vincenzo virgil vivek vladimir walter warren wayne werner wilfred wilhelm will willem
    william willie wilson winston
    wolfgang xavier yann yasser yves yuri yusuf zachary zack иван пётр александр дмитрий сергей владимир алексей
    михаил николай андрей
""")
FEMALE_NAMES = _words("""
    abigail ada adelaide adele adriana agatha agnes aisha alexandra alice alicia alison allison amanda amber
    amelia amy ana
    anastasia andrée angela angelina angie anita ann anna annabel anne annette annie antonia april arlene ashley
    astrid audrey
    aurora barbara beatrice beatriz belinda bella bernadette bertha beth betsy betty beverly bianca birgit
    bonnie brenda
    bridget brigitte britney camila camilla camille candace carla carmen carol carole carolina caroline carolyn
    carrie
    catherine cathy cecilia celeste celia céline charlene charlotte chelsea cheryl chloe christina christine
    cindy claire
    clara clarissa claudia colette colleen connie constance cora cornelia courtney cynthia daisy dana daniela
    danielle daphne
    dawn deborah debbie debra deirdre denise diana diane dolores donna dora doris dorothea dorothy edith edna
    eileen elaine
    eleanor elena elisa elisabeth eliza elizabeth ella ellen eloise elsa elsie emilia emily emma erica erika erin
    esmeralda estelle esther ethel eva eve evelyn faith fanny fatima felicia fiona flora florence frances
    francesca françoise
    frida gabriela gabrielle gail genevieve georgia georgina geraldine gertrude gina gisela giulia gladys gloria
    grace greta
    gretchen guadalupe gwen gwendolyn hannah harriet hazel heather heidi helen helena hélène helga henrietta
    hermione hilary
    hillary hilda holly ida ilse imogen inés ingrid irene irina iris irma isabel isabella isabelle ivanka ivy
    jacqueline jade
    jan jane janet janice jasmine jean jeanne jenna jennifer jenny jessica jessie jill joan joanna joanne
    jocelyn jodie josephine joy
    joyce juana juanita judith judy julia juliana julie juliet june kamala karen karin karina kate katerina
    katharine katherine kathleen
    kathryn kathy katie katrina kay kayla kelly kim kimberly kirsten kristen kristin kristina laila lara laura
    lauren laurie lea
    leah leila lena leonora leslie leticia lillian lily linda lisa liz liza lois lola lorraine louisa louise
    lucia lucille
    lucinda lucy luisa lydia mabel madeleine madeline madge magdalena maggie maisie mandy marcia margaret
    margarita margot marguerite maria
    maría mariana marianne marie marilyn marina marion marissa marjorie marlene martha martina mary mathilde
    matilda maud
    maureen may maya megan melania melanie melinda melissa mercedes meredith mia michelle mildred millie minnie
    miranda miriam moira
    molly mona monica monique muriel nadia nan nancy naomi natalia natalie natasha nell nellie nicola nicole
    nina nora norma
    octavia odette olga olivia ophelia pamela pat patricia patsy paula pauline pearl peggy penelope penny petra
    phoebe phyllis
    pilar polly priscilla rachel ramona rebecca regina renata renée rhoda rita roberta rosa rosalie rosalind
    rose rosemary
    taylor jordan morgan casey riley avery mackenzie madison
    roxanne ruby ruth sabine sabrina sally samantha sandra sandy sara sarah sasha selena selma serena shannon
    sharon sheila
    shelley shirley sigrid silvia simone sofia sonia sophia sophie stacey stella stephanie sue susan susanna
    susannah susie
    suzanne sybil sylvia sylvie tabitha tamara tanya tara tatiana teresa tess tessa thelma theresa therese
    tiffany tina toni
    tracy trudy ursula valentina valerie vanessa vera veronica veronika victoria viola violet virginia vivian
    vivien wendy
    whitney wilhelmina wilma winifred yolanda yvette yvonne zoe zoya анна мария елена ольга наталья татьяна
    екатерина
""")
GIVEN_NAMES = MALE_NAMES | FEMALE_NAMES

PLACES = _names("""
    afghanistan, albania, algeria, andorra, angola, argentina, armenia, australia, austria, azerbaijan, bahamas,
    bahrain,
    bangladesh, barbados, belarus, belgium, belize, benin, bhutan, bolivia, bosnia, bosnia and herzegovina,
    botswana,
    brazil, brunei, bulgaria, burkina faso, burma, burundi, cambodia, cameroon, canada, cape verde, chile, china,
    colombia, comoros, congo, costa rica, croatia, cuba, cyprus, czech republic, czechoslovakia, denmark, djibouti,
    dominica, dominican republic, east germany, west germany, ecuador, egypt, el salvador, england, eritrea,
    estonia,
    ethiopia, fiji, finland, france, gabon, gambia, georgia, germany, ghana, great britain, greece, greenland,
    grenada,
    guatemala, guinea, guyana, haiti, holland, honduras, hong kong, hungary, iceland, india, indonesia, iran,
    iraq, ireland,
    israel, italy, ivory coast, jamaica, japan, jordan, kazakhstan, kenya, korea, north korea, south korea,
    kosovo, kuwait,
    kyrgyzstan, laos, latvia, lebanon, lesotho, liberia, libya, liechtenstein, lithuania, luxembourg, macau,
    macedonia,
    madagascar, malawi, malaysia, maldives, mali, malta, mauritania, mauritius, mexico, moldova, monaco, mongolia,
    montenegro, morocco, mozambique, myanmar, namibia, nepal, netherlands, new zealand, nicaragua, niger, nigeria,
    northern ireland, norway, oman, ottoman empire, pakistan, palestine, panama, papua new guinea, paraguay,
    persia, peru,
    philippines, poland, portugal, prussia, puerto rico, qatar, romania, russia, rwanda, samoa, saudi arabia,
    scotland,
    senegal, serbia, sierra leone, singapore, slovakia, slovenia, somalia, south africa, soviet union, spain,
    sri lanka,
    sudan, suriname, swaziland, sweden, switzerland, syria, taiwan, tajikistan, tanzania, thailand, tibet, togo,
    tonga,
    trinidad and tobago, tunisia, turkey, turkmenistan, uganda, ukraine, united arab emirates, united kingdom,
    united states,
    united states of america, uruguay, usa, u.s.a., u.s., us, uk, u.k., uae, ussr, uzbekistan, vanuatu, vatican,
    venezuela, vietnam,
    wales, yemen, yugoslavia, zambia, zimbabwe,
    africa, antarctica, arctic, asia, europe, america, north america, south america, latin america, central
    america, oceania,
    middle east, far east, scandinavia, balkans, caucasus, siberia, britain, eurasia, sahara, caribbean,
    mediterranean,
    alabama, alaska, arizona, arkansas, california, colorado, connecticut, delaware, florida, hawaii, idaho,
    illinois,
    indiana, iowa, kansas, kentucky, louisiana, maine, maryland, massachusetts, michigan, minnesota,
    mississippi, missouri,
    montana, nebraska, nevada, new hampshire, new jersey, new mexico, new york, new york city, north carolina,
    south carolina,
    north dakota, south dakota, ohio, oklahoma, oregon, pennsylvania, rhode island, tennessee, texas, utah, vermont,
    virginia, west virginia, washington dc, washington d.c., d.c., wisconsin, wyoming, ontario, quebec, british
    columbia,
    alberta, manitoba, saskatchewan, nova scotia, new brunswick, newfoundland, new south wales, queensland,
    tasmania,
    bavaria, saxony, normandy, brittany, provence, catalonia, andalusia, tuscany, sicily, sardinia, lombardy,
    crimea,
    bengal, punjab, kashmir, gujarat, kerala, hunan, guangdong, sichuan, transylvania, bohemia, moravia, galicia,
    amsterdam, ankara, antwerp, athens, atlanta, auckland, baghdad, baltimore, bangalore, bangkok, barcelona, basel,
    beijing, beirut, belfast, belgrade, berlin, bern, birmingham, bogotá, bologna, bombay, bonn, boston,
    bratislava, brisbane,
    bristol, brooklyn, brussels, bucharest, budapest, buenos aires, buffalo, cairo, calcutta, calgary, cape
    town, caracas,
    cardiff, chicago, cincinnati, cleveland, cologne, copenhagen, dallas, damascus, delhi, new delhi, denver,
    detroit, dhaka, dresden,
    dubai, dublin, düsseldorf, edinburgh, florence, frankfurt, geneva, genoa, glasgow, gothenburg, hamburg,
    hanoi, havana,
    helsinki, hollywood, honolulu, houston, indianapolis, istanbul, jakarta, jerusalem, johannesburg, kabul,
    karachi, kiev,
    kyiv, kolkata, kyoto, lagos, lahore, las vegas, leeds, leipzig, lima, lisbon, liverpool, london, los
    angeles, lyon, madrid,
    manchester, manhattan, manila, marseille, melbourne, mexico city, miami, milan, minneapolis, minsk, montevideo,
    montreal, moscow, mumbai, munich, nairobi, naples, new orleans, nottingham, oakland, osaka, oslo, ottawa,
    oxford, palermo, paris,
    perth, philadelphia, phoenix, pittsburgh, prague, pretoria, rio de janeiro, riga, rome, rotterdam, saint
    petersburg,
    st. petersburg, salt lake city, san diego, san francisco, san jose, santiago, são paulo, sarajevo, seattle,
    seoul,
    shanghai, sheffield, shenzhen, silicon valley, sofia, stockholm, strasbourg, stuttgart, sydney, taipei,
    tallinn, tehran,
    tel aviv, tokyo, toronto, toulouse, tripoli, tunis, turin, vancouver, venice, verona, vienna, vilnius,
    warsaw, wellington, zagreb,
    zurich, manhattan, queens, wall street, bronx, midwest, new england, thames, danube, rhine, seine, nile,
    amazon river,
    allemagne, angleterre, espagne, italie, suisse, belgique, royaume-uni, états-unis, russie, chine, japon,
    inde, brésil,
    pays-bas, pologne, suède, norvège, danemark, finlande, grèce, turquie, égypte, maroc, algérie, tunisie,
    syrie, irak, liban,
    israël, afghanistan, corée du nord, corée du sud, afrique, asie, amérique, afrique du sud, écosse, irlande,
    irlande du nord,
    pays de galles, londres, bruxelles, genève, moscou, pékin, rome, californie, floride, québec, mexique, colombie,
    indonésie, thaïlande, viêt nam, vietnam, arabie saoudite, autriche, hongrie, roumanie, ukraine,
    nouvelle-zélande, australie,
    deutschland, frankreich, spanien, italien, schweiz, österreich, russland, großbritannien, england, europa,
    usa, polen,
    wien, münchen, köln, zürich, genf, brüssel, london, españa, francia, alemania, italia, inglaterra, reino unido,
    estados unidos, méxico, brasil, perú, sevilla, valencia, россия, москва, украина, европа, сша, германия, франция
""") - {""}

SAME_PLACES = {
    "us": "united states", "usa": "united states", "united states of america": "united states", "uk": "united kingdom",
    "ussr": "soviet union", "uae": "united arab emirates", "eu": "european union", "nyc": "new york city",
    "états unis d amérique": "états unis", "états unis damérique": "états unis",
}  # fmt: skip
"""Short forms of places that texts use without defining them, as keys of `graph.name_keys.exact_key`."""

DEMONYMS = _words("""
    afghan african albanian algerian american angolan arab arabic argentine argentinian armenian asian australian
    austrian azerbaijani bangladeshi bavarian belarusian belgian bolivian bosnian brazilian british bulgarian
    burmese
    cambodian cameroonian canadian catalan chilean chinese colombian congolese croatian cuban cypriot czech
    danish dutch
    ecuadorian egyptian emirati english estonian ethiopian european filipino finnish flemish french georgian
    german ghanaian
    greek guatemalan haitian hindi hungarian icelandic indian indonesian iranian iraqi irish israeli italian ivorian
    jamaican japanese javanese jewish jordanian kazakh kenyan korean kosovar kurdish kuwaiti lao latvian
    lebanese libyan
    lithuanian macedonian malay malaysian maltese mexican moldovan mongolian moroccan nepalese nepali nigerian
    norwegian
    ottoman pakistani palestinian panamanian paraguayan persian peruvian philippine polish portuguese prussian
    qatari roman
    romanian russian rwandan saudi scandinavian scottish senegalese serbian singaporean slovak slovene slovenian
    somali
    soviet spanish sudanese swedish swiss syrian taiwanese tamil tanzanian thai tibetan tunisian turkish ugandan
    ukrainian
    uruguayan uzbek venezuelan vietnamese welsh yemeni yugoslav zambian zimbabwean scots northern southern
    eastern western
    north south east west latin central anglo-saxon afro-american african-american
    americans germans russians italians britons europeans indians australians canadians africans asians israelis
    iranians
    arabs koreans mexicans palestinians romans greeks turks poles danes swedes finns scots jews muslims
    christians hindus
    englishman englishmen frenchman frenchmen irishman irishmen dutchman spaniard spaniards
    jewish christian muslim islamic catholic protestant buddhist hindu orthodox anglican
""")
