"""The answers to the requests of the page of ``fairbrief view``, and the page over HTTP, only on this machine and with the token."""

from __future__ import annotations

import hmac
import json
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import chain
from pathlib import Path
from threading import Lock
from typing import Any
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from fairbrief.auditing.record_values import RowReader, reader_of
from fairbrief.auditing.scorer_lookup import Scorers
from fairbrief.errors import DataError, FairbriefError, RequestError
from fairbrief.reports import audit_folder, json_file, number_format
from fairbrief.reports.html import digest, page, script_text, style_text
from fairbrief.reports.json_file import visible_all
from fairbrief.reports.result import Examples, Row
from fairbrief.reports.wording import Context, measure_label, ordered_groups
from fairbrief.saved import saved_inputs
from fairbrief.saved.examples import open_case
from fairbrief.saved.saved_inputs import SavedTexts
from fairbrief.types import Data, Floats, over_of

PAGE = 50
"""Records per page of the list."""
ROBUST = "robust"
"""The order that begins with differences that hold whatever the scorers missed."""


class Answers:
    """Answers about one audit, or several that are compared; a system's key is ``NUMBER:SYSTEM``."""

    def __init__(self, audits: Sequence[OpenAudit]) -> None:
        self._audits = audits
        self._scorers = Scorers()
        self._systems = {
            f"{i}:{name}": (saved, name) for i, saved in enumerate(audits) for name in saved.result.systems
        }

    def about(self) -> dict[str, Any]:
        """The audits, systems and measures to choose from, and what to open first."""
        first, several = self._audits[0], len(self._audits) > 1
        systems = first.result.systems
        over = {e.measure: e.over for e in first.result.estimates}
        primary = {e.measure for e in first.result.estimates if e.is_primary}
        context = Context(first.result)
        lead = context.first if context.panels else None
        known = (spec for spec in first.measures if spec in over)
        ordered = sorted(known, key=lambda x: (lead is None or x != lead.measure, x not in primary))
        system = lead.system if lead and lead.system in systems else next(iter(systems), "")
        other = f"1:{system}" if several and system in self._audits[1].result.systems else ""
        return {
            "start": {
                "measure": next(iter(ordered), ""), "system": f"0:{system}", "other": other, "order": "",
            },
            "audits": [saved.name for saved in self._audits],
            "faults": [f"{saved.name}: {saved.fault}" for saved in self._audits if saved.fault],
            "systems": [
                {"key": key, "name": f"{saved.name}: {name}" if several else name}
                for key, (saved, name) in self._systems.items()
            ],
            "measures": [{"spec": spec, "label": measure_label(spec, over[spec])} for spec in ordered],
        }  # fmt: skip

    def rows(
        self, measure: str, system: str, other: str = "", order: str = "", search: str = "", start: str = ""
    ) -> dict[str, Any]:
        """One page of the list: ids with values, and the total.

        Lists a measure of a system, maybe minus an ``other`` one's, in an order, with the words of ``search`` in the texts.
        """
        listing = self._listing(measure, system)
        orders = dict(self._orders(listing, compared=bool(other)))
        chosen = order if order in orders else next(iter(orders))
        way, _, quantity = chosen.partition("|")
        values = listing.values[quantity]
        beside = _values_beside(listing, self._listing(measure, other), quantity) if other else None
        ranked = values if beside is None else values - beside
        places = np.arange(len(ranked))
        if words := search.lower().split():
            ids = self._texts_of(system, "searched").search(*words)
            found = pc.is_in(listing.record, pa.array(sorted(ids), pa.string()))
            places = np.flatnonzero(found.to_numpy(zero_copy_only=False))
        # Records without a value are last.
        usual = (-np.abs(ranked),)
        by = {"up": (ranked,), "down": (-ranked,), ROBUST: (*usual, -listing.robust)}.get(way, usual)
        places = places[np.lexsort([keys[places] for keys in by])]
        first = int(start) if start.isdecimal() else 0
        return {
            "total": len(places),
            "of": len(values),
            "start": first,
            "size": PAGE,
            "orders": list(orders.items()),
            "order": chosen,
            "compared": beside is not None,
            "robust": int(np.count_nonzero(listing.robust[places])) if way == ROBUST else None,
            "rows": [
                {
                    "record": listing.record[i].as_py(),
                    "value": json_file.plain(values[i]),
                    "other": None if beside is None else json_file.plain(beside[i]),
                    "label": listing.label(i) if way == ROBUST else "",
                    "doubt": listing.doubt(i),
                }
                for i in places[first : first + PAGE].tolist()
            ],
        }

    def record(self, measure: str, system: str, record: str) -> dict[str, Any]:
        """One record of one system, for the page's record view."""
        saved, name = self._named(system)
        listing = self._listing(measure, system)
        place = pc.index(listing.record, record).as_py()
        if place < 0:
            raise RequestError(f"'{measure}' has no value for the record '{record}' of '{name}'.")
        cases = self._texts_of(system, "shown").unit(record, name)
        values = {q: float(of[place]) for q, of in listing.values.items() if np.isfinite(of[place])}
        p = None if np.isnan(listing.p[place]) else float(listing.p[place])
        row, texts, support = open_case(Row(measure, name, record, values, p, ""), cases, self._scorers)
        over = next((e.over for e in saved.result.estimates if e.measure == measure), "")
        known = ordered_groups(d.attributes[over] for d in texts.documents if over in d.attributes)
        told = saved.result.made.get("attributes", {}).get("document", {}).get(over, known)
        groups = ordered_groups([*told, *known])
        found = {"row": row, "texts": texts, "support": support, "over": over, "groups": groups}
        return {**json_file.plain(found), "doubt": listing.doubt(place)}

    # ------------------------------------------------------------------------------- requested lists

    def _named(self, key: str) -> tuple[OpenAudit, str]:
        if key not in self._systems:
            raise RequestError(f"There is no system '{key}'.")
        return self._systems[key]

    def _texts_of(self, system: str, done: str) -> SavedTexts:
        saved, _ = self._named(system)
        if saved.texts is None:
            raise DataError(f"The texts of {saved.name} cannot be {done}. {saved.fault}")
        return saved.texts

    def _listing(self, measure: str, system: str) -> Listing:
        saved, name = self._named(system)
        return saved.listing(measure, name)

    def _orders(self, listing: Listing, *, compared: bool) -> list[tuple[str, str]]:
        """The orders of the list, each with its name; the first is the usual one."""
        main, found = listing.main_value, []
        if listing.groups and not compared:
            found.append((f"{ROBUST}|{main}", "most robust difference first"))
        up, down = ("largest fall", "largest rise") if compared else ("lowest", "highest")
        size = "difference" if compared else "value"
        for name in (name for name in listing.values if name != main):
            group = name.partition("[")[2].removesuffix("]")
            group += ", relative" if name.startswith("relative") else ""
            found += [(f"up|{name}", f"{group}: {up} first"), (f"down|{name}", f"{group}: {down} first")]
        return [*found, (f"size|{main}", f"{main}: largest {size} first")]


def _values_beside(listing: Listing, other: Listing, quantity: str) -> Floats:
    """The other system's value of each record; nan if it has none."""
    values = pa.array(other.values.get(quantity, np.full(len(other.record), np.nan)))
    found = values.take(pc.index_in(listing.record, other.record)).fill_null(np.nan)
    return np.asarray(found.to_numpy(zero_copy_only=False))


# ------------------------------------------------------------------------- saved per-record statistics


KEPT = 2
"""Listings in memory: one system and the one it is compared with. A million records take some 90 MB each."""
PLACES = ("system", "record", "reason", "p")


class Listing(Data, frozen=True):
    """The usable records of one measure and system: ``record`` (n,) ids, ``values`` per quantity (n,), ``p`` (n,) or nan.

    ``agreed`` is by group (n,) the smallest possible distance of its difference from the baseline on which all scorers of the
    audit agree (`RowReader.surely`), 0 if there is none; ``robust`` (n,) is the size of the largest of them.
    """

    record: pa.Array
    values: Mapping[str, Floats]
    p: Floats
    main_value: str
    groups: Mapping[str, str]
    """By group, the name of its difference in ``values``."""
    agreed: Mapping[str, Floats]
    robust: Floats

    def label(self, place: int) -> str:
        """A record's most robust group difference; if none is robust, the largest."""
        differences = {group: self.values[name] for group, name in self.groups.items()}
        least = self.robust[place]
        known = self.agreed if least else differences
        group = max(self.groups, key=lambda group: np.nan_to_num(abs(known[group][place]), nan=-1.0))
        value = differences[group][place]
        if not np.isfinite(value):
            return "no value"
        bound = f", at least {number_format.number(least, 3)}" if least else "?"
        return f"{group} {number_format.signed(value)}{bound}"

    def doubt(self, place: int) -> str:
        """Why no group difference of a record is robust; empty if one is."""
        if not self.groups or self.robust[place]:
            return ""
        return (
            "No robust difference: the scorers of the audit disagree, or the words that they did not find could be "
            "paraphrases of documents of any group."
        )


class OpenAudit:
    """An open folder that ``fairbrief audit --out`` wrote: estimates in memory, per-record statistics and texts on disk.

    ``measures`` maps each spec to its observation. ``texts`` is None if they cannot be read; ``fault`` is a reason for doubting them.
    Raises DataError for another folder. From here on, Arrow allocates memory from the system: its own pool never releases memory,
    which costs a tenth more for a million records.
    """

    def __init__(self, folder: Path, name: str = "") -> None:
        pa.set_memory_pool(pa.system_memory_pool())
        saved, rows = audit_folder.opened(folder)
        self.name, self.result = name or folder.resolve().name, saved.result(rows, Examples(), None)
        self.measures, self.listing = rows.measures, lru_cache(maxsize=KEPT)(self._read)
        self.texts: SavedTexts | None = None
        if (inputs := saved_inputs.read(folder, saved.audit)) is None:
            self.fault = (
                "The audit has no paths of its inputs: it was not made by 'fairbrief audit … --out DIR'."
            )
            return
        self.fault = next(iter(saved_inputs.faults_of(folder, inputs).values()), "")
        try:
            reading = saved_inputs.reading_of(folder, inputs)
            self.texts = SavedTexts(reading, pools_runs=bool(saved.made.get("pools_runs")))
        except FairbriefError as error:
            self.fault = self.fault or str(error)

    def _read(self, spec: str, system: str) -> Listing:
        """A measure's values for each record of a system."""
        if (observation := self.measures.get(spec)) is None:
            raise RequestError(f"{self.name} has no measure '{spec}'.")
        reader = reader_of(spec, self.result.rows.schemas[observation])
        if reader is None:
            raise DataError(f"The measure {spec} is from a plug-in that is not installed here.")
        pieces = [
            (rows["record"].cast(pa.string()).chunks, rows["p"], reader.values(rows), reader.surely(rows))
            for rows in self._rows_of(observation, reader, system)
        ]
        records, ps, values, sure = zip(*pieces, strict=True)
        record = pa.chunked_array([*chain.from_iterable(records)], pa.string()).combine_chunks()
        groups = reader.differences if len(record) else {}
        agreed = {group: np.concatenate([of[group] for of in sure]) for group in groups}
        # Each part is freed when it was copied.
        joined = {name: np.concatenate([of.pop(name) for of in values]) for name in list(values[0])}
        p = np.concatenate([of.cast(pa.float64()).to_numpy() for of in ps])
        for other, its in self._others(spec, reader).items():
            self._agree(agreed, record, self._rows_of(other, its, system), its)
        robust = np.max([np.zeros(len(record)), *map(np.abs, agreed.values())], axis=0)
        return Listing(record, joined, p, reader.measure.name, groups, agreed, robust)

    def _rows_of(self, observation: str, reader: RowReader, system: str) -> Iterator[pa.Table]:
        """The usable rows of a system, with the columns of a measure."""
        wanted = {*PLACES, *reader.names.values()}
        for rows in self.result.rows.each_of(observation, wanted.__contains__):
            yield rows.filter(pc.and_(pc.equal(rows["system"], system), pc.is_null(rows["reason"])))

    def _others(self, spec: str, reader: RowReader) -> dict[str, RowReader]:
        """The other observations by the same attribute, each with one of its measures with group differences, preferably with
        bounds.
        """
        chosen: dict[str, RowReader] = {}
        over = over_of(reader.measure)
        for other, observation in self.measures.items():
            if not over or other == spec or (observation == self.measures[spec] and reader.has_bounds):
                continue
            its = reader_of(other, self.result.rows.schemas[observation])
            if its is None or over_of(its.measure) != over:
                continue
            if its.differences and (observation not in chosen or its.has_bounds):
                chosen[observation] = its
        return chosen

    @staticmethod
    def _agree(
        agreed: dict[str, Floats], record: pa.Array, pieces: Iterable[pa.Table], reader: RowReader
    ) -> None:
        """Set to 0 the differences that have, or may have, the opposite sign by another scorer, whose rows come in pieces."""
        contrasts, has_bounds = reader.differences, reader.has_bounds
        for rows in pieces:
            place = pc.index_in(record, rows["record"].cast(pa.string()).combine_chunks())
            values, surely = reader.values(rows), reader.surely(rows)
            here = np.flatnonzero(pc.is_valid(place).to_numpy(zero_copy_only=False))
            there = place.take(pa.array(here)).to_numpy(zero_copy_only=False).astype(np.int64)
            for group in contrasts.keys() & agreed.keys():
                own = agreed[group][here]
                opposes = values[contrasts[group]][there] * own < 0
                unsure = has_bounds & (surely[group][there] * own <= 0)
                agreed[group][here[opposes | unsure]] = 0.0


# ------------------------------------------------------------------------- the page over HTTP


SCRIPTS = ("elements.js", "record_view.js", "record_list.js", "view_page.js")
HOST = "127.0.0.1"
ASKED = {
    "about": (),
    "rows": ("measure", "system", "other", "order", "search", "start"),
    "record": ("measure", "system", "record"),
}
"""The requests of the page, which are methods of `Answers`, and their parameters."""


class Server(ThreadingHTTPServer):
    """Serves one page under a secret address on the loopback interface."""

    daemon_threads = True

    def __init__(self, answers: Answers, port: int = 0) -> None:
        super().__init__((HOST, port), _Handler)
        self.answers = answers
        self.token = secrets.token_urlsafe(24)
        self.lock = Lock()
        """One answer at a time, because the open files have one read position each."""
        script, style = "".join(script_text(name) for name in SCRIPTS), style_text()
        self.page = page("view.html.j2", {}, scripts=SCRIPTS).encode()
        self.policy = (
            f"default-src 'none'; style-src 'sha256-{digest(style)}'; script-src 'sha256-{digest(script)}'; "
            "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
        )

    @property
    def address(self) -> str:
        """The address of the page."""
        return f"http://{HOST}:{self.server_port}/{self.token}/"

    def answer(self, name: str, given: Mapping[str, str]) -> dict[str, Any]:
        """The answer to one request of the page."""
        with self.lock:
            found: dict[str, Any] = getattr(self.answers, name)(*(given.get(key, "") for key in ASKED[name]))
            return found


class _Handler(BaseHTTPRequestHandler):
    server: Server
    server_version, sys_version = "fairbrief", ""

    def do_GET(self) -> None:
        asked = urlsplit(self.path)
        token, _, name = asked.path.removeprefix("/").partition("/")
        # Under another host name, a foreign page was rebound to this address.
        is_here = self.headers.get("Host", "").rpartition(":")[0] in (HOST, "localhost")
        is_known = is_here and hmac.compare_digest(token.encode(), self.server.token.encode())
        code, kind, body = 404, "text/plain", b"There is nothing here."
        if is_known and not name:
            code, kind, body = 200, "text/html", self.server.page
        elif is_known and name in ASKED:
            try:
                given = {key: found[-1] for key, found in parse_qs(asked.query).items()}
                code, found = 200, visible_all(self.server.answer(name, given))
            except FairbriefError as error:
                code, found = 400, {"error": str(error)}
            kind, body = "application/json", json.dumps(found, allow_nan=False).encode()
        headers = {
            "Content-Type": f"{kind}; charset=utf-8",
            "Content-Length": str(len(body)),
            "Content-Security-Policy": self.server.policy,
            "Cache-Control": "no-store",
            "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
        }
        self.send_response(code)
        for key, value in headers.items():
            self.send_header(key, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Requests are not logged."""
