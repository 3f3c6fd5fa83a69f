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
        olarak oldu olduğu idi ise var her herkes herkesin veyahut ancak daha çok sonra önce tarafından değil
        kendi tüm
        bütün hiç hiçbir karşı üzere eden edilen eder edilir vardır olması üzerine arasında içinde hem yani bunlar
        """,
    "ca": """
        el la els les lo l un una uns unes d de del dels al als a amb en per pel pels i o u ni però que què qui quin
        quina quins quines qual quan on com perquè si no es s em et ens us li els hi ho n ne ha han havia havien
        hem he
        és són era eren fou foren va van ser sigut estat està estan seu seva seus seves meu meva teu teva nostre
        nostra
        aquest aquesta aquests aquestes aquell aquella això allò aquí ell ella ells elles jo tu nosaltres vosaltres
        sobre entre des fins sense contra durant més molt també ja així sota cap tot tots
        """,
    "ro": """
        și sau dar iar ori că să ca dacă deși de la din în într întru prin pe cu fără pentru despre spre până între
        după asupra către sub peste a al ai ale ei lui lor său sa săi sale un o unei unui unor niște cel cea cei cele
        acest această acești aceste acestui acestei acestor acel acea acei acele care cine cui ce când unde cum
        cât câți
        câte câtă cărui cărei cărora este e sunt era erau fost fi fie fiind a au am ai ați are avea aveau avut
        va vor eu
        tu el ea noi voi ei ele mă te se ne vă îl îi le mi ți i meu mea mei mele tău ta nostru noastră nu mai foarte
        tot și cărui căruia s
        """,
    "hu": """
        a az egy és vagy de hogy ha mert mint is nem sem csak már még meg el ki be fel le ami amely amelyek aki akik
        amit amelyet ahol amikor ez azt ezt ezek azok ennek annak ebben abban erre arra én te ő mi ti ők van
        vannak volt
        voltak lesz lett lenni kell lehet ki kik kit kinek mi mit mik mely melyik melyek mikor hol hova honnan hogyan
        miért mennyi hány milyen minden során szerint között után előtt alatt fölött által való
        """,
    "id": """
        yang dan atau tetapi di ke dari pada dalam untuk dengan oleh sebagai adalah ialah ini itu tersebut akan telah
        sudah sedang belum tidak bukan juga serta karena jika bila agar bahwa saat ketika antara para secara
        dapat bisa
        harus ia dia mereka kami kita saya aku kamu anda nya apa apakah siapa siapakah kapan kapankah dimana
        mana manakah
        bagaimana mengapa kenapa berapa berapakah oleh seperti terhadap kepada hingga sampai sejak setelah sebelum
        menjadi merupakan sebuah seorang suatu lebih sangat
        """,
    "vi": """
        là và của các những một được trong cho với có không đã đang sẽ bị do bởi từ đến tại ở trên dưới về vào
        ra khi nào
        mà thì này đó đây kia ấy nó họ ông bà anh chị tôi chúng ta gì ai đâu sao bao nhiêu thế như để cũng rất
        hay hoặc
        nhưng nếu vì nên theo sau trước giữa mỗi mọi vẫn còn lại hơn cả chỉ phải
        """,
    "el": """
        ο η το οι τα του της των τον την τους τις ένας μία μια ένα ενός μιας και ή αλλά ότι πως να θα αν όταν
        όπου όπως
        γιατί επειδή που ποιος ποια ποιο ποιοι ποιες ποιον ποιου πού πώς πότε πόσο πόσα πόσοι τι σε στο στη στην στον
        στους στις στα από με για ως μέχρι κατά μετά πριν χωρίς προς μεταξύ είναι ήταν είχε έχει έχουν είχαν ήμουν εγώ
        εσύ αυτός αυτή αυτό αυτοί αυτές αυτά αυτού αυτής αυτών μου σου μας σας τους δεν μη μην δε επίσης πολύ πιο
        """,
    "et": """
        ja või ning aga kuid et kui sest nagu ka ei ega on oli olid olnud olema olla ole oleks see selle seda sellel
        selles need nende neid ta tema nad mina sina meie teie ma sa me te mis mille mida millal milline millise kes
        kelle keda kus kuhu kust kuidas miks mitu kas oma ise siis juba veel kõik pärast enne üle alla vahel koos ilma
        """,
    "lt": """
        ir bei ar arba bet o kad jei nes kaip taip pat ne nei yra buvo būti bus į iš su be per prie po prieš tarp už
        apie nuo iki dėl pagal ant jis ji jie jos jo jų jai jam aš tu mes jūs mano tavo savo šis ši šio šie tas ta to
        tai tie kas ką kam kuo kur kada kodėl kiek kuris kuri kurio kurie kurios koks kokia kokie dar jau tik labai
        """,
    "eu": """
        eta edo baina ala ere da dira zen ziren du dute zuen zuten izan izango da den diren dela zela ez bat
        batek bere
        haren haiek hau hori hura hauek horiek nik zuk guk zer zein nor nork nori noiz non nora nondik nola zergatik
        zenbat zeintzuk bezala arte baino oso gero
        """,
    "ga": """
        an na agus nó ach go gur nach ní níor is bhí tá atá raibh bhfuil i sa san ar le leis do don de den ag ó
        ón faoi
        chun trí roimh idir gan mar má a é í iad sé sí siad mé tú muid sinn sibh seo sin cé cad céard conas cathain cá
        cén mo sna leis bheith bhíodh
        """,
    "cs": """
        a i nebo ale že aby když jestli protože jako tak v ve na z ze do od k ke s se u o po pro při před pod nad mezi
        bez za si je jsou byl byla bylo byli být bude má mají měl ten ta to ti ty toho této tento tato tyto
        který která
        které kteří kterou kterého jehož jeho její jejich on ona ono oni já ty my vy mu mi kdo koho komu co čeho
        čem kdy
        kde kam odkud jak jaký jaká jaké proč kolik také již ještě
        """,
    "uk": """
        і й та або але що щоб як якщо коли де куди звідки чому хто кого кому ким чим чого який яка яке які якого якої
        яких в у на з із зі до від о об по за під над при про без через між для не ні є був була було були бути буде я
        ти він вона воно ми ви вони його її їх їм мене тебе мій твій свій свого цей ця це ці цього цієї той та ті тих
        також вже ще
        """,
    "bg": """
        и или но че да ако когато като какво кой коя кое кои кого къде кога как защо колко на в във с със от до за по
        при под над без между през след преди към се си е са беше бяха бил била било били бъде съм ще не ни аз ти той
        тя то ние вие те го му ѝ им ги този тази това тези онзи която който което които също вече още
        """,
    "sr": """
        i ili ali da ako kad kada jer kao što šta ko koji koja koje kojeg kojem kojih gde gdje kako zašto koliko
        u na s
        sa iz od do k ka o po za pod nad pri pre prije kroz bez između je su bio bila bilo bili biti će ne nije
        nisu se
        si ja ti on ona ono mi vi oni one njegov njen njihov svoj ovaj ova ovo ovi taj ta to ti tog tih također takođe
        već još и или али да ако кад када јер као што шта ко који која које којег којих где како зашто колико у
        на с са
        из од до о по за под над при пре кроз без између је су био била било били бити ће не није нису се ја ти он она
        оно ми ви они његов њен њихов свој овај ова ово ови тај та то тог тих такође већ још
        """,
    "fa": """
        و یا اما که اگر چون تا در به از با برای بر بین روی زیر بدون این آن اینها آنها او وی ما شما من تو است بود بودند
        هست هستند شد شده شدند کرد کرده می نمی را هم نیز چه چیست کیست کجا کجاست کی چرا چگونه چند چطور کدام هر یک خود ها
        های ای باشد دارد دارند داشت خواهد
        """,
    "ar": """
        و أو ثم لكن أن إن في من إلى على عن مع بين حتى منذ خلال بعد قبل تحت فوق عند كل هذا هذه ذلك تلك هؤلاء الذي التي
        الذين هو هي هم نحن أنا أنت كان كانت كانوا يكون تكون ليس لم لن لا ما ماذا من متى أين كيف لماذا كم هل أي قد كما
        """,
    "ne": """
        छ छन् हो हुन् थियो थिए भएको भए हुने हुन्छ र वा तर कि यदि को का की लाई ले मा बाट देखि सम्म सँग पनि नै यो
        यी त्यो ती उनी
        उनको उसको आफ्नो म हामी तपाईं जो जुन के कुन कसले कहाँ कहिले किन कसरी कति लागि द्वारा तथा गर्ने गरेको गर्न
        प्रत्येक
        """,
    "mr": """
        आहे आहेत होता होती होते नाही आणि किंवा पण परंतु की जर तर चा ची चे च्या ला ने मध्ये पासून पर्यंत सह हा ही
        हे तो ती ते
        त्या त्याच्या आपल्या मी आम्ही तुम्ही जो जी काय कोण कोणी कुठे केव्हा का कसे किती साठी द्वारे या व असे प्रत्येक
        """,
    "hi": """
        और या लेकिन कि यदि अगर का की के को से में पर ने तक है हैं था थी थे हो होता होती होते हुआ हुई हुए यह ये
        वह वे इस उस
        इन उन इसके उसके जो जिस जिसे अपने अपना अपनी भी ही तो क्या कौन किस किसने किसे कब कहाँ कहां कैसे क्यों
        कितने कितना कितनी
        एक लिए साथ द्वारा बाद कर करने किया गया जाता
        """,
}

_QUESTIONS = {
    "en": "who whom whose which what when where why how",
    "fr": "qui que quoi quel quelle quels quelles quand comment pourquoi combien où",
    "de": "wer wen wem wessen was welche welcher welches welchem welchen wann wo wohin woher wie warum",
    "es": "qué quién quiénes cuál cuáles cuándo dónde cómo",
    "it": "chi che quale quali quando dove come perché cosa cos quanto quanti",
    "pt": "que quê quem qual quais quando onde como quantos quantas",
    "nl": "wie wat welke welk wanneer waar hoe waarom",
    "sv": "vad vem vilken vilket vilka när hur varför",
    "da": "hvad hvem hvilken hvilket hvilke hvornår hvor hvordan hvorfor",
    "no": "hva hvem hvilken hvilket hvilke når hvor hvordan hvorfor",
    "fi": "mikä mitä missä mihin milloin kuka kenen ketä miten miksi",
    "ru": "что такое когда где куда откуда почему кто кого кому кем чем чего какой какая какое какие сколько как",
    "pl": "kto kogo komu kim co czego czym kiedy gdzie jak dlaczego który która które ile",
    "tr": "ne kim kime kimin hangi hangisi nerede nereye nereden nasıl niçin neden nedir kimdir neresi kaç",
    "ca": "què qui quin quina quins quines quan on com",
    "ro": "cine cui ce când unde cum cât câți câte care",
    "hu": "ki kik kit kinek mi mit mik mely melyik melyek mikor hol hova honnan hogyan miért mennyi hány milyen",
    "id": "apa apakah siapa siapakah kapan kapankah dimana mana bagaimana mengapa kenapa berapa berapakah",
    "vi": "gì ai đâu sao bao nhiêu nào",
    "el": "ποιος ποια ποιο ποιοι ποιες ποιον ποιου πού πώς πότε πόσο πόσα πόσοι τι",
    "et": "mis mille mida millal milline millise kes kelle keda kus kuhu kust kuidas miks mitu",
    "lt": "kas ką kam kuo kur kada kodėl kiek kuris kuri kurio koks kokia",
    "eu": "zer zein nor nork nori noiz non nora nondik nola zergatik zenbat",
    "ga": "cé cad céard conas cathain cá cén",
    "cs": "kdo koho komu co čeho čem kdy kde kam odkud jak jaký jaká jaké proč kolik",
    "uk": "що таке коли де куди звідки чому хто кого кому ким чим чого який яка яке які скільки як",
    "bg": "какво кой коя кое кои кого къде кога как защо колко",
    "sr": "ko šta što gde gdje kada kako zašto koliko ко шта где када како зашто колико",
    "fa": "چه چیست کیست کجا کجاست کی چرا چگونه چند چطور کدام",
    "ar": "ماذا متى أين كيف لماذا كم هل",
    "ne": "के कुन को कसले कहाँ कहिले किन कसरी कति",
    "mr": "काय कोण कोणी कुठे केव्हा का कसे किती",
    "hi": "क्या कौन किस किसने किसे कब कहाँ कहां कैसे क्यों कितने कितना कितनी",
}
QUESTION_WORDS: dict[str, frozenset[str]] = {
    language: frozenset(words.casefold().split()) for language, words in _QUESTIONS.items()
}
"""Function words that ask, by ISO 639-1 code: what tells most of which language a question is in."""


def _written(words: str) -> frozenset[str]:
    """Return words as texts write them: Romanian has a cedilla, too, where it should have a comma below."""
    return frozenset(words.casefold().split()) | frozenset(words.casefold().replace("ș", "ş").replace("ț", "ţ").split())


FUNCTION_WORDS: dict[str, frozenset[str]] = {
    language: _written(f"{words} {_QUESTIONS[language]}") for language, words in _LISTS.items()
}
"""Function words by ISO 639-1 code; a language that is not here has none."""
IDEOGRAPHIC_QUESTIONS = {
    "zh": """
        是什么意思 是什麼意思 是什么 是什麼 指的是什么 为什么 為什麼 什么 什麼 是谁 是誰 谁 誰 哪里 哪裡 哪个
        哪個 哪些 怎么样 怎樣
        怎样 怎么 怎麼 如何 为何 多少 何时 何時 请问
        """.split(),
    "ja": """
        とは何ですか とはなんですか とは何か とは何 って何 何ですか は誰ですか 誰ですか どこですか でしょうか
        ですか ますか でしたか
        ましたか 教えてください
        """.split(),
    "ko": """
        무엇입니까 무엇인가요 무엇인가 무엇을 무엇이 무엇 뭐예요 뭐야 누구입니까 누구인가요 누구 어디입니까
        어디인가요 어디에 어디
        언제 어떻게 입니까 인가요
        """.split(),
}
"""What only asks, by ISO 639-1 code, in scripts without spaces between words; what holds another is first."""
IDEOGRAPHIC_PARTICLES = {
    "zh": "和 与 與 的 了 是 在 有 吗 嗎 呢 几 哪".split(),
    "ja": "について だれ 誰 どこ どの どれ どう なぜ いつ いくつ 何 です ます の は が を に で と も か".split(),
    "ko": "어떤 얼마나 이란 왜 몇 뭐 란 은 는 이 가 을 를 의".split(),
}
"""What else a question in such a language says that no text in another language can say."""
