"""Function words by language: what BM25 leaves out of questions and text units.

Closed classes only (articles, pronouns, prepositions, conjunctions, auxiliaries), written for this project. Words
that can carry a question's meaning ("first", "same", "not", "last", names of numbers) are not in the lists: their low
inverse document frequency already weighs them. Forms are casefolded; single letters are what is left of contractions
and elisions ("film's", "l'homme") once the apostrophe has split them.
"""

_LISTS = {
    "en": """
        a an the and or but nor if than then that this these those there here to of in on at by for with into onto
        about as is are was were be been being am do does did doing done has have had having will would shall should
        can could may might must it its he him his she her hers they them their theirs we us our ours you your yours
        i me my mine who whom whose which what when where why how from s t d ll ve re m so such too also
        """,
    "fr": """
        le la les l un une des du de d et ou où mais ni or donc car si que qu quoi qui dont quel quelle quels
        quelles ce c cet cette ces ça cela ceci il ils elle elles on nous vous je j tu me m te t se s lui leur leurs
        y en mon ma mes ton ta tes son sa ses notre nos votre vos à a au aux dans par pour sur sous avec sans chez
        vers entre comme est es suis sont été être était étaient sera seront fut furent ai as avons avez ont avait
        avaient aura ayant eu ne n pas plus très aussi lorsque quand comment pourquoi combien
        """,
    "de": """
        der die das den dem des ein eine einer eines einem einen und oder aber denn sondern wenn als ob dass daß
        weil zu zum zur in im an am auf aus bei beim mit nach von vom vor für über unter um durch ohne gegen bis
        seit während ich mich mir du dich dir er ihn ihm sie ihr es wir uns euch ihnen mein dein sein seine seiner
        seinem seinen seines ihre ihrer ihrem ihren unser euer ist sind war waren bin bist wird werden wurde wurden
        worden geworden hat haben hatte hatten habe kann können konnte soll muss wer wen wem wessen was welche
        welcher welches welchem welchen wann wo wohin woher wie warum dieser diese dieses diesem diesen jener jene
        auch nur noch so sich man da dort hier
        """,
    "es": """
        el la los las lo un una unos unas y e o u pero ni si que qué quien quién quienes cual cuál cuales cuáles
        cuyo cuya cuando cuándo donde dónde como cómo por porque para de del a al en con sin sobre entre desde hasta
        hacia yo tú él ella ellos ellas nosotros vosotros usted ustedes me te se le les nos os mi mis tu tus su sus
        este esta estos estas ese esa esos esas aquel aquella esto eso es son era eran fue fueron ser sido siendo
        soy está están estaba estaban ha han había habían haber hay he muy más también ya
        """,
    "it": """
        il lo la i gli le l un uno una e ed o ma né se che chi cui quale quali quando dove come perché di del dello
        della dei degli delle d a al allo alla ai agli alle da dal dallo dalla dai dagli dalle in nel nello nella
        nei negli nelle con su sul sullo sulla sui sugli sulle per tra fra io tu lui lei noi voi loro mi ti si ci vi
        ne mio mia tuo tua suo sua suoi sue nostro vostro questo questa questi queste quello quella quelli quelle è
        sono era erano fu furono essere stato stata stati ha hanno aveva avevano avere ho non più anche già
        """,
    "pt": """
        o a os as um uma uns umas e ou mas nem se que quem qual quais cujo cuja quando onde como porque por para de
        do da dos das em no na nos nas ao aos à às com sem sobre entre desde até eu tu ele ela eles elas nós vós
        você vocês me te lhe lhes meu minha teu tua seu sua seus suas nosso nossa este esta estes estas esse essa
        isso isto aquele aquela é são era eram foi foram ser sido está estão estava tem têm tinha tinham há ter pelo
        pela pelos pelas muito mais também já
        """,
    "nl": """
        de het een en of maar want dus als dan dat die dit deze er hier daar in op aan bij met van voor door over
        onder naar uit om tot te ten ter tegen tussen zonder ik jij je u hij hem zij ze haar wij we ons jullie hun
        mijn jouw zijn is was waren ben bent wordt worden werd werden geworden heeft hebben had hadden heb kan
        kunnen kon zal zullen zou wie wat welke welk wanneer waar hoe waarom ook nog zich men
        """,
    "sv": """
        en ett den det de dem och eller men om att som i på av för med till från vid under över mellan efter mot
        utan genom jag du han honom hon henne vi oss ni er sig sin sitt sina min mitt mina din ditt hans hennes
        deras vår är var varit vara blir blev bli har hade ha kan kunde ska skulle vad vem vilken vilket vilka när
        var hur varför där här också så denna detta dessa
        """,
    "da": """
        en et den det de dem og eller men om at som i på af for med til fra ved under over mellem efter mod uden
        gennem jeg du han ham hun hende vi os jer sig sin sit sine min mit mine din dit hans hendes deres vores er
        var været være bliver blev blevet har havde have kan kunne skal skulle hvad hvem hvilken hvilket hvilke når
        hvor hvordan hvorfor der her også så denne dette disse
        """,
    "no": """
        en ei et den det de dem og eller men om at å som i på av for med til fra ved under over mellom etter mot
        uten gjennom jeg du han ham hun henne vi oss dere seg sin sitt sine min mitt mine din ditt hans hennes deres
        vår er var vært være blir ble blitt har hadde ha kan kunne skal skulle hva hvem hvilken hvilket hvilke når
        hvor hvordan hvorfor der her også så denne dette disse
        """,
    "fi": """
        ja tai mutta sekä että jos kun kuin joka jotka jonka joita jossa johon mikä mitä missä mihin milloin kuka
        kenen ketä miten miksi minä sinä hän me te he se ne tämä tuo nämä nuo sen niiden tämän hänen heidän minun
        sinun on ovat oli olivat ole ollut olla olen ei eivät myös niin siis
        """,
    "ru": """
        и в во на с со к ко по из изо у о об от до для за под над при про без через между что чтобы как так но а или
        ли же бы не ни да если когда где куда откуда почему кто кого кому кем чем чего чему который которая которое
        которые которого которой которых какой какая какое какие я меня мне мной ты тебя тебе он его ему им она её
        ее ей ею оно мы нас нам вы вас вам они их ими мой твой свой своего своей наш ваш это этот эта эти этого этой
        этих тот та те того той тех был была было были быть есть будет также уже
        """,
    "pl": """
        i oraz lub albo ale a że aby żeby jeśli gdy kiedy gdzie jak dlaczego kto kogo komu kim co czego czym który
        która które którzy którego której których jaki jaka jakie w we na z ze do od dla po przy przez pod nad za o
        u bez między ja mnie ty on go mu ona jej ono my nas wy oni ich im się swój mój jego to ten ta te tego tej
        tych jest są był była było były być będzie nie też także już
        """,
    "tr": """
        ve veya ya da de ama fakat ile için gibi kadar göre bu şu o bir ki mi mı mu mü ne kim kime kimin hangi
        hangisi nerede nereye nereden zaman nasıl niçin neden ben sen biz siz onlar onun onu ona bunun bunu olan
        olarak oldu olduğu idi ise var
        """,
}

FUNCTION_WORDS: dict[str, frozenset[str]] = {
    language: frozenset(words.casefold().split()) for language, words in _LISTS.items()
}
"""Function words by ISO 639-1 code; a language that is not here has none."""
