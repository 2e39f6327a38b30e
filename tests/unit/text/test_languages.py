"""Languages told from texts, and words and sentences of other languages than English."""

import pytest
from hypothesis import given, strategies

from fairbrief.errors import RequestError
from fairbrief.text import languages
from fairbrief.text.languages import language_of
from fairbrief.text.rouge import words
from fairbrief.text.segmentation import word_count, words_of
from fairbrief.text.sentences import passages_of, split

GERMAN = "Das Zimmer war sauber und das Frühstück sehr gut."


@pytest.mark.parametrize(("text", "code"), [
    (GERMAN, "de"), ("La chambre était propre et le personnel très gentil.", "fr"),
    ("La comida estaba muy buena pero el servicio fue lento.", "es"),
    ("De kamer was schoon maar het ontbijt was niet lekker.", "nl"),
    ("Pokój był czysty, ale śniadanie nie było dobre.", "pl"),
    ("Oda temizdi ama kahvaltı hiç iyi değildi.", "tr"), ("Номер был чистый, но завтрак плохой.", "ru"),
    ("服务员很热情，菜品也很好吃。", "zh"), ("部屋はきれいでしたが、朝食はよくなかった。", "ja"), ("الطعام لذيذ والخدمة ممتازة.", "ar"),
    ("खाना अच्छा था। सेवा खराब थी।", "hi"), ("อาหารอร่อยมากแต่แพง", "th"),
    *((text, "en") for text in (
        "", "Great food!", "Fast delivery, sturdy case, bright colours.", "We met at the café in Zürich.",
        "The sign said 出口 and nobody could read it.", "Claritin D!!!", "Dr. Müller said that the clinic in Köln is closed.",
    )),
])  # fmt: skip
def test_a_sentence_tells_its_language(text: str, code: str) -> None:
    """By script, and in Latin and Cyrillic script by function words; short texts, lists of content words, and foreign words in
    passing leave a text English.
    """
    assert language_of(text) == code


def test_a_language_that_is_told_wins() -> None:
    """Inside ``using`` every text is in the language told; an unknown code is refused with those that are known."""
    with languages.using("fr"):
        assert language_of(GERMAN) == "fr"
    assert language_of(GERMAN) == "de"
    refused = pytest.raises(RequestError, match=r"Unknown language 'xx'. Known: ar \(Arabic\)")
    with refused, languages.using("xx"):
        pass


def test_words_of_scripts_without_spaces_are_dictionary_words() -> None:
    """Chinese, Japanese and Thai have words of one character or several; signs on letters part no word."""
    assert words_of("服务员很热情，早餐好吃！") == ["服务", "员", "很", "热情", "早餐", "好吃"]
    assert words_of("料理は美味しい。") == ["料理", "は", "美味しい"]
    assert words_of("อาหารอร่อยมากแต่แพง") == ["อาหาร", "อร่อย", "มาก", "แต่", "แพง"]
    assert words_of("सेवा खराब थी।") == ["सेवा", "खराब", "थी"]
    assert words_of("It wasn’t 3.50 €.") == ["It", "wasn’t", "3", "50"]
    assert (word_count("服务员很热情，早餐好吃！"), word_count("two words")) == (6, 2)


@given(strategies.text(strategies.sampled_from("aBz09'_.é -\n\x1f")))
def test_words_are_the_same_beside_other_characters(text: str) -> None:
    """Words of ASCII texts, which are read another way, are those that the same text has beside a word of any script."""
    for other in ("é", "北京", "lɑ̃fɑ̃"):
        assert [*words_of(text), other] == words_of(f"{text} {other}")
        assert word_count(f"{text} {other}") == word_count(text) + 1


def test_function_words_of_the_language_do_not_count() -> None:
    """What is left is what a text is about; ``stem`` joins the forms of a word."""
    german = words("Das Zimmer war sauber und die Zimmer waren hell", "de")
    assert german == ["zimmer", "sauber", "zimmer", "hell"]
    assert words("schöne Zimmern schönes", "de", stem=True) == ["schon", "zimm", "schon"]
    assert words("但是早餐很好吃", "zh") == ["早餐", "很好", "吃"]


@pytest.mark.parametrize("text", [
    "Wir kamen am 3. Mai an.|Das Frühstück war z. B. sehr gut.|Die Zimmer bzw. Betten nicht.",
    "الطعام لذيذ.|هل هو غالي؟|نعم، للأسف.", "房间太小了。|早餐好吃！|服务怎么样？", "खाना अच्छा था।|सेवा खराब थी।",
])  # fmt: skip
def test_sentences_end_where_their_language_ends_them(text: str) -> None:
    """Ordinals and abbreviations of German, question marks of Arabic, full-width marks, dandas."""
    mark = "" if "房" in text else " "
    assert split(text.replace("|", mark)) == text.split("|")


SHORT_ENGLISH = (
    "dog", "dog dog dog", "OK", "Nice!", "OD on Claritin D", "Die hard fan.", "No man in sight", "Best bar in town",
    "A la carte menu", "War and peace", "Our stay was so so.", "Hot dog on a bun", "Red hat, tan coat", "I am a fan",
    "Men in hats sell art.", "Pros: crust. Cons: price.", "Dancers in god-awful outfits strut in raised boxes.",
    "Hello old pal", "Also sold in tins", "Fast food, fat price", "Mens en womens", "Vi is an editor", "So am I.",
    "La La Land", "El Paso", "Los Angeles", "De Niro is in it", "Per se", "Ad hoc", "Et al.", "Π = 3.14", "TRUST! hahah",
)  # fmt: skip
"""Short English texts, with words that are function words elsewhere."""


@pytest.mark.parametrize("text", SHORT_ENGLISH)
def test_a_short_text_is_in_the_language_of_its_input(text: str) -> None:
    """Among English texts no short one is taken for another language, alone or three times over."""
    for said in (text, " ".join([text] * 3)):
        assert languages.is_foreign(said) == ""
        with languages.using(""):
            languages.suppose("en")
            assert language_of(said) == "en"
            languages.suppose("fr")
            assert language_of(said) in ("fr", "en")


def test_a_short_text_that_is_surely_elsewhere_is_told_by_itself() -> None:
    """Another script, or a sentence full of another language's function words, is no English whatever the input is in."""
    with languages.using(""):
        languages.suppose("en")
        texts = (GERMAN, "服务员很热情", "Номер был чистый, но завтрак плохой.")
        assert [language_of(text) for text in texts] == ["de", "zh", "ru"]
        assert languages.is_foreign(GERMAN) == "German"
    assert languages.is_foreign("Der Kanzler Hans Müller sagte gestern, dass er nicht komme.") == "German"


def test_what_is_supposed_ends_with_the_block() -> None:
    """Short texts are looked at by themselves again outside of it, and a language that is told wins inside."""
    with languages.using(""):
        languages.suppose("de")
        assert language_of("Sehr gut.") == "de"
        with languages.using("fr"):
            languages.suppose("de")
            assert language_of("Sehr gut.") == "fr"
    assert language_of("Sehr gut.") == "en"


def test_short_texts_tell_the_language_of_their_input_together() -> None:
    """Reviews of two or three words, none of which tells a language, do so side by side; without texts it is English."""
    german = [
        "Sehr gut.", "Nicht so gut.", "Das war nichts.", "Wir waren hier.", "Es war laut.", "Und zu teuer.",
    ]  # fmt: skip
    assert {language_of(text) for text in german} == {"en"}
    assert languages.language_of_input(german) == "de"
    assert languages.language_of_input(SHORT_ENGLISH) == "en"
    assert languages.language_of_input(["dog", "cat", "Die hard.", "Man in hat"]) == "en"
    assert languages.language_of_input([]) == "en"


def test_a_chinese_document_is_cut_by_its_words() -> None:
    """A hundred words are a hundred words, though no blank parts them."""
    assert len(passages_of("服务员很热情，早餐好吃！" * 40, "100words")) == 3
