"""Which speakers the sentences of a summary name, and to whom they attribute their content.

Rules decide, in linear time and mostly without lists of words, so they work in many languages.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from fairbrief.text.names import PARTICLES, bare, gender_of_title, given_names, is_title, without_titles
from fairbrief.text.segmentation import replaced
from fairbrief.text.vocabulary import CALENDAR, FUNCTION_WORDS, vocabulary, words

ROLES = words("titles", "roles")
WEAK = PARTICLES | FUNCTION_WORDS | CALENDAR
"""Words that name somebody only next to another word of the name, or after a title."""
WORD = re.compile(r"\w+(?:['’-]\w+)*")
CLAIM_LABEL = re.compile(
    r"\s*+(?:(?:[-–—*•]|\d{1,3}[.)])\s{0,9})?[*_]{0,3}([^:：\n]{1,80})[:：][*_]{0,3}(?=\s|[^\W\d]|\Z)\s*"
)
"""The begin of a line of minutes, "- X: …", "2. X (chair): …", "**X**: …"."""
BRACKETED = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
JOINED = re.compile(r"\s*(?:,|&|,?\s?(?:and|und|et|y|e|en|i))\s*")
"""What joins two names to one subject."""
CUE = re.compile(
    r"(?i)(?:\b(?:according to|in the (?:view|opinion|words) of|by|laut|selon|d['’]après|según|secondo|volgens)|^\s*for)\s*\Z"
)
"""Words before the name of somebody whose statement follows or precedes."""
SAYING = "|".join(vocabulary("names")["reporting"].split())
SAID_BEFORE = re.compile(rf"\b(?:{SAYING})\s*\Z")
SAID_AFTER = re.compile(rf"\s+(?:(?!\d)\w{{2,20}}ly\s+|also\s+)?(?:{SAYING})\b(?:\s+that\b)?[,:]?")
INTERVIEWS = re.compile(r"\s+interview(?:s|ed)\b")
"""What follows the name of somebody whose questions, but not whose statements, the sentence reports."""
WHO = re.compile(r",?\s+who\b")
OPENS = re.compile(r"(?:\A|[,;:—–(\"“„«]|\b(?:but|while|whereas|although|because|when))\s*\Z")
"""What is before the subject of a sentence or clause."""
BEFORE_END = re.compile(r"[ ,;:]{1,9}(?=[.!?]?\Z)")
GAP = re.compile(r" {2,9}")
NO_OFFICE = re.compile(r"unlike|(?!(?:acting|king)\Z)\w+ing", re.IGNORECASE)
"""Words before a name that belong to the sentence, although it begins with them: "Answering Weber, …"."""
MOST_TITLES = 3
"""Words before a name that can belong to it."""
NEAR = 40
"""Characters before and after a name that are looked at."""


class Attribution(NamedTuple):
    """A claim: its content without the attribution; the speakers that it names, and those whose statement it reports."""

    content: str
    named: frozenset[int]
    speakers: frozenset[int]


class Span(NamedTuple):
    """A name in a text, with the titles before it: characters ``start`` to ``end`` (half open), and who is meant, if clear."""

    start: int
    end: int
    speaker: int | None


@lru_cache(maxsize=256)
def attributions(
    claims: tuple[str, ...], names: tuple[str, ...], starts_line: tuple[bool, ...]
) -> tuple[Attribution, ...]:
    """Whom each claim names, and to whom it is attributed, of speakers with these names.

    A claim is attributed to a speaker whose name is its label ("X: …", "- X: …"); follows "according to", "by" or a verb
    of saying; is followed by a verb of saying or "who"; or opens the claim or a clause, as a subject does. Names joined by
    "and" or commas are attributed together, except that in "Asking X, Y said …" Y alone speaks. A label also holds for the next claims, up to one that ``starts_line`` or is attributed.

    >>> (one,) = attributions(("Ms Weber said that buses are late.",), ("Anna Weber", "Per Olsen"), (True,))
    >>> one.content, set(one.speakers)
    ('buses are late.', {0})
    """
    roster = Roster(names)
    found: list[Attribution] = []
    label = frozenset[int]()
    for claim, opens in zip(claims, starts_line, strict=True):
        content, speakers = roster.labelled(claim)
        spans = roster.spans(content)
        if speakers:
            label = speakers
        else:
            content, speakers = _attributed(claim, spans)
            label = frozenset() if opens or speakers else label
        found.append(Attribution(content, _speakers(spans) | label, speakers or label))
    return tuple(found)


def _speakers(spans: Iterable[Span]) -> frozenset[int]:
    return frozenset(span.speaker for span in spans if span.speaker is not None)


class Roster:
    """The speakers of one record, by whose names texts mention them.

    A name is a run of neighbouring words of one speaker's name. It names the only speaker who has all these words, or the
    only one whose whole name they are; otherwise ("Weber" of two Webers) nobody. A title and an initial before it decide between several. A name is
    somebody else's if a given name that no speaker has stands before it, or a capitalised word after a first name. Words
    must be capitalised as in the transcript, except roles (customer, chair).
    """

    def __init__(self, names: Sequence[str]) -> None:
        words = [_words_of(name) for name in names]
        self.keys = [[_key(word) for word in own] for own in words]
        self.by_word: dict[str, set[int]] = {}
        for i, own in enumerate(self.keys):
            for key in own:
                self.by_word.setdefault(key, set()).add(i)
        self.genders = [set(map(gender_of_title, WORD.findall(name))) for name in names]
        in_any_case = (word for own in words for word in own if word.islower() or bare(word) in ROLES)
        self.in_any_case = set(map(_key, in_any_case))

    def labelled(self, claim: str) -> tuple[str, frozenset[int]]:
        """The claim without its label, and the speakers in the label; the claim itself if it has none."""
        match = CLAIM_LABEL.match(claim)
        if match is None:
            return claim, frozenset()
        label = BRACKETED.sub(" ", match[1]).strip(" *_")
        spans = self.spans(label)
        who = _speakers(spans)
        rest = WORD.findall(replaced(label, ((span.start, span.end, "") for span in spans)))
        is_name = all(word[0].isupper() or JOINED.fullmatch(word) or word == "the" for word in rest)
        if not who or not is_name or len(rest) > MOST_TITLES:
            return claim, frozenset()
        return claim[match.end() :] or claim, who

    def spans(self, text: str) -> list[Span]:
        """The names in a text, in order."""
        tokens = list(WORD.finditer(text))
        runs: list[tuple[int, int]] = []
        for i, token in enumerate(tokens):
            key, is_lower = _key(token[0]), token[0][0].islower()
            if key not in self.by_word or (is_lower and key not in self.in_any_case and key not in PARTICLES):
                continue
            if runs and runs[-1][1] == i and _touch(text, tokens, i):
                runs[-1] = runs[-1][0], i + 1
            else:
                runs.append((i, i + 1))
        return [span for i, end in runs for span in self._span(text, tokens, i, end)]

    def _span(self, text: str, tokens: list[re.Match[str]], i: int, j: int) -> Iterator[Span]:
        """The name of the tokens ``i`` to ``j``, if they are one."""
        run = [_key(token[0]) for token in tokens[i:j]]
        who = set.intersection(*(self.by_word[word] for word in run))
        if not who and run[0] in WEAK:  # "In May Olsen …"
            i, run = i + 1, run[1:]
            who = set.intersection(*(self.by_word[word] for word in run))
        first = i
        while first > i - MOST_TITLES and _touch(text, tokens, first):
            word = tokens[first - 1][0]
            is_name = word.lower() in FUNCTION_WORDS or NO_OFFICE.fullmatch(word) or _is_given(word)
            is_office = word[0].isupper() and not is_name
            if not (is_office or is_title(word) or _is_initial(text, tokens[first - 1])):
                break
            first -= 1
        before = tokens[first:i]
        if WEAK.issuperset(run) and not any(is_title(token[0]) for token in before):
            return
        initials = [_key(token[0]) for token in before if _is_initial(text, token)]
        who = {s for s in who if all(any(word.startswith(x) for word in self.keys[s]) for x in initials)}
        who = {s for s in who if set(self.keys[s]) == set(run)} or who
        titles = {gender_of_title(token[0]) for token in before} - {""}
        who = {s for s in who if self.genders[s] & titles} or who
        speaker = who.pop() if len(who) == 1 else None
        # The words next to a name make it the name of somebody else: Peter Weber, Anna Smith.
        follows_given = _touch(text, tokens, first) and _is_given(tokens[first - 1][0])
        goes_on = j < len(tokens) and _touch(text, tokens, j) and tokens[j][0][0].isupper()
        goes_on = goes_on and not tokens[j - 1][0].endswith(("'s", "’s"))
        if speaker is not None and (follows_given or (goes_on and self.keys[speaker][-1] not in run)):
            speaker = None
        is_role = run[0] in self.in_any_case and _touch(text, tokens, first)
        if is_role and tokens[first - 1][0].lower() == "the":
            first -= 1
        yield Span(tokens[first].start(), tokens[j - 1].end(), speaker)


def _attributed(claim: str, spans: Sequence[Span]) -> tuple[str, frozenset[int]]:
    """The content of a claim without a label, and the speakers to whom it is attributed."""
    who: set[int] = set()
    cuts: list[tuple[int, int, str]] = []
    is_subject, last = False, -1
    for span in spans:
        before, after = claim[max(0, span.start - NEAR) : span.start], claim[span.end : span.end + NEAR]
        between = claim[last : span.start] if last >= 0 else ""
        # "Asked by X, Y said …"
        begins = not is_subject and between.strip() == "," and SAID_AFTER.match(after)
        if JOINED.fullmatch(between) and not begins:
            start = last
        else:
            cue = CUE.search(before) or (None if who else SAID_BEFORE.search(before))
            is_subject = bool(cue or OPENS.search(before) or SAID_AFTER.match(after) or WHO.match(after))
            is_subject = is_subject and not INTERVIEWS.match(after)
            start = span.start - (len(before) - cue.start() if cue else 0)
        last = span.end
        is_possessive = claim.endswith(("'s", "’s"), 0, span.end) or after[:1] in ("'", "’")
        if is_subject and span.speaker is not None and not is_possessive:
            said = SAID_AFTER.match(after)
            who.add(span.speaker)
            cuts.append((start, span.end + (said.end() if said else 0), ""))
    content = GAP.sub(" ", BEFORE_END.sub("", replaced(claim, cuts))).strip(" ,;:")
    return (content if WORD.search(content) else claim), frozenset(who)


def is_label(name: str) -> bool:
    """Whether a name is only a role or a number, so that it is somebody else in each record.

    >>> is_label("Customer"), is_label("Speaker 2"), is_label("Ann Speaker")
    (True, True, False)
    """
    return all(word.isdigit() or word.lower() in ROLES for word in name.replace("_", " ").split())


def _words_of(name: str) -> list[str]:
    """The words of a name in their order, without brackets, titles and suffixes; of "Weber, Anna" turned round."""
    plain = BRACKETED.sub(" ", name)
    last, comma, first = plain.partition(",")
    turned = f"{first} {last}" if comma and without_titles(WORD.findall(first)) else plain
    every = WORD.findall(turned) or [name]
    return without_titles(every) or every


@lru_cache(maxsize=8192)
def _key(token: str) -> str:
    """A word in lower case, without accents and genitive."""
    plain = unicodedata.normalize("NFKD", token.replace("’", "'").removesuffix("'s"))
    return "".join(c for c in plain if not unicodedata.combining(c)).casefold()


def _is_initial(text: str, token: re.Match[str]) -> bool:
    return len(token[0]) == 1 and token[0].isupper() and text[token.end() : token.end() + 1] == "."


def _is_given(token: str) -> bool:
    return token[0].isupper() and token.lower() in given_names() and token.lower() not in WEAK


def _touch(text: str, tokens: list[re.Match[str]], i: int) -> bool:
    """Whether a token is next to the one before it: only a blank, or the full stop of a title or an initial, is between."""
    if not i:
        return False
    before = tokens[i - 1]
    between = text[before.end() : tokens[i].start()]
    if "\n" in between or len(between) > 3:
        return False
    return not between.strip() or (between.strip() == "." and (is_title(before[0]) or len(before[0]) == 1))
