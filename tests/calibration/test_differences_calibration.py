"""Seeded audits of writers that see no label: how often two of unequal length are said to differ."""

from tests.unit.test_differences import audited, blind_writers

from fairbrief.reports import wording

AUDITS = 30


def test_blind_writers_of_unequal_length_rarely_differ() -> None:
    """Of 1, 2 and 4 sentences, where words tell the label and one side is rare: at most 6.5 % and three standard errors."""
    single, families = [], []
    for seed in range(AUDITS):
        result = audited(blind_writers((1, 2, 4), 20, seed), "uer@side", "coverage_parity@side")
        led = [wording.from_random(e) for e in result.differences if e.is_primary]
        single.append([e.p <= 0.05 for e in led if e.p is not None])
        families.append(any(e.p_adjusted <= 0.05 for e in led if e.p_adjusted is not None))
    rejected = [sum(of) / len(of) for of in single]
    error = (sum((x - sum(rejected) / AUDITS) ** 2 for x in rejected) / (AUDITS - 1) / AUDITS) ** 0.5
    assert sum(rejected) / AUDITS <= 0.065 + 3 * error
    assert sum(families) / AUDITS <= 0.1 + 3 * (0.1 * 0.9 / AUDITS) ** 0.5  # two families
