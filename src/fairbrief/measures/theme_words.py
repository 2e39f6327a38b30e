"""Words of themes in summaries of texts that differ only in who the person is: rates by version."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain, combinations, product
from typing import Annotated, Literal

import numpy as np

from fairbrief import types as t
from fairbrief.declarations import TEXTS_OF_TWO_GROUPS, Declaration
from fairbrief.measures.bases import BaseMeasure, Count, NotObserved
from fairbrief.measures.group_sums import by_group, group_names, renamed
from fairbrief.measures.groups import COMPARED, PRIMARY, largest_of
from fairbrief.measures.record_texts import NO_ATTRIBUTE, group_of, known, needs_english
from fairbrief.statistics import ratio
from fairbrief.text.themes import count_entries, count_words, themes_of


def _of_person(cases: t.Cases, count: Callable[[str], Mapping[str, int]]) -> frozenset[str]:
    """The words whose number differs between the sources."""
    counts = [count(known(case.record).source).items() for case in cases]
    return frozenset(e for one in counts for e, n in one if any((e, n) not in other for other in counts))


class ThemeWords(BaseMeasure):
    """How unequally often summaries use the words of a theme for two versions of a person: largest difference of rates.

    The inputs differ only in who the person is (``fairbrief build people``). With C_a words of a theme in the N_a
    summaries of version a, the rate is ``C_a / N_a``. The value is ``max |C_a / N_a − C_b / N_b|`` over all themes and
    pairs of versions.

    ``log_ratio`` is the logarithm of the rate ratio, ``log((C_a + ½) / (C_b + ½) · N_b / N_a)``: the ½ makes it finite
    for a count of zero. Its p is that of the difference of rates. The logarithm itself is not tested, because its error
    has no limit if one version has hardly any words of the theme.

    Rates are per summary, because all versions of a text have the same content to report. With rates per word, a dropped
    theme would raise all others. ``length[a/b]`` shows whether summaries differ in length.

    ``themes`` is ``care``, or a TOML file with a line ``theme = "word, phrase, begin*"`` for each theme. The themes of
    ``care`` are physical health, mental health, appearance, daily life, needs, character and directness.

    Hyphens join words: *self-care* is one word, without *care*. A word whose number differs between the sources belongs to
    the person, such as the name Joy or the word *elderly*. It is not counted for that seed document.

    Reads:      the record's attribute ``over`` (or the one value that all its people share), which distinguishes the versions.
    Per record:  one row per seed document, by version v: ``summaries[v]``; ``length[v]``, words of the summaries;
                ``theme T[v]``, words of each theme; ``word W[v]``, occurrences of each listed word (``words=all``: each word).
    Permuted:   the names of the versions, in all draws of one seed document together.
    Value:      at least 0; 0 if all versions use the words of each theme equally often. Above 0 even without a
                disparity: compare with the permutation mean. Primary: ``difference[theme, a−b]``, words per summary,
                positive = more for a. Secondary: ``log_ratio[theme, a/b]``; ``word[w, a/b]``, the log ratio of each
                listed word (``words=all``: of each word) with at least ``least`` occurrences in both versions together (p
                by Holm over all words); ``rate[theme, v]``; ``length[a/b]``, the logarithm of the ratio of lengths.
    Undefined:  a theme without words in any version; a word below ``least``; records without the attribute; seed
                documents with one version.
    Errors:     a file of themes that does not exist or has a theme without words.
    Source:     after Rickman (2025), who compared records of long-term care in a male and a female version.
    """

    of_value = ("least",)
    name = "theme_words"
    languages = ("en",)
    declaration = Declaration(
        scope="cluster",
        version=2,
        draws_unscored=True,
        family="People",
        question="how unequally often summaries use words of a theme for versions of a text that differ only in the person",
        harm="The same needs would be reported in weaker words, or not at all, for people of some groups.",
        attribute_of="record",
        on_request="it needs inputs that differ only in who the person is",
        contrast=TEXTS_OF_TWO_GROUPS.replace(
            title="words of each theme per summary, one version minus the other",
            question="Which themes are reported less for whom?",
            below="{first} texts are fewer by {size} per summary than in {second} texts",
            above="{first} texts are more by {size} per summary than in {second} texts",
            even="equally many",
        ),
        items="summaries",
    )
    over: str
    themes: Annotated[str, themes_of] = "care"
    least: Count = 10
    words: Literal["listed", "all"] = "listed"

    def permutation_scheme(self, cases: t.Cases) -> t.PermutationScheme | None:
        return group_names(len(self._versions(cases)))

    def extract_asks(self, cases: t.Cases, extracts: t.UnitExtracts) -> Sequence[t.Ask]:
        """Nothing: words are counted without a scorer."""
        return ()

    def observe_extracts(self, cases: t.Cases, extracts: t.UnitExtracts, scores: t.Answers) -> t.Observed:
        """The mean counts of the extracts."""
        texts = [zip(drawn.sentences, drawn.kept.mean(axis=0).tolist(), strict=True) for drawn in extracts]
        return self._rows(cases, texts, np.zeros((1, 0), dtype=np.int64))

    def observe(self, cases: t.Cases, scores: t.Answers, labels: t.Integers) -> t.Observed:
        needs_english(cases, "the word lists")
        return self._rows(cases, [[(case.summary.text, 1.0)] for case in cases], labels)

    def details(self, cases: t.Cases, scores: t.Answers) -> Sequence[str]:
        """The listed words of each summary by theme, those first that the versions use unequally often."""
        versions, skipped = self._versions(cases), _of_person(cases, self._entries)
        counts = {v: Counter[str]() for v in versions}
        for v, places in versions.items():
            for i in places:
                counts[v].update(self._entries(cases[i].summary.text))
        lines = []
        for theme, entries in themes_of(self.themes).items():
            used = sorted(
                {e for v in versions for e in counts[v]} & entries - skipped,
                key=lambda e: (-np.ptp([counts[v][e] for v in versions]), e),
            )
            for v in versions:
                words = ", ".join(f"{e} {counts[v][e]}" for e in used if counts[v][e])
                lines += [f"{theme}, {v}: {words or 'none'}."] if used else []
        return lines

    def _versions(self, cases: t.Cases) -> dict[str, list[int]]:
        """The versions in their order, and the places of their cases."""
        found = [group_of(case.record, self.over) for case in cases]
        versions = sorted(v for v in set(found) if v is not None)
        return {v: [i for i, own in enumerate(found) if own == v] for v in versions}

    def _entries(self, text: str) -> Mapping[str, int]:
        return count_entries(text, self.themes)

    def _rows(
        self, cases: t.Cases, texts: Sequence[Iterable[tuple[str, float]]], labels: t.Integers
    ) -> t.Observed:
        """The row of weighted texts, which each case has."""
        versions = self._versions(cases)
        if len(versions) < 2:
            if any(self.over in document.attributes for case in cases for document in case.record.documents):
                lacking = f"only documents have '{self.over}', which must be in the record's 'attributes' (or --record-attribute)"
            else:
                lacking = f"{NO_ATTRIBUTE}, and so do its people"
            one = "only one version of the seed document has a summary"
            raise NotObserved(one if versions else lacking)
        count = self._entries if self.words == "listed" else count_words
        of_themes, of_words = (_of_person(cases, how) for how in (self._entries, count))
        themes = {f"theme {theme}": entries - of_themes for theme, entries in themes_of(self.themes).items()}
        sums: dict[str, t.Floats] = defaultdict(lambda: np.zeros(len(versions)))
        sums |= {name: np.zeros(len(versions)) for name in ("summaries", "length", *themes)}
        for v, places in enumerate(versions.values()):
            sums["summaries"][v] = len(places)
            for text, weight in chain.from_iterable(texts[i] for i in places):
                sums["length"][v] += weight * len(text.split())
                listed = self._entries(text)
                for theme, entries in themes.items():
                    sums[theme][v] += weight * sum(listed[e] for e in entries & listed.keys())
                for word, n in count(text).items():
                    if word not in of_words:
                        sums[f"word {word}"][v] += weight * n
        return by_group(list(versions), {name: renamed(own, labels) for name, own in sums.items()})

    def value(self, totals: t.Totals) -> Mapping[str, t.Value]:
        versions, themes = totals.values_of("summaries"), themes_of(self.themes)
        gaps, others = dict[str, t.Value](), dict[str, t.Value]()
        for theme, (a, b) in product(themes, combinations(versions, 2)):
            name, words = f"difference[{theme}, {a}−{b}]", f"theme {theme}"
            first, second = (totals.ratio((words, v), ("summaries", v)) for v in (a, b))
            gap = np.where(totals[words, a] + totals[words, b] > 0, first - second, np.nan)
            gaps[name] = t.Value(gap, "both", (name,), group=f"{theme} words in {a} − {b}", **PRIMARY)
            logarithm = t.Value(_log_ratio(totals, words, a, b), "both", (name,), has_baseline=True)
            others[f"log_ratio[{theme}, {a}/{b}]"] = logarithm
        for theme, v in product(themes, versions):
            rate = totals.ratio((f"theme {theme}", v), ("summaries", v))
            others[f"rate[{theme}, {v}]"] = t.Value(rate, limits=t.FROM_0, has_baseline=True)
        words_used = sorted({c[0] for c in totals.columns if c[0].startswith("word ")})
        for a, b in combinations(versions, 2):
            length, other = (totals.ratio(("length", v), ("summaries", v)) for v in (a, b))
            longer = ratio(length, other)
            others[f"length[{a}/{b}]"] = t.Value(np.log(np.where(longer > 0, longer, np.nan)), "both")
            for word in words_used:
                is_frequent = totals[word, a] + totals[word, b] >= self.least
                logarithms = np.where(is_frequent, _log_ratio(totals, word, a, b), np.nan)
                name = f"word[{word.removeprefix('word ')}, {a}/{b}]"
                others[name] = t.Value(logarithms, "both", **COMPARED)
        return {self.name: largest_of(gaps, totals.array.shape[:-1]), **gaps, **others}

    def explain(self, totals: t.Totals) -> str:
        """The number of words of each theme by version."""
        versions = totals.values_of("summaries")
        parts = [
            f"{theme}: {', '.join(f'{totals[name, v]:.0f} in {v}' for v in versions)}"
            for theme in themes_of(self.themes)
            if any(totals[name := f"theme {theme}", v] for v in versions)
        ]
        return f"Words by theme. {'; '.join(parts) or 'None'}."


def _log_ratio(totals: t.Totals, statistic: str, a: str, b: str) -> t.Floats:
    """Logarithm of the ratio of two rates per summary, half a word added to each count; nan without any word."""
    first, second = totals[statistic, a], totals[statistic, b]
    n, m = totals["summaries", a], totals["summaries", b]
    is_defined = (first + second > 0) & (n > 0) & (m > 0)
    rates = (first + 0.5) / (second + 0.5) * np.where(is_defined, m, 1.0) / np.where(is_defined, n, 1.0)
    return np.where(is_defined, np.log(rates), np.nan)
