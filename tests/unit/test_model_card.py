"""The head of a model card, read by the hub's own client."""

from __future__ import annotations

import math

import pytest
from tests import sample_results
from tests.cli.command import printed

from fairbrief.reports import exports, write_all


def test_the_hubs_client_reads_every_system_and_value() -> None:
    """Each headline stands in it with its value, whatever the names hold."""
    yaml = pytest.importorskip("yaml")
    data = pytest.importorskip("huggingface_hub.repocard_data")
    for result in (sample_results.make(), sample_results.hostile()):
        text = exports.model_card(result)
        assert text.startswith("---\n")
        assert text.endswith("\n---\n")
        assert text.count("\n---\n") == 1
        head = yaml.safe_load(text.strip().strip("-"))
        found = []
        for model in head["model-index"]:
            name, results = data.model_index_to_eval_results([model])
            assert name == model["name"]
            found += [(one.metric_type, one.metric_value) for one in results]
        told = [
            e
            for e in result.estimates
            if e.value is not None and not e.slice and e.quantity == e.measure.partition("@")[0]
        ]
        assert len(found) == len(told) > 5
        assert all(math.isfinite(value) for _, value in found)
        assert {kind for kind, _ in found} >= {"bur", "uer"}


def test_the_command_prints_it(tmp_path: object) -> None:
    """``fairbrief report DIR --format model-card`` goes to standard output."""
    write_all(sample_results.make(), str(tmp_path))
    assert printed("report", str(tmp_path), "--format", "model-card").startswith("---\nmodel-index: [")
