"""Dry runs of a training's settings: the rewards and the untrained policy, tried in the background."""

import threading
import time
from collections.abc import Mapping
from typing import Any

from diagnostics.configs.dry_run import PROBE_SECONDS, SECONDS, probe_policy, try_rewards
from diagnostics.configs.trainer_process import TrialError
from diagnostics.model.setup import Probe, Trial
from diagnostics.told import reason

MOST_SECONDS = SECONDS + PROBE_SECONDS


class Attempt:
    """Tries the rewards first, which are quick, then the policy: each in a trainer process, from a background thread.

    `trials` and `probe` are None until available; if one cannot be obtained, it is a sentence saying why. The attempt
    ends by itself on timeout, on cancellation and when the dashboard exits.
    """

    def __init__(self, algorithm: str, config: Mapping[str, Any]) -> None:
        self.trials: tuple[Trial, ...] | str | None = None
        self.probe: Probe | str | None = None
        self._began = time.monotonic()
        self._is_cancelled = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(algorithm, config), name="attempt")
        self._thread.start()

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self._began

    @property
    def is_going_on(self) -> bool:
        return self.probe is None and self._is_wanted() and self._thread.is_alive()

    @property
    def is_cancelled(self) -> bool:
        return self._is_cancelled.is_set()

    def cancel(self) -> None:
        """Cancel the attempt; results so far remain. Does nothing if it has ended."""
        if self.is_going_on:
            self._is_cancelled.set()

    def _is_wanted(self) -> bool:
        """False once cancelled or the main thread has ended: this thread must not keep the interpreter alive."""
        return not self._is_cancelled.is_set() and threading.main_thread().is_alive()

    def _run(self, algorithm: str, config: Mapping[str, Any]) -> None:
        trials = self._trials(algorithm, config)
        if self._is_wanted():
            self.trials = trials
            probe = self._probe(algorithm, config)
            if self._is_wanted():
                self.probe = probe

    def _trials(self, algorithm: str, config: Mapping[str, Any]) -> tuple[Trial, ...] | str:
        try:
            return try_rewards(algorithm, config, is_wanted=self._is_wanted)
        except TrialError as error:
            return reason(error)

    def _probe(self, algorithm: str, config: Mapping[str, Any]) -> Probe | str:
        try:
            return probe_policy(algorithm, config, is_wanted=self._is_wanted)
        except TrialError as error:
            return reason(error)
