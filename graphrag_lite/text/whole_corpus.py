"""Questions about a corpus as a whole, told from those about something in it, by the words that are left of them."""

import re
from functools import cache
from typing import Literal

from graphrag_lite.text.words import ASKING, terms

Aspect = Literal["person", "organization", "location", "change", "problem", "disagreement"]
# Words by which a question means the corpus itself, in all languages: they say nothing about what in it is meant.
ABOUT_THE_CORPUS = (
    "main theme topic subject overview summary summarize summarise key important major central overall whole entire "
    "general common frequent recurring biggest top takeaway highlight gist point idea insight finding lesson content "
    "document corpus dataset text story tale source documentation archive collection file note "
    "message chat conversation report paper article book novel "
    "call transcript meeting email record knowledge base discuss discussed describe mention appear talk speak cover "
    "question answer tell say list show give brief briefly short happen happening matter learn material most thing "
    "year time over tl dr contain newcomer beginner remember know keep turn come up again often each other all before "
    "read big picture rundown sum bring speed catch walk through please hot executive abstract outline essential boil "
    "down skim recap file folder page thread people "
    "thème principal fréquent fréquents sujet résumé aperçu document texte histoire recueil message rapport important "
    "dire parler donner donne moi parlent quoi plus agit faire fais fichier "
    "Thema Themen Hauptthema Hauptthemen Zusammenfassung Überblick Inhalt Dokument Dokumente Text Texte wichtig "
    "wichtigste häufig häufigste häufigsten Kern fassen zusammen geben gib handeln gehen geht kommen vor worum "
    "drehen dreht alles Datei Dateien "
    "tema principal frecuente resumen resumir visión documento texto importante hablar tratar va todo "
    "tema principale riassunto riassumere panoramica documento testo importante parlare "
    "tema principal resumo resumir visão documento texto importante falar tratar "
    "thema hoofdthema onderwerp samenvatting overzicht document tekst belangrijk gaan "
    "主なテーマは何ですか を教えてください この文書の 文書の概要 の概要を "
    "主題 概要 要約 要約してください 何が書かれていますか この文書 これらの文書 "
    "全体 内容 について 全部で何の話ですか "
    "主要主题是什么 主要主題是什麼 主要内容是什么 摘要 概述 总结 總結 这些文档 讲了什么 这些文件讲什么 "
    "讲的是什么 关于什么 全文 语料 "
    "有哪些 文档讲了什么 主要 "
    "주요 주제는 무엇입니까 주제는 무엇인가요 요약 요약해 주세요 개요 전체 내용 문서"
)
# "What is this about?": in most languages, all words of that are function words, too.
_ABOUT = re.compile(r"\b(?:about|in here|worum|wovon|quoi|waarover|sobre qu[eé]|di (?:che )?cosa)\b", re.I)
_WHO = re.compile(r"\W*who (?!is|was)", re.I)  # "Who keeps turning up?"
LANGUAGES = ("en", "fr", "de", "es", "it", "pt", "nl", "zh", "ja", "ko")
ASPECTS: dict[Aspect, str] = {
    "person": "person people character figure speaker participant guest protagonist player "
    "personne personnage gens Person Personen Leute Figur "
    "persona personaje gente persone personaggio pessoa personagem persoon mensen 人物 哪些人物 登場人物 인물",
    "organization": "organization organisation company business firm institution entreprise société Unternehmen "
    "Firma Organisation Organisationen empresa organización azienda società organizzazione organização bedrijf "
    "公司 组织 組織 企業 会社 회사 조직 기업",
    "location": "place location country city region lieu pays ville Ort Orte Land Länder Stadt lugar país ciudad luogo "
    "paese città lugar cidade plaats land stad 地点 地點 场所 場所 장소 나라",
    "change": "change evolve evolution develop development trend difference shift tone changer évoluer évolution "
    "ändern geändert verändert Veränderung Entwicklung cambiar cambio cambiado evolución cambiare cambiato mudar "
    "mudança veranderen veranderd 变化 變化 変化 변화",
    "problem": "problem issue complaint bug defect incident error failure request ticket break problème plainte panne "
    "incident erreur demande Problem Probleme Fehler Störung Störungen Beschwerde Anfrage problema queja fallo error "
    "incidencia errore guasto reclamo problema probleem klacht storing 问题 問題 故障 不具合 문제 오류",
    "disagreement": "disagree disagreement argue argument dispute controversy debate differ contradict contradiction "
    "conflict désaccord désaccords controverse "
    "uneinig streiten Streit desacuerdo desacuerdos disaccordo oneens 分歧 対立 이견",
}


def about_something(question_terms: list[str], language: str) -> list[str]:
    """Return those terms of a question in `language` (ISO 639-1) that do not only ask, nor mean the corpus itself."""
    return [term for term in question_terms if term not in ASKING and term not in _generic(language)]


def aspects(text: str, language: str) -> set[Aspect] | None:
    """Return which aspects of the whole corpus a question asks about, none of them for an overview.

    None where it asks about something in the corpus. Years and the like are no such thing.

    >>> aspects("What are the main themes?", "en"), sorted(aspects("Who are the most important people?", "en"))
    (set(), ['person'])
    >>> aspects("How does Scrooge change in the story?", "en"), aspects("What changed from 2021 to 2023?", "en")
    (None, {'change'})
    >>> aspects("Was sind die Themen?", "de"), aspects("主要主题是什么？", "zh"), aspects("Who is it?", "en")
    (set(), set(), None)
    >>> aspects("Who keeps turning up?", "en"), aspects("What's in here?", "en"), aspects("Who won?", "en")
    ({'person'}, set(), None)
    """
    if not language:  # too few words to tell it
        return next((found for code in LANGUAGES if (found := aspects(text, code)) is not None), None)
    own = set(terms(text, language)) - ASKING
    found = {aspect for aspect in ASPECTS if not own.isdisjoint(_terms_of(aspect, language))}
    said = frozenset(term for aspect in found for term in _terms_of(aspect, language))
    if not found and language == "en" and _WHO.match(text):
        found = {"person"}
    if _left(text, language, said) or not (said or own & _generic(language) or _ABOUT.search(text)):
        return None
    return found


def _left(text: str, language: str, besides: frozenset[str]) -> list[str]:
    """Return the terms of a question that are neither of its form nor of the corpus, nor `besides`, nor numbers."""
    known = _generic(language) | besides | ASKING
    return [term for term in terms(text, language) if term not in known and not term.isdecimal()]


@cache
def _generic(language: str) -> frozenset[str]:
    return frozenset(terms(ABOUT_THE_CORPUS, language))


@cache
def _terms_of(aspect: Aspect, language: str) -> frozenset[str]:
    return frozenset(terms(ASPECTS[aspect], language))
