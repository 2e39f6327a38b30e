"""Texts on which careless code takes time that grows with the square of their length, and how to notice it."""

import gc
import math
import os
import time
from collections.abc import Callable
from itertools import count

UNITS = [
    " ", "\n", "\t", "\r\n", "\u2028", "a", "A", "é", "e\u0301", "0", ".", ",", "-", "'", '"', "(", "[", "{", "<", "*",
    "a ", "A ", "aA", "a.", "A.", "a. ", "A. ", ". ", " .", "0.", "0. ", "1\n", "...", "?!", "- ", "* ", "-\n", "``", "''",
    "Mr. ", "Ms. A. ", "U.S. ", "Smith ", "John Smith ", "John A. Smith, ", "de la ", "van ", "Jr. ", "he ", "her ", "'s ",
    "said ", "it is ", "John's ", "http://", "a@", "1/", "4/5 ", "out of ", "score ", "score: ", "rate it ", "give ", "I am sorry ",
    "I'm ", "I am unable ", "as an AI ", "sorry ", "<think>", "```\n", "```", "**", "1. a\n", "[[", "{\"a\":", "[1,", "a b\n\n", "John said he ",
]  # fmt: skip
"""What is repeated. A text also has an end that is no part of the repetition: what fails there is tried again."""
HEADS = [
    "score", "score is ", "rate ", "give it ", "answer is ", "4", "I'm sorry", "I am ", "as an AI ", "John",
    "(", '"', "<think>", "```\n", 'x="',
]  # fmt: skip
"""What may stand before a long repetition of one character."""
FILLS = [" ", "\n", "-", "0", "a"]
FORMS = [*(("", unit) for unit in UNITS), *((head, fill) for head in HEADS for fill in FILLS)]
LONGEST = int(os.environ.get("FAIRBRIEF_LONGEST_TEXT", "6250"))
"""Characters of the longest text that whole functions are given; patterns get twice as many. `make fuzz`: 100,000."""
SIZES = [400, 1_600, 6_250, 12_500, 25_000, 50_000, 100_000]
MOST_GROWTH = 3.0
"""Times that the processor time may grow where the text doubles: 2 is linear, 4 quadratic."""
NEGLIGIBLE = 0.025
"""Seconds of processor time below which growth says nothing."""


TURNS = count()


def text_of(form: tuple[str, str], size: int) -> str:
    """About so many characters; no text comes twice, so that none is remembered."""
    head, unit = form
    return f"{head}{unit * (size // len(unit))}x\u00e9!{next(TURNS)}"


def grows_too_fast(call: Callable[[str], object], form: tuple[str, str], longest: int) -> str:
    """Where the time of a call grows faster than the text; empty where it nowhere does.

    The longest comes first: where it takes hardly any time, no other size need be timed. Else each size is timed
    once; where that says that it grows too fast, the shortest of several tries decides, since another process can
    only lengthen a try.
    """
    if _seconds(call, text_of(form, longest)) <= NEGLIGIBLE:
        return ""
    before = size_before = 0.0
    for size in (size for size in SIZES if size <= longest):
        text = text_of(form, size)
        took = _seconds(call, text)
        if before and took > NEGLIGIBLE:
            allowed = MOST_GROWTH ** math.ceil(math.log2(size / size_before / 1.01))
            for _ in range(8 if took < 2 else 0):
                if took > allowed * before:
                    before = min(before, _seconds(call, text_of(form, int(size_before))))
                    took = min(took, _seconds(call, text_of(form, size)))
            if took > max(NEGLIGIBLE, allowed * before):
                return f"{form!r}: {size_before:,.0f} characters {before:.3f} s, {size:,} characters {took:.3f} s"
        before, size_before = took, size
    return ""


def found(call: Callable[[str], object], longest: int = LONGEST) -> str:
    """The first unit on which a call is too slow; empty if there is none."""
    return next(filter(None, (grows_too_fast(call, form, longest) for form in FORMS)), "")


def _seconds(call: Callable[[str], object], text: str) -> float:
    gc.disable()
    try:
        began = time.process_time()
        call(text)
        return time.process_time() - began
    finally:
        gc.enable()
