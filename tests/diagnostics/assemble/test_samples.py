"""Tests of settling: reward functions, total and split of samples, as the run's settings and curves tell them."""

import math
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from diagnostics.api import open_run
from diagnostics.assemble.samples import resolve_samples
from diagnostics.model.recording import Recording, Source
from diagnostics.model.samples import Sample, Samples
from diagnostics.model.series import RawSeries, Series
from diagnostics.producers import trl

FIXTURES = Path(__file__).parents[2] / "fixtures" / "trl" / "grpo116"


def series(*names: str) -> dict[str, Series]:
    return {name: Series(name, name, np.array([1]), np.array([0.5])) for name in names}


def settled_sample(sample: Sample, config: dict[str, Any], form: str = "wandb", *others: str) -> Sample:
    path = Path("log")
    samples = Samples((sample.step,), lambda step: (sample,))
    recording = Recording(
        path=path, sources=(Source(form, path),), run_id="a", name="a", tags=dict[str, RawSeries](), samples=samples
    )
    known = series("reward_func_mean/right", "reward_func_mean/short", *others)
    return resolve_samples(recording, trl.PRODUCER, config, known).at(sample.step)[0]


ROW = Sample(1, "q", "a", rewards={"right": 1.0, "short": -0.5, "chars": 12.0}, extra={"note": "x"})


def test_the_score_is_the_weighted_sum_and_other_columns_are_no_rewards() -> None:
    found = settled_sample(ROW, {"reward_weights": [2.0, 1.0]})

    assert found.score == 1.5
    assert found.rewards == {"right": 1.0, "short": -0.5}
    assert found.extra == {"note": "x", "chars": 12.0}


def test_settings_without_weights_weigh_all_alike() -> None:
    assert settled_sample(ROW, {"reward_weights": None, "beta": 0.0}).score == 0.5


def test_without_settings_no_total_is_invented() -> None:
    assert settled_sample(ROW, {}).score is None


@pytest.mark.parametrize("weights", [[1.0], ["a", "b"], 3])
def test_weights_that_do_not_fit_give_no_total(weights: Any) -> None:
    assert settled_sample(ROW, {"reward_weights": weights}).score is None


def test_a_function_that_returned_nothing_counts_as_nothing_and_all_of_them_as_nan() -> None:
    one = Sample(1, "q", "a", rewards={"right": math.nan, "short": -0.5})
    none = Sample(1, "q", "a", rewards={"right": math.nan, "short": math.nan})

    assert settled_sample(one, {"beta": 0.0}).score == -0.5
    assert math.isnan(settled_sample(none, {"beta": 0.0}).score or 0.0)


def test_functions_whose_columns_were_not_known_are_found_by_the_runs_curves() -> None:
    row = Sample(1, "q", "a", extra={"right": 1.0, "short": 0.0, "advantages": 0.5})

    assert settled_sample(row, {"beta": 0.0}).rewards == {"right": 1.0, "short": 0.0}


def test_where_an_evaluations_file_replaced_the_trainings_its_samples_are_evaluations() -> None:
    assert settled_sample(ROW, {}, "completions", "eval/reward").split == "eval"
    assert settled_sample(ROW, {}, "wandb", "eval/reward").split == "train"


def test_a_real_run_without_a_tracker_tells_training_and_evaluation_apart(tmp_path: Path) -> None:
    shutil.copytree(FIXTURES / "out", tmp_path / "out")

    run = open_run(tmp_path / "out")

    splits = {step: {sample.split for sample in run.samples.at(step)} for step in run.samples.steps}
    assert [source.format for source in run.sources] == ["tensorboard", "completions"]
    assert {step for step, found in splits.items() if found == {"eval"}} == {4, 6}
    assert "nchar" in run.samples.at(3)[0].extra
