"""Tests of the callback in real trainings of transformers' Trainer, on a model of one number."""

import json
import logging
import math
import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import Trainer, TrainerState, TrainingArguments

import rlvitals
from diagnostics.api import open_run
from diagnostics.runlog import RUN_FILE

pytestmark = pytest.mark.process

AtStep = Callable[[int], float]


class OneNumber(torch.nn.Module):
    """A model whose loss is what `at_step` says of the step."""

    def __init__(self, at_step: AtStep) -> None:
        super().__init__()
        self.number = torch.nn.Parameter(torch.ones(()))
        self.steps, self._at_step = 0, at_step

    def forward(self, x: torch.Tensor) -> dict[str, torch.Tensor]:
        self.steps += 1
        return {"loss": self.number * self._at_step(self.steps)}


@pytest.fixture(autouse=True)
def _usual_sigterm() -> Iterator[None]:
    """SIGTERM as a new process has it, whatever a training in this one has left."""
    before = signal.signal(signal.SIGTERM, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGTERM, before)


def train(
    folder: Path, callback: Any, steps: int, at_step: AtStep = lambda step: 1.0 / step, **options: Any
) -> tuple[TrainerState, TrainingArguments]:
    args = TrainingArguments(
        str(folder), max_steps=steps, logging_steps=1, report_to="none", use_cpu=True, save_strategy="no",
        disable_tqdm=True, per_device_train_batch_size=1, max_grad_norm=0.0, **options,
    )  # fmt: skip
    rows = [{"x": torch.zeros(())} for _ in range(steps)]
    trainer = Trainer(OneNumber(at_step), args, train_dataset=rows, callbacks=[callback])  # type: ignore[arg-type]
    trainer.train()
    return trainer.state, args


def logged(run: Path) -> dict[int, dict[str, float]]:
    rows = map(json.loads, (run / "events.jsonl").read_text("utf-8").splitlines())
    found: dict[int, dict[str, float]] = {}
    for row in rows:
        found.setdefault(row["step"], {}).update(row["metrics"])
    return found


def test_a_training_is_logged_with_its_nan_beside_its_outputs_and_listed_as_one_run(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "out"
    with caplog.at_level(logging.WARNING, "rlvitals"):
        state, args = train(folder, rlvitals.DiagnosisCallback(), 12, lambda step: math.nan if step > 5 else 1.0 / step)
    assert (state.global_step, args.logging_nan_inf_filter) == (12, True)
    losses = [metrics["loss"] for metrics in logged(folder / "rlvitals").values()]
    assert [math.isnan(loss) for loss in losses] == [False] * 5 + [True] * 7
    assert [round(loss, 3) for loss in losses[:2]] == [1.0, 0.5]
    run = open_run(folder)
    assert (run.path, run.name, run.status.state, run.status.total) == (folder / "rlvitals", "out", "finished", 12)
    assert run.config["logging_nan_inf_filter"] is False  # what was in force
    told = [record.getMessage() for record in caplog.records]
    assert told[-1].endswith(f"; rlvitals diagnose {folder / 'rlvitals'} tells more")

    train(folder, rlvitals.DiagnosisCallback(), 2)  # another training into the same folder
    assert list(logged(folder / "rlvitals-2")) == [1, 2]


def test_a_sick_training_stops_with_a_checkpoint_and_says_why(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    def slow_and_sick(step: int) -> float:
        time.sleep(0.05)
        return math.nan if step > 3 else 1.0

    callback = rlvitals.DiagnosisCallback(stop_on="nonfinite-metric", confirmations=2)
    with caplog.at_level(logging.WARNING, "rlvitals"):
        state, _ = train(tmp_path, callback, 1000, slow_and_sick)
    told = [record.getMessage() for record in caplog.records]
    assert told[0].startswith("rlvitals: CRITICAL ")
    assert (
        f"rlvitals: the training stops after step {state.global_step}, with a checkpoint: {callback.stopped_for}"
        in told
    )
    assert state.global_step < 1000
    assert callback.stopped_for == "numerical-breakdown, critical"
    assert (tmp_path / f"checkpoint-{state.global_step}").is_dir()
    assert open_run(tmp_path).status.state == "stopped"


def test_rlvitals_stop_ends_it_with_a_checkpoint_and_leaves_the_signal_as_it_was(tmp_path: Path) -> None:
    def stopped_at_three(step: int) -> float:
        if step == 3:
            os.kill(os.getpid(), signal.SIGTERM)
        return 1.0

    callback = rlvitals.DiagnosisCallback()
    state, _ = train(tmp_path, callback, 10, stopped_at_three)
    assert (state.global_step, callback.stopped_for) == (3, "asked to")
    assert (tmp_path / "checkpoint-3").is_dir()
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_whatever_goes_wrong_in_it_costs_one_warning_and_no_step(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("")
    with caplog.at_level(logging.WARNING, "rlvitals"):
        state, args = train(tmp_path / "out", rlvitals.DiagnosisCallback(run_dir=tmp_path / "file" / "run"), 5)
    (told,) = [record.getMessage() for record in caplog.records]
    assert (state.global_step, args.logging_nan_inf_filter) == (5, True)
    assert told.startswith(
        "rlvitals no longer follows this training, which goes on: RunLogError: cannot write a run to"
    )


def test_a_word_that_is_nothing_to_stop_for_is_refused_before_the_training() -> None:
    with pytest.raises(ValueError, match=r"stop_on='nonfinite-metrics' is neither .* did you mean 'nonfinite-metric'"):
        rlvitals.DiagnosisCallback(stop_on="nonfinite-metrics")


def test_a_resumed_training_goes_on_in_its_run_directory(tmp_path: Path) -> None:
    def interrupted(step: int) -> float:
        if step == 4:
            os.kill(os.getpid(), signal.SIGTERM)
        return 1.0

    train(tmp_path, rlvitals.DiagnosisCallback(), 6, interrupted)
    before = json.loads((tmp_path / "rlvitals" / RUN_FILE).read_text())["run_id"]
    args = TrainingArguments(
        str(tmp_path), max_steps=6, logging_steps=1, report_to="none", use_cpu=True, save_strategy="no",
        disable_tqdm=True, per_device_train_batch_size=1,
    )  # fmt: skip
    rows = [{"x": torch.zeros(())} for _ in range(6)]
    callbacks: Any = [rlvitals.DiagnosisCallback()]
    Trainer(OneNumber(lambda step: 2.0), args, train_dataset=rows, callbacks=callbacks).train(
        resume_from_checkpoint=str(tmp_path / "checkpoint-4")
    )
    run = open_run(tmp_path)
    assert (run.run_id, run.status.state, run.resumed_after) == (before, "finished", (4,))
    assert list(logged(tmp_path / "rlvitals")) == [1, 2, 3, 4, 5, 6]
