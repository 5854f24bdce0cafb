"""The process ran out of memory.

What it checks
    What a run that failed or died says about its end: an error, or last lines of its console, that name memory (CUDA,
    HIP or MPS out of memory, ray's memory monitor, a failed allocation, the kernel's killer), with the sizes in them.

Why it matters
    The run has ended. Settings that barely fit fail at the first batch of long answers, often hours in.

When it is wrong
    A run killed by the kernel leaves no message of its own, so it may go unnamed.

What to try
    Where a GPU is full, use fewer sequences per device with more accumulation, which keeps the batch as it is; on
    several devices DeepSpeed ZeRO-3; with vLLM give it a smaller share of the memory, or use its sleep mode. Where the
    node's memory is full, none of that helps: offload less to the host, and use fewer workers.

References
    TRL logging page and PPO page, memory tips: lower per_device_train_batch_size, raise gradient_accumulation_steps,
    DeepSpeed ZeRO stage 3. ray documentation, out-of-memory prevention: workers are killed at 0.95 of a node's memory.
"""

from diagnostics.last_words import MEMORY_KINDS, Sign, leading_sign
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Fired, Quiet, RuleResult, Skipped, english
from diagnostics.rules.run.endings import ended, quoted
from diagnostics.rules.run.run_rule import RunRule

TELLS_NO_SIZES = frozenset({"failed-allocation", "gpu-memory"})  # signatures whose meaning is in the quoted line


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
        fired_with_sizes="The run ended after step {last}: {what}. It printed: {text}.",
        early_with_sizes="The run ended before its first step: {what}. It printed: {text}.",
        unknown="The log does not say how the run ended.",
        enable="Keep what the training prints beside its log.",
    )

    def check(self, run: Run, limits: Limits) -> RuleResult:
        sign = None if run.status.state in ("finished", "running") else leading_sign(run)
        if sign is not None and sign.kind.name in MEMORY_KINDS and sign.count >= limits.messages:
            return self._fired(run, sign)
        if run.status.state in ("unknown", "silent", "died") and not run.console_tail:
            return Skipped(self.message("unknown"), self.message("enable"))
        return Quiet(0.0, float(limits.messages), "messages")

    def _fired(self, run: Run, sign: Sign) -> Fired:
        step = run.last_step or 0
        key = "fired" if step else "early"
        key += "" if sign.signature.name in TELLS_NO_SIZES else "_with_sizes"
        message = self.message(key, last=step, what=sign.message, text=quoted(sign))
        return ended(
            message,
            self.message("headline"),
            Severity.CRITICAL,
            step=step,
            messages=sign.count,
            remedies=sign.kind.remedies,
        )
