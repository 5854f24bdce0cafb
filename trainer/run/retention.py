"""Retention: which checkpoints a run keeps when `save_total_limit` limits their number.

It keeps the newest ones, the best one and, for every finding of warning or worse, the last one before its onset, from
which a training that went wrong can be resumed. The trainer does not judge: before deleting anything it runs `rlvitals
diagnose` as a separate process.
"""

import json
import logging
import math
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from trainer.config.training import TrainConfig
from trainer.launch.resuming import checkpoints_of

_EVALUATED = ("eval/reward", "eval/objective/scores")
_TRAINED = ("reward", "objective/rlhf_reward")
_SEVERE = ("warning", "critical")
_SECONDS_TO_DIAGNOSE = 300

_log = logging.getLogger(__name__)


class Retention:
    """Rates a run's checkpoints and deletes those with no reason to stay.

    A checkpoint's rating is the reward of the last evaluation before it; without evaluations, the mean training reward
    since the previous checkpoint, because one step's reward is mostly noise.
    """

    def __init__(self, config: TrainConfig, run: Path) -> None:
        self._run = run
        self._limit = config.save_total_limit
        self._is_evaluated = config.eval_strategy != "no"
        self._ratings: dict[int, float] = {}
        self._since: list[float] = []
        self._evaluation = math.nan

    def observe(self, metrics: Mapping[str, float]) -> None:
        """Record a step's metrics."""
        self._evaluation = next((metrics[name] for name in _EVALUATED if name in metrics), self._evaluation)
        self._since += [metrics[name] for name in _TRAINED if name in metrics]

    def rate(self, step: int) -> None:
        """Rate the checkpoint that is about to be written."""
        trained = math.fsum(self._since) / len(self._since) if self._since else math.nan
        self._ratings[step] = self._evaluation if self._is_evaluated else trained
        self._since = []

    def prune(self) -> None:
        """Delete the checkpoints that are not to be kept; none if the diagnosis is unavailable."""
        if self._limit is None:
            return
        found = checkpoints_of(self._run)
        kept = {*list(found)[-self._limit :], *self._best(found)}
        if kept >= found.keys():
            return
        onsets = finding_onsets(self._run)
        if onsets is None:
            return
        kept |= last_before(onsets, found)
        for step in found.keys() - kept:
            shutil.rmtree(found[step])
            self._ratings.pop(step, None)

    def _best(self, steps: Iterable[int]) -> set[int]:
        rated = {step: self._ratings[step] for step in steps if not math.isnan(self._ratings.get(step, math.nan))}
        return {max(rated, key=rated.__getitem__)} if rated else set()

    def state_dict(self) -> dict[str, Any]:
        """The state for resuming."""
        return {"ratings": dict(self._ratings), "since": list(self._since), "evaluation": self._evaluation}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continue from the saved state."""
        self._ratings = dict(state["ratings"])
        self._since = list(state["since"])
        self._evaluation = float(state["evaluation"])


def last_before(onsets: Iterable[int], steps: Iterable[int]) -> set[int]:
    """For each onset, the last of these steps before it, if any."""
    ordered = sorted(steps)
    earlier = ([step for step in ordered if step < onset] for onset in onsets)
    return {found[-1] for found in earlier if found}


def finding_onsets(run: Path) -> set[int] | None:
    """First steps of the run's findings of warning or worse; None, with a warning, if the diagnosis is unavailable."""
    command = [sys.executable, "-P", "-m", "diagnostics.cli", "diagnose", str(run), "--format", "json"]
    try:
        done = subprocess.run(command, capture_output=True, timeout=_SECONDS_TO_DIAGNOSE, check=False)
        (diagnosed,) = json.loads(done.stdout)["runs"]
    except (OSError, subprocess.TimeoutExpired, ValueError, KeyError) as error:
        _log.warning("no checkpoint was deleted, since rlvitals diagnose %s gave no report (%s)", run, error)
        return None
    return {
        outcome["first_step"]
        for outcome in diagnosed["outcomes"]
        if outcome["verdict"] == "fired" and outcome["severity"] in _SEVERE and outcome["first_step"] is not None
    }
