"""Diagnoses for the tests of alerts: a run in some state, with the findings named."""

from pathlib import Path

from diagnostics.model.diagnosis import Diagnosis
from diagnostics.model.messages import Message
from diagnostics.model.outcome import Outcome, Severity, Verdict
from diagnostics.model.run import DataHealth, Run
from diagnostics.model.samples import Samples
from diagnostics.model.status import Status


def diagnosis(
    at: float = 1000.0,
    *,
    state: str = "running",
    name: str = "grpo-a",
    error: str | None = None,
    path: Path = Path("runs/grpo-a"),
    console_tail: str = "",
    last_written: float | None = None,
    text: str = "0.9 nats",
    **findings: str,
) -> Diagnosis:
    """`kl_runaway="warning"`: that rule holds; "warning over": it did. Each fires at step 12, with `text`."""
    run = Run(
        path=path,
        run_id="0123456789ab",
        name=name,
        sources=(),
        producer="trl",
        producer_version="1.16.0",
        algorithm="grpo",
        series={},
        config={},
        samples=Samples(),
        status=Status(state, step=40, total=60, error=error, last_written=at if last_written is None else last_written),
        data_health=DataHealth(),
        observed_at=at,
        console_tail=console_tail,
    )
    return Diagnosis(run, tuple(_fired(rule.replace("_", "-"), how, text) for rule, how in findings.items()))


def _fired(rule: str, how: str, text: str) -> Outcome:
    severity, _, over = how.partition(" ")
    return Outcome(
        code="RV305",
        rule=rule,
        verdict=Verdict.FIRED,
        message=Message("engine.broken", {"error": rule, "text": text}),
        severity=Severity(severity),
        first_step=12,
        last_step=40,
        still=not over,
    )
