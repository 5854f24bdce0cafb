"""Settings tried before a training: what the rewards and the untrained policy answer, asked beside the page."""

import threading
import time
from collections.abc import Mapping
from typing import Any

from diagnostics.configs.dry_run import PROBE_SECONDS, SECONDS, TrialError, probe_policy, try_rewards
from diagnostics.model.setup import Probe, Trial

MOST_SECONDS = SECONDS + PROBE_SECONDS


class Attempt:
    """The rewards first, for they are quick, then the policy: each in a process of the trainer, in a thread of ours.

    `trials` and `probe` are None until they are there, or the sentence that says why they cannot be. It ends by itself
    when its time is up, when it is cancelled and when the dashboard ends.
    """

    def __init__(self, algorithm: str, config: Mapping[str, Any]) -> None:
        self.trials: tuple[Trial, ...] | str | None = None
        self.probe: Probe | str | None = None
        self._began = time.monotonic()
        self._is_cancelled = threading.Event()
        self._thread = threading.Thread(target=self._try, args=(algorithm, config), name="attempt")
        self._thread.start()

    @property
    def seconds(self) -> float:
        """How long it has been going on."""
        return time.monotonic() - self._began

    @property
    def is_going_on(self) -> bool:
        return self.probe is None and self._is_wanted() and self._thread.is_alive()

    @property
    def is_cancelled(self) -> bool:
        return self._is_cancelled.is_set()

    def cancel(self) -> None:
        """Give it up; what is there already stays. Nothing happens where it has ended."""
        if self.is_going_on:
            self._is_cancelled.set()

    def _is_wanted(self) -> bool:
        """No thread of ours may keep an interpreter that ends: the main one is the first to go."""
        return not self._is_cancelled.is_set() and threading.main_thread().is_alive()

    def _try(self, algorithm: str, config: Mapping[str, Any]) -> None:
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
            return str(error)

    def _probe(self, algorithm: str, config: Mapping[str, Any]) -> Probe | str:
        try:
            return probe_policy(algorithm, config, is_wanted=self._is_wanted)
        except TrialError as error:
            return str(error)
