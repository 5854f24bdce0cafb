"""Tests of what derived metrics change in a diagnosis: fewer blind spots, and every use of one is told."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from diagnostics.api import diagnose, open_run
from diagnostics.curves.selection import other_series
from diagnostics.model.diagnosis import Diagnosis
from diagnostics.report.forms import rendered
from diagnostics.report.report import Report

MakeLog = Callable[..., Path]
STEPS = 120
SPREAD = "Reward spread is not logged but derived from critic/score/mean, critic/score/min, critic/score/max"


@pytest.fixture
def verl_log(tmp_path: Path) -> MakeLog:
    """verl's file logger: GRPO with rewards of 0 and 1, ever more of them 1; or all about 0.5 after a third of it."""

    def write(is_narrowing: bool = False) -> Path:
        draw = np.random.default_rng(0)
        rows = []
        for step in range(1, STEPS + 1):
            mean, apart = draw.binomial(256, 0.2 + 0.5 * step / STEPS) / 256, 0.5
            if is_narrowing:
                mean, apart = 0.5 + 1e-3 * draw.normal(), 0.5 if step < STEPS / 3 else 0.01
            row = {"critic/score/mean": mean, "critic/score/min": 0.5 - apart, "critic/score/max": 0.5 + apart}
            row |= {"actor/ppo_kl": 1e-4 * draw.normal(), "actor/entropy": 0.4 + 0.02 * draw.normal()}
            row |= {"actor/pg_clipfrac": 2e-3, "actor/grad_norm": 0.3 + 0.02 * draw.normal()}
            row |= {"actor/pg_loss": 0.01 * draw.normal(), "response_length/mean": 200 + 2 * draw.normal()}
            row |= {"response_length/clip_ratio": 0.01}
            rows.append(json.dumps({"step": step, "data": row}) + "\n")
        file = tmp_path / "run.jsonl"
        file.write_text("".join(rows))
        return file

    return write


def text(diagnosis: Diagnosis, form: str) -> str:
    return rendered(Report((diagnosis,)), form)


def outcome(diagnosis: Diagnosis, rule: str) -> dict[str, Any]:
    (run,) = json.loads(text(diagnosis, "json"))["runs"]
    return next(item for item in run["outcomes"] if item["rule"] == rule)


def test_a_run_of_verl_can_be_healthy_by_the_extremes_of_its_scores(verl_log: MakeLog) -> None:
    diagnosis = diagnose(open_run(verl_log()))
    assert (diagnosis.verdict, diagnosis.vital_missing) == ("healthy", ())
    (told,) = outcome(diagnosis, "reward-std-shrink")["derived"]
    assert told["metric"] == "reward_std"
    assert told["from"] == ["critic/score/mean", "critic/score/min", "critic/score/max"]
    assert told["precision"] == "upper bound"


def test_without_the_extremes_the_spread_stays_a_blind_spot(verl_log: MakeLog) -> None:
    file = verl_log()
    file.write_text(file.read_text().replace("critic/score/m", "my/m").replace("my/mean", "critic/score/mean"))
    assert diagnose(open_run(file)).verdict == "no-problem-found"


def test_a_finding_says_that_its_metric_was_derived(verl_log: MakeLog) -> None:
    diagnosis = diagnose(open_run(verl_log(is_narrowing=True)))
    assert outcome(diagnosis, "reward-std-shrink")["verdict"] == "fired"
    assert all(SPREAD in " ".join(text(diagnosis, form).split()) for form in ("text", "html"))
    assert SPREAD in text(diagnosis, "markdown").replace("\\", "")


def test_a_derived_curve_is_drawn_under_a_title_that_says_so(verl_log: MakeLog) -> None:
    diagnosis = diagnose(open_run(verl_log()))
    assert "reward_std" in [series.name for series in other_series(diagnosis.run, diagnosis.outcomes)]
    assert "Reward spread, derived" in text(diagnosis, "html")


def test_the_spread_of_a_batch_says_nothing_of_single_groups(verl_log: MakeLog) -> None:
    assert outcome(diagnose(open_run(verl_log())), "tiny-std-amplification")["verdict"] == "skipped"


def test_a_derived_metric_is_not_exported_as_logged(verl_log: MakeLog) -> None:
    run = open_run(verl_log())
    assert run.get("reward_std") is not None
    assert "reward_std" not in run.series
