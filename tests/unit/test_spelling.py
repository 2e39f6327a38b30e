"""Names: one spec everywhere, and back."""

import pickle
import re
from dataclasses import FrozenInstanceError, dataclass, field
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairbrief.errors import RequestError
from fairbrief.measures.representation import Bur
from fairbrief.registry import make
from fairbrief.specs import Spec, build, parse, spell


@dataclass(frozen=True)
class Gap:
    """A measure-like thing with a setting of every type."""

    name = "gap"
    over: str
    threshold: float = 0.5
    top: int = 1
    strict: bool = False
    scorer: str = "ngram"
    limit: int | None = None
    lists: tuple[str, ...] = field(default_factory=tuple)
    fold: Literal["max", "mean"] = "max"


NESTED = "entailment(model=a/b, gate=argmax)"
SERVED = "judge(base_url=http://localhost:8000)"


@pytest.mark.parametrize(("text", "expected"), [
    ("gap", Spec("gap")),
    ("gap@party", Spec("gap", {}, "party")),
    ("gap(threshold=0.8, top=2)@party", Spec("gap", {"threshold": "0.8", "top": "2"}, "party")),
    (f"gap(scorer={NESTED})", Spec("gap", {"scorer": NESTED})),
    ("gap(scorer='a, (b')", Spec("gap", {"scorer": "a, (b"})),
    ("gap@'two words'", Spec("gap", {}, "two words")),
    (f"gap(scorer={SERVED})@party", Spec("gap", {"scorer": SERVED}, "party")),
])  # fmt: skip
def test_a_spelling_is_read_into_its_parts(text: str, expected: Spec) -> None:
    """Name, settings (nested and quoted ones too) and attribute are told apart."""
    assert parse(text) == expected


@pytest.mark.parametrize(
    "text", ["", "gap(", "gap)", "gap(x)", "gap(a=1))", "gap@", "gap(a='b)", "@party", "gap party"]
)
def test_a_malformed_spelling_is_refused_with_words(text: str) -> None:
    """What cannot be read raises a request error that quotes what was typed."""
    with pytest.raises(RequestError, match=r"gap|''|@party"):
        parse(text)


@pytest.mark.parametrize(("text", "right"), [
    ("gap@party(top=2)", "gap(top=2)@party"),
    ("gap(a=1)@party(top=2, scorer=b(c=d))", "gap(a=1, top=2, scorer=b(c=d))@party"),
    ("gap@home town (top=2)", "gap(top=2)@home town"),
])  # fmt: skip
def test_settings_behind_the_attribute_are_refused_with_the_right_form(text: str, right: str) -> None:
    """They would else be read as part of an odd attribute's name; such a name is written in quotes."""
    with pytest.raises(RequestError, match=re.escape(f"Write {right};")):
        parse(text)
    assert parse("gap@'party(top=2)'").over == "party(top=2)"
    assert parse("gap@Party (US)").over == "Party (US)"


words = st.text(min_size=1, max_size=12)


@given(
    over=words.filter(str.strip).map(str.strip),
    threshold=st.floats(allow_nan=False),
    top=st.integers(),
    strict=st.booleans(),
    scorer=words.map(str.strip),
    limit=st.none() | st.integers(),
    lists=st.lists(st.text(st.characters(exclude_characters="+"), min_size=1), min_size=1).map(tuple)
    | st.just(()),
)
def test_every_spelling_reads_back_to_what_it_spells(**fields: object) -> None:
    """`build(parse(spell(x)))` is x, whatever the settings hold."""
    gap = Gap(**fields)  # type: ignore[arg-type] # hypothesis draws by name
    assert build(Gap, parse(spell(gap))) == gap


@pytest.mark.parametrize(("text", "says"), [
    ("gap(treshold=1)@party", "no setting 'treshold'.*threshold"), ("gap", "gap@ATTRIBUTE"),
    *((f"gap({wrong})@p", r"^gap\(\w+='\w+'\): give (a|True)") for wrong in ("top=two", "strict=perhaps", "threshold=high")),
])  # fmt: skip
def test_a_spec_that_does_not_fit_is_refused(text: str, says: str) -> None:
    """An unknown setting with the known ones, an absent attribute, and a value of another type with what is wanted."""
    with pytest.raises(RequestError, match=says):
        build(Gap, parse(text))


@pytest.mark.parametrize(("text", "message"), [
    ("bur(target=neg)@x", "target=neg is not ratio, equal or"), ("bur(target='a:-1')@x", "shares ≥ 0"),
    ("bur(tau=0)@x", r"bur\(tau=0.0\): give a number, above 0 and at most 1\."), ("bur(ties=no)@x", r"bur\(ties='no'\): give fair or under\."),
    ("bur(temperature=0)@x", "give a number, above 0"), ("auc(points=-1)@x", r"points=-1\): give a whole number, at least 0"),
    ("equal_coverage(merge=1.5)@x", r"merge=1.5\): give"), ("equal_coverage(least_claims=0)@x", r"least_claims=0\): give"),
    ("equal_coverage(unsupported=zero, denominator=covered)@x", "denominator=all"),
    ("rouge1(choose=last)", "give first or random"), ("rouge1(limit=0)", "give a whole number, at least 1"),
    ("unsupported_claims(threshold=0)@x", r"threshold=0.0\): give"), ("unsupported_claims", "needs an attribute"),
    ("unsupported_by_place@x", "takes no attribute"), ("misattribution(margin=1)", "give a number, at least 0 and below 1"),
    ("word_list_inclusion(lists=nothing)", "names no word lists"), ("word_list_inclusion(reference=given)", "belong together"),
    ("word_list_inclusion(reference=given, shares=0.5+0.4)", "sum to 1"),
    ("entity_inclusion(people=oracle)@x", "neither builtin nor spacy"), ("entity_inclusion(odds=none)@x", "give corrected or published"),
    ("entity_hallucination(unit=day)@x", "give seed_document or sample"), ("distinguishability(ties=no)@x", "give half or strict"),
    ("entity_sentiment(entities='Anna Berg')@x", "entities='Anna Berg' is not a list. Write 'left: Anna Berg"),
    ("phrase_counts(phrases=',')", "phrases=',' names none: write"),
    ("entity_sentiment(entities='left: A; right: A')@x", "names A twice"), ("entity_sentiment(by=party)@x", "give entity, source or relation"),
    ("speaker_inclusion", r"write speaker_inclusion@ATTRIBUTE or speaker_inclusion\(by=order\)"),
    ("speaker_coverage(by=order)@x", "drop '@x'"),
    ("framing_change(negative=0.1)", "must be below positive"), ("framing_direction(negative=0.1)", "must be below positive"),
    ("position_bias(top=4)", "give a whole number, at least 1 and at most 3"), ("position_bias(limit=0)", "at least 1"),
    ("position_bias(segments=100)", "at least 2 and at most 99"), ("position_bias(copied=once)", "has no effect with top=1"),
    ("position_bias(mapping=embedding, sentences=punkt)", "is for the mappings tfidf, rouge1"),
    ("position_bias(mapping=tfidf(sentences=punkt))", "is a setting of the measure"),
    ("sentiment_shift(threshold=0)", "above 0 and at most 1"),
])  # fmt: skip
def test_a_setting_outside_its_range_is_refused(text: str, message: str) -> None:
    """The error has the setting, its value, and what is allowed."""
    with pytest.raises(RequestError, match=message):
        make("measure", text)


class Plain(Bur):
    """A measure of a plug-in, without the decorator."""

    strict: bool = False


@dataclass(frozen=True, repr=False)
class Decorated(Plain):
    """One with it, of another plug-in."""

    top: int = 1


def test_a_subclass_of_a_measure_may_have_the_decorator_of_dataclasses() -> None:
    """With and without it, its own fields are settings, are compared and pickled, and cannot be changed."""
    plain, decorated = Plain("party", strict=True), Decorated("party", top=2)
    assert (repr(plain), repr(decorated)) == ("bur(strict=true)@party", "bur(top=2)@party")
    for made, kind in ((plain, Plain), (decorated, Decorated)):
        assert build(kind, parse(repr(made))) == made == pickle.loads(pickle.dumps(made)) != kind("party")
        with pytest.raises(FrozenInstanceError):
            made.strict = True  # type: ignore[misc]
    plain.note = "no setting"
    assert repr(plain) == "bur(strict=true)@party"
