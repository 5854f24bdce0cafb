"""Tests of growing runs: after every refresh, a run equals what a fresh read would find."""

from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.event_files import event, field, framed, scalar
from diagnostics.api import LiveRun, open_run
from diagnostics.assemble import overlap
from diagnostics.assemble.assembler import Assembler, assemble
from diagnostics.assemble.merge import Merger, merge
from diagnostics.model.recording import Recording, Source
from diagnostics.model.run import Run
from diagnostics.model.series import Series
from diagnostics.readers.columns import Columns

TAGS = (
    *("objective/rlhf_reward", "val/ratio", "val/ratio_var", "loss/value_avg", "policy/approxkl_avg"),  # TRL's PPO
    *(
        "episode",
        "num_tokens",
        "reward",
        "reward_std",
        "completions/mean_length",
        "train_runtime",
    ),  # its axis, its GRPO
    *("train/reward", "eval/reward", "clip_ratio", "completion_length", "my/own"),  # prefixes, and an old meaning
    *("train/policy_gradient_loss", "entropy_loss", "losses/total_loss", "policy/sqrt_kl"),  # signs and powers
)
FORMATS = ("rlvitals", "tensorboard", "wandb")
VALUES = (0.0, 0.25, 1.0, 1.0 + 1e-9, -3.0, float("nan"), float("inf"), float("-inf"))
CARD = "- trl: {version}\n"

rows = st.tuples(
    st.lists(st.sampled_from(range(len(FORMATS))), min_size=1, max_size=3, unique=True),  # the logs that are written to
    st.sampled_from([1, 1, 1, 1, 2, 50, 0, -1, -5, None]),  # steps forward; None: back to 0
    st.lists(st.sampled_from(TAGS), min_size=1, max_size=6, unique=True),
    st.sampled_from(VALUES),
    st.sampled_from([*[""] * 12, "replaced", "version", "resumed", "settings", "untimed"]),
)


class Log:
    """One source of a run, which is written to between two refreshes."""

    def __init__(self, form: str) -> None:
        path = Path(form)
        self.columns = Columns()
        self.step = 0
        self.has_times = True
        self.found = Recording(path, (Source(form, path),), form, form, {})

    def write(self, forward: int | None, tags: Sequence[str], value: float, change: str) -> None:
        if change == "replaced":
            self.columns = Columns()
        if change == "version":
            self.found = replace(self.found, text={"README.md": CARD.format(version="1.12.0")})
        if change == "resumed":
            self.found = replace(self.found, resumed_after=(*self.found.resumed_after, self.step - 1))
        if change == "settings":
            self.found = replace(self.found, config={"num_mini_batches": 4, "max_steps": 60})
        self.has_times &= change != "untimed"
        self.step = 0 if forward is None else self.step + forward
        for tag in tags:
            self.columns.add(tag, self.step, value, 1e9 + self.step)
        self.found = replace(self.found, tags=self._tags())

    def _tags(self) -> dict[str, Any]:
        tags = self.columns.series()
        return tags if self.has_times else {tag: replace(raw, times=raw.times[:0]) for tag, raw in tags.items()}


def comparable_copy(run: Run) -> dict[str, Any]:
    """Everything that a run holds, in a form that can be compared and does not change with the run."""
    found = {item.name: getattr(run, item.name) for item in fields(run)}
    series = {name: curve(item) for name, item in run.series.items()}
    derived = {name: curve(item) for name, item in run.derived.items()}
    return {
        **found,
        "series": series,
        "derived": derived,
        "samples": run.samples.steps,
        "histograms": list(run.histograms),
    }


def curve(series: Series) -> tuple[Any, ...]:
    found = [getattr(series, item.name) for item in fields(series)]
    return tuple((item.dtype.str, item.tobytes()) if isinstance(item, np.ndarray) else item for item in found)


@pytest.mark.slow
@given(st.lists(rows, min_size=1, max_size=25), st.integers(1, len(FORMATS)), st.sampled_from([3, overlap.MOST_OPEN]))
@settings(max_examples=120, deadline=None)
def test_a_run_that_is_looked_at_again_is_what_a_first_look_finds(
    script: list[Any], sources: int, most_open: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(overlap, "MOST_OPEN", most_open)  # so few that a log which continues alone is also finalised
        patch.setattr(overlap, "WORTH_SETTLING", most_open % 2)
        look_again_and_again(script, [Log(form) for form in FORMATS[:sources]])


def look_again_and_again(script: list[Any], logs: list[Log]) -> None:
    merger, composer = Merger(), Assembler()
    looks: list[tuple[Run, dict[str, Any]]] = []
    for places, *row in script:
        for place in places:
            logs[place % len(logs)].write(*row)
        recordings = [log.found for log in logs]
        run = composer.compose(merger.merge(recordings), 1.0)
        assert comparable_copy(assemble(merge(recordings), 1.0)) == comparable_copy(run)
        looks.append((run, comparable_copy(run)))

    assert all(then == comparable_copy(run) for run, then in looks)  # what was returned earlier does not change


RESTART = field(7, b"\x08\x01")  # a session log with a start marker
moves = st.tuples(
    st.sampled_from(["", "", "", "sub", "table", "both", "restart", "torn"]), st.sampled_from([1, 1, 1, 3, 0, -2, -4])
)


@pytest.mark.slow
@given(st.lists(moves, min_size=1, max_size=12))
@settings(max_examples=25, deadline=None)
def test_files_that_grow_give_at_every_look_the_run_that_a_first_look_finds(script: list[tuple[str, int]]) -> None:
    with TemporaryDirectory() as place:
        folder, step, live = Path(place) / "run", 0, None
        for what, forward in [("both", 1), *script]:
            step += forward
            grow_files(folder, what, step)
            live = live or LiveRun(folder)
            found, first = live.refresh(), open_run(folder)
            if found is not None:
                last = {**comparable_copy(found), "observed_at": 0.0}
            assert {**comparable_copy(first), "observed_at": 0.0} == last


def grow_files(folder: Path, what: str, step: int) -> None:
    """Write on: to the event file, to a sub-run of `add_scalars`, to a table of the same run, or a restart."""
    events, sub = folder / "events.out.tfevents.1700000000.host.1.0", folder / "curves_one" / "events.out.tfevents.2"
    told = [event(step, 1.7e9 + step, scalar(tag, step / 4)) for tag in ("val/ratio", "objective/kl", "my/own")]
    if what == "restart":
        told.insert(0, event(step, 1.7e9)[:-2] + RESTART)
    append(events, framed(told))
    if what == "torn":
        append(events, framed([event(step, 1.7e9 + step, scalar("late", 1.0))])[:-3])
    if what in ("sub", "both"):
        append(sub, framed([event(step, 1.7e9 + step, scalar("curves", float(step)))]))
    if what in ("table", "both"):
        append(folder / "logging.jsonl", b'{"step": %d, "objective/kl": %f, "loss": 1.5}\n' % (step, step / 8))


def append(file: Path, content: bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("ab") as out:
        out.write(content)


def test_new_points_leave_the_old_ones_where_they_are() -> None:
    columns, composer = Columns(), Assembler()
    tags = ("train/policy_gradient_loss", "entropy_loss", "my/own")  # one of them is reversed
    recording = Recording(Path("log"), (Source("tensorboard", Path("log")),), "a", "a", {})
    places = set()
    for step in range(1, 120):
        for tag in tags:
            columns.add(tag, step, float(step), 0.0)
        run = composer.compose(replace(recording, tags=columns.series()), 1.0)
        places |= {(name, series.values.ctypes.data) for name, series in run.series.items()}

    assert run.series["entropy_per_token"].values[-1] == -119.0
    assert len(places) <= 4 * len(tags)
