"""A run of `fairbrief summarize` against a server that misbehaves, killed again and again; what became of it."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from tests.stub_chat import StubChat, echo

FAULTS = {
    "429": 0.04, "429-date": 0.01, "500": 0.02, "503": 0.01, "slow": 0.02, "cut": 0.02, "drop": 0.02,
    "malformed": 0.02, "shape": 0.01, "refuse": 0.02, "filter": 0.005, "empty": 0.01,
}  # fmt: skip
TEMPLATE = "Sum up in one sentence:\n{documents}\n"


def prompt_of(i: int) -> str:
    """What the template makes of record i."""
    return f"Sum up in one sentence:\n1. Review {i}: it rattles.\n2. Review {i}: it shines."


def survive(folder: Path, records: int, kills: int, concurrency: int, seed: int = 0) -> dict[str, Any]:
    """Summarize ``records`` records, killing the process with signal 9 ``kills`` times on the way; what that left behind.

    ``paid`` counts answers that the server sent whole, and those of filters; ``paid_twice`` those beyond one for each record.
    """
    source, out, template = folder / "records.jsonl", folder / "out.jsonl", folder / "prompt.txt"
    template.write_text(TEMPLATE)
    with source.open("w") as lines:
        for i in range(records):
            texts = [f"Review {i}: it rattles.", f"Review {i}: it shines."]
            lines.write(json.dumps({"id": f"r{i}", "documents": texts}) + "\n")
    began = time.perf_counter()
    with StubChat(faults=FAULTS, seed=seed, delay=0.005, keeps_bodies=False) as server:
        command = [
            sys.executable, "-c", "from fairbrief.cli import main; main()", "summarize", str(source),
            "--with", "chat:stub-1(pause=0.02, timeout=30, retries=12)", "--base-url", server.url, "--out", str(out),
            "--prompt", str(template), "--concurrency", str(concurrency), "--quiet",
        ]  # fmt: skip
        for kill in range(kills):
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
            goal = records * (kill + 1) // (kills + 1)
            while sum(server.kinds.values()) < goal and process.poll() is None:
                time.sleep(0.002)
            assert process.poll() is None, "the run ended before it could be killed"
            assert not out.exists(), "there is an output before the run is done"
            process.send_signal(signal.SIGKILL)
            process.wait()
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        requests = server.requests
        written = out.read_bytes()
        subprocess.run(command, check=True, capture_output=True)
        assert out.read_bytes() == written, "a rerun of a finished run changed its output"
        served = server.served
        after = server.requests - requests
        rows = [json.loads(line) for line in written.splitlines()]
        expected = {f"r{i}": echo(prompt_of(i)) for i in range(records)}
        reasons = [row.get("reason", "") for row in rows]
        right = sum(row["summary"] == expected[row["id"]] for row in rows)
        refused, empty = reasons.count("refused"), reasons.count("empty summary")
        paid = sum(served.values()) + server.kinds["filter"]
        return {
            "records": records, "kills": kills, "concurrency": concurrency, "lines": len(rows),
            "in_order": [row["id"] for row in rows] == list(expected), "right": right, "refused": refused, "empty": empty,
            "wrong": len(rows) - right - refused - empty, "paid": paid, "paid_most": max(served.values()), "requests": requests,
            "open_most": server.open_most, "asked_after_the_end": after, "seconds": time.perf_counter() - began,
            "final_line": done.stdout.strip(), "paid_twice": paid - records,
        }  # fmt: skip
