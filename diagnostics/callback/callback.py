"""DiagnosisCallback: what a trainer of transformers or TRL calls while it trains."""

import atexit
import logging
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from diagnostics.callback.completions import Completions
from diagnostics.callback.folders import default_folder, open_log
from diagnostics.callback.stop_request import StopRequest
from diagnostics.callback.trainer import algorithm_of, calling_trainer, metrics_of, producer_of, settings_of
from diagnostics.callback.watcher import Watcher
from diagnostics.runlog import RunLog
from diagnostics.stop_policy import CONFIRMATIONS, StopPolicy
from diagnostics.visible_text import one_line

MOST_SAMPLES = 64  # rows of one logged step
SECONDS_FOR_LAST_VERDICT = 5.0
_logger = logging.getLogger("rlvitals")


class DiagnosisCallback:
    """Logs, diagnoses and, if asked, stops a training of transformers or TRL: `callbacks=[DiagnosisCallback()]`.

    It writes a run directory beside the trainer's outputs, with the completions that a TRL trainer holds, so that
    `rlvitals OUTPUT_DIR` shows the training live. A process of its own diagnoses it, sends alerts as the user's
    alerts.toml says, and tells when to stop. What goes wrong in here never reaches the training: it costs one warning.

    A training is also stopped, with a checkpoint, by `rlvitals stop` and by the page's Stop. While it trains, the
    argument `logging_nan_inf_filter` is off: it replaces a NaN in the loss by an average.

    In a training of several processes the first one writes; all of them agree when to stop.

    Args:
        trainer: The trainer; needed only where it does not call its callbacks itself.
        run_dir: The run directory; `<output_dir>/rlvitals` by default, with -2, -3, … where that holds a run.
        stop_on: A severity ("critical"), the names of rules and causes, or both, for which the training is stopped.
        confirmations: In how many diagnoses in a row, each with newer steps, it must hold.
        alerts: A file of alerts other than the user's own.
        samples_per_step: How many completions of a logged step are kept at most.

    Raises:
        ValueError: `stop_on` names no severity, rule or cause.
    """

    def __init__(
        self,
        trainer: Any = None,
        *,
        run_dir: str | Path | None = None,
        stop_on: str | Iterable[str] | None = None,
        confirmations: int = CONFIRMATIONS,
        alerts: str | Path | None = None,
        samples_per_step: int = MOST_SAMPLES,
    ) -> None:
        self.run_dir: Path | None = None if run_dir is None else Path(run_dir)
        self.stopped_for = ""
        self._stop_on = (stop_on,) if isinstance(stop_on, str) else tuple(stop_on or ())
        self._confirmations = confirmations
        self._new_policy()
        self._given_trainer, self._trainer, self._most_samples = trainer, trainer, samples_per_step
        self._alerts = None if alerts is None else Path(alerts)
        self._request = StopRequest()
        self._log: RunLog | None = None
        self._completions: Completions | None = None
        self._watcher: Watcher | None = None
        self._restore: Callable[[], None] = lambda: None
        self._has_failed = False

    def __getattr__(self, name: str) -> Any:
        """Events that are nothing to it, those of later versions too: a trainer calls them all."""
        if name.startswith("on_"):
            return lambda *args, **kwargs: None
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def on_train_begin(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        """Claim the run directory and start to watch it."""
        with self._harmless():
            self._end("stopped")  # a training that the same callback followed before, and that raised
            self.stopped_for, self._has_failed = "", False
            self._keep_nan(args)
            if state.is_world_process_zero:
                self._begin(args, state, given.get("model"))

    def on_log(self, args: Any, state: Any, control: Any, logs: Mapping[str, Any] | None = None, **given: Any) -> None:
        """Log what the trainer logs, with the completions that it holds."""
        if self._log is not None and logs:
            with self._harmless():
                self._write(self._log, state.global_step, metrics_of(logs, self._trainer))

    def on_step_end(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        """Stop the training, with a checkpoint, where that is due."""
        several = getattr(args, "world_size", 1) > 1
        if several and not control.should_log:  # they agree at logged steps alone: to agree is to wait for each other
            return
        reason = self._reason_to_stop()
        with self._harmless():
            if _any_process(args, bool(reason)) if several else reason:
                control.should_save = control.should_training_stop = True
                self._note_stop(state.global_step, reason)

    def on_train_end(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        """Close the log, and tell the verdict."""
        with self._harmless():
            self._end("stopped" if self.stopped_for or state.global_step < state.max_steps else "finished")

    def _begin(self, args: Any, state: Any, model: Any) -> None:
        self._trainer = self._given_trainer or calling_trainer(self)
        self._completions = Completions(self._trainer, self._most_samples)
        self._log = open_log(
            self.run_dir or default_folder(args.output_dir),
            state.global_step,
            state.max_steps,
            lambda folder: RunLog(
                folder,
                name=_name(args, folder),
                algorithm=algorithm_of(self._trainer),
                config=settings_of(args, model),
                total=state.max_steps,
                producer=producer_of(self._trainer),
            ),
        )
        self._log.note_device(args.device.type)
        atexit.register(self._die)
        self._request.activate()
        try:
            self._watcher = Watcher(self._log.directory, self._alerts, self._new_policy())
        except OSError as error:
            _logger.warning("rlvitals logs this training and does not diagnose it: no process for that: %s", error)

    def _new_policy(self) -> StopPolicy:
        return StopPolicy(self._stop_on, self._confirmations, _known_findings() if self._stop_on else ())

    def _keep_nan(self, args: Any) -> None:
        """Let the trainer log a NaN loss as it is, until the training ends."""
        before = getattr(args, "logging_nan_inf_filter", False)
        if before:
            args.logging_nan_inf_filter = False
            self._restore = lambda: setattr(args, "logging_nan_inf_filter", before)

    def _write(self, log: RunLog, step: int, metrics: Mapping[str, float]) -> None:
        samples = list[dict[str, Any]]()
        if self._completions is not None:
            if any(name.startswith("eval/") for name in metrics):
                self._completions.skip()
            else:
                samples = self._completions.newest()
        if metrics:
            log.log(step, metrics, samples)

    def _reason_to_stop(self) -> str:
        if self._request.came:
            return "asked to"
        return self._watcher.stop_reason if self._watcher else ""

    def _note_stop(self, step: int, reason: str) -> None:
        if self.stopped_for:
            return
        self.stopped_for = reason or "another process of the training wants to"
        if self._log is not None:
            _logger.warning("rlvitals: the training stops after step %s, with a checkpoint: %s", step, reason)

    def _end(self, state: str, error: str | None = None) -> None:
        self._request.deactivate()
        self._restore()
        self._restore = lambda: None
        log, watcher, self._log, self._watcher = self._log, self._watcher, None, None
        atexit.unregister(self._die)
        if log is None:
            return
        log.close(state, error)
        if watcher is not None:
            watcher.wait(SECONDS_FOR_LAST_VERDICT)
            if watcher.verdict:
                _logger.warning(
                    "rlvitals: %s, %s; rlvitals diagnose %s tells more", state, watcher.verdict, log.directory
                )

    def _die(self) -> None:
        """The interpreter ends, and the training did not: say in the log what ended it."""
        error = getattr(sys, "last_value", None)
        if self._log is not None:
            is_interrupt = error is None or isinstance(error, KeyboardInterrupt)
            told = None if error is None else f"{type(error).__name__}: {error}"
            self._log.close("stopped" if is_interrupt else "failed", told)

    @contextmanager
    def _harmless(self) -> Iterator[None]:
        """The one broad `except`: whatever is wrong in here, the training goes on as if it were not there."""
        try:
            yield
        except Exception as error:
            told = f"rlvitals no longer follows this training, which goes on: {type(error).__name__}: {error}"
            if not self._has_failed:
                _logger.warning("%s", one_line(told), exc_info=_logger.isEnabledFor(logging.DEBUG))
            self._has_failed = True
            log, self._log = self._log, None
            if log is not None:
                with suppress(OSError):
                    log.close("stopped", told)


def _known_findings() -> frozenset[str]:
    from diagnostics.judge import FINDINGS  # noqa: PLC0415 - every rule and cause, which only names ask for

    return FINDINGS


def _name(args: Any, folder: Path) -> str:
    """The name that the user gave the run, else that of the trainer's folder."""
    given = getattr(args, "run_name", None)
    return str(given) if given and given != args.output_dir else folder.absolute().parent.name


def _any_process(args: Any, wanted: bool) -> bool:
    """Whether one of the training's processes wants it; all of them ask at the same step."""
    torch = sys.modules["torch"]
    flag = torch.tensor([int(wanted)], device=args.device)
    torch.distributed.all_reduce(flag, op=torch.distributed.ReduceOp.MAX)
    return bool(flag.item())
