"""The run died of something other than memory: its last lines or its error say of what.

What it checks
    A run that failed or died, whose error or last printed lines tell what ended it: a full disk, a data loader's
    worker, a fault of a GPU, a reward function that did not come back, a server, NCCL's watchdog with rank, operation
    and seconds, vLLM's engine, a kill, a job's time limit, or the last line of a traceback. What ends a training by
    itself comes before what others printed who only waited for it. Memory is judged by `oom`. A process of which
    nothing is known but that it is gone is a warning, and so is a run of which nothing is known but that it failed.

Why it matters
    The run has ended, and the last line printed is often that of a bystander: where one reward function never returns,
    NCCL's watchdog ends the processes that wait for it.

When it is wrong
    Lines that were printed before may have pushed the first cause out of what is looked at: the last 64 KiB, or 200
    lines since the last logged step. Somebody may have killed the run on purpose.

What to try
    Correct what the line names and resume from the last checkpoint. Give reward functions a time-out in a process of
    their own: one by signal or thread does not stop them.

References
    Lines from public threads, named in `diagnostics.last_words.signatures`; verl pull request 6673: "it looked like an
    sglang/NCCL deadlock", and was one call of a grader.
"""

from diagnostics.last_words import MEMORY_KINDS, Sign, leading_sign
from diagnostics.model.messages import shortened
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.rules.rule import Fired, NoLimits, Quiet, RuleResult, Skipped, english
from diagnostics.rules.run.endings import SHOWN, ended, quoted, when, who_waited
from diagnostics.rules.run.run_rule import RunRule


class RunDied(RunRule[NoLimits]):
    """Judges how a run ended, where it was not memory."""

    code = "RV114"
    name = "run-died"
    grade = "I"
    source = "public threads, such as verl pull request 6673"
    inputs = ()
    limits = NoLimits()
    remedies = ("first-error", "last-checkpoint")
    texts = english(
        headline="The run died of {of}.",
        headline_error="The run died of an error of its own.",
        headline_gone="The run died without a word.",
        headline_failed="The run failed, and its log does not say of what.",
        fired="The run ended {after}: {what}. It printed: {text}{bystander}.",
        error="The run ended {after} with {text}.",
        gone="The process of the run ended {after} without a word: a person, the kernel or a job's end killed it.",
        unknown="The log does not say how the run ended.",
        enable="Keep what the training prints beside its log.",
        failed="The run failed {after}; neither its error nor what it printed is in the log.",
    )

    def applies(self, run: Run) -> bool:
        """A run that goes on, or ended as planned, did not die."""
        return run.status.has_failed

    def check(self, run: Run, limits: NoLimits) -> RuleResult:
        sign, error, step = leading_sign(run), run.status.error, run.last_step or 0
        if sign is not None:
            return Quiet() if sign.kind.name in MEMORY_KINDS else self._died_of(run, sign, step)
        if run.status.state == "failed" and error:
            message = self.message("error", after=when(step), text=shortened(error, SHOWN).rstrip(".: "))
            return ended(message, self.message("headline_error"), Severity.CRITICAL, step=step, messages=1)
        if error:
            return self._unexplained("gone", step, "kernel-log", "less-on-the-host", "last-checkpoint")
        if run.status.state == "failed":
            return self._unexplained("failed", step, "first-error", "last-checkpoint")
        return Skipped(self.message("unknown"), self.message("enable"))

    def _died_of(self, run: Run, sign: Sign, step: int) -> Fired:
        return ended(
            self.message(
                "fired", after=when(step), what=sign.message, text=quoted(sign), bystander=who_waited(run, sign)
            ),
            self.message("headline", of=sign.of),
            Severity.CRITICAL,
            step=step,
            messages=sign.count,
            remedies=sign.kind.remedies,
        )

    def _unexplained(self, key: str, step: int, *remedies: str) -> Fired:
        """The finding that a run ended, and nothing says of what."""
        return ended(
            self.message(key, after=when(step)),
            self.message(f"headline_{key}"),
            Severity.WARNING,
            step=step,
            messages=0,
            remedies=remedies,
        )
