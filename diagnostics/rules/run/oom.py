"""The process ran out of memory.

What it checks
    What a run that failed or died says about its end: an error, or last lines of its console, that name memory
    (CUDA, HIP or MPS out of memory, a failed allocation, the kernel's killer).

Why it matters
    The run has ended. Settings that barely fit fail at the first batch of long answers, often hours in.

When it is wrong
    A run killed by the kernel leaves no message of its own, so it may go unnamed.

What to try
    Use fewer sequences per device with more accumulation, which keeps the batch as it is; on several devices DeepSpeed
    ZeRO-3; with vLLM give it a smaller share of the memory, or use its sleep mode.

References
    TRL logging page and PPO page, memory tips: lower per_device_train_batch_size, raise gradient_accumulation_steps,
    DeepSpeed ZeRO stage 3.
"""

import re

from diagnostics.model.outcome import Evidence, Severity
from diagnostics.model.run import Run
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Fired, Quiet, RuleResult, Skipped, english
from diagnostics.rules.run.run_rule import RunRule

MEMORY = re.compile(
    r"[^\n]*(?:(?<!ran )out of memory|not enough memory|can(?:no|')t allocate memory|std::bad_alloc|oom[-_]kill"
    r"|OutOfMemoryError|\bMemoryError\b|CUDA_ERROR_OUT_OF_MEMORY)[^\n]*",
    re.IGNORECASE,
)
"""Text that proves that memory ran out; "ran out of memory" also occurs in sentences that only suspect it."""
SHOWN = 160  # characters of the message that a sentence may quote


class Limits(RuleLimits):
    """How many messages about memory are too many."""

    messages: int = limit(1, "messages", "the first one ends the run")


class Oom(RunRule[Limits]):
    """Judges how a run ended."""

    code = "RV109"
    name = "oom"
    grade = "S"
    source = "TRL PPO page, memory tips"
    inputs = ()
    limits = Limits()
    remedies = ("smaller-device-batch", "more-accumulation", "smaller-engine-share")
    texts = english(
        headline="The process ran out of memory.",
        fired="The run ended after step {last}: {text}.",
        early="The run ended before its first step: {text}.",
        unknown="The log does not say how the run ended.",
        enable="Train with rlvitals, whose run folder keeps the error and the console.",
    )

    def check(self, run: Run, limits: Limits) -> RuleResult:
        found = MEMORY.findall(f"{run.status.error or ''}\n{run.console_tail}")
        if len(found) >= limits.messages and run.status.state not in ("finished", "running"):
            return self._fired(run, str(found[-1]).strip()[:SHOWN], len(found))
        if run.status.state in ("unknown", "silent", "died") and not run.console_tail:
            return Skipped(self.message("unknown"), self.message("enable"))
        return Quiet(0.0, float(limits.messages), "messages")

    def _fired(self, run: Run, text: str, count: int) -> Fired:
        step = run.status.step or (int(run.steps[-1]) if len(run.steps) else 0)
        values: dict[str, str | int | float] = {"last": step, "text": text.rstrip(".")}
        return Fired(
            severity=Severity.CRITICAL,
            message=self.message("fired" if step else "early", **values),
            headline=self.message("headline"),
            first_step=step,
            last_step=step,
            still=True,
            measured=float(count),
            limit=None,
            unit="messages",
            evidence=Evidence(),
        )
