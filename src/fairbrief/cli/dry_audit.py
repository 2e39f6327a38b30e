"""``fairbrief audit --dry-run``: what judges behind a chat service would be asked."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from fairbrief.cli import spending_options as spend

if TYPE_CHECKING:
    from fairbrief.auditing import Plan
    from fairbrief.chat.replies import Question
    from fairbrief.types import Case


def print_judges(cases: Iterable[Case], plan: Plan, cache: Path | None, price: str | None) -> None:
    """Go the audit's whole way with judges that answer nothing, and print what they would have been asked."""
    from dataclasses import replace

    from fairbrief.auditing import audit
    from fairbrief.chat.spending import Budget, price_of
    from fairbrief.engines.preflight import Forecast
    from fairbrief.engines.score_cache import Store
    from fairbrief.scorers.foreseen import foreseeing

    forecast = Forecast()
    shown: set[str] = set()

    def tell(name: str, question: Question) -> None:
        forecast.wanted += 1
        forecast.ask(question)
        if name not in shown:
            shown.add(name)
            forecast.show(name, question)

    def held(maker: str, keys: Sequence[tuple[str, ...]]) -> Collection[tuple[str, ...]]:
        if cache is None:
            return ()
        with closing(Store(cache)) as store:
            found = store.read(maker, keys)
        forecast.wanted += len(found)
        return found

    audit(
        cases,
        replace(
            plan, n_resamples=0, wrap=foreseeing(tell, held), workers=1, engine="", models_in_workers=False
        ),
    )
    spend.print_forecast(forecast, Budget(price=price_of(price)))
