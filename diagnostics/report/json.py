"""The JSON form: what `diagnose --format json` prints, by its public schema."""

from typing import Any

from diagnostics.addresses import shown
from diagnostics.causes import track_record
from diagnostics.comparison import Comparison
from diagnostics.model.cause import Cause
from diagnostics.model.derivation import Derivation
from diagnostics.model.diagnosis import Diagnosis, Muted
from diagnostics.model.outcome import Evidence, Fix, Outcome, Stretch, Verdict
from diagnostics.report.cost import cost_document
from diagnostics.report.preflight import preflight_document
from diagnostics.report.report import Report
from diagnostics.report.run_fields import run_fields
from diagnostics.report.strict_json import to_json
from diagnostics.report.terminal import Style
from diagnostics.report.time_budget import time_document
from diagnostics.wording.comparison import fate_sentence, reward_sentence
from diagnostics.wording.messages import headline, message_text


def render(report: Report, _style: Style) -> str:
    """A report as JSON; numbers that JSON does not have are the strings "NaN", "Infinity" and "-Infinity"."""
    return to_json(
        {
            "runs": [_run(diagnosis, report.comparisons.get(diagnosis.run.path)) for diagnosis in report.diagnoses],
            "errors": [{"path": problem.path, "error": problem.error} for problem in report.problems],
        }
    )


def _run(diagnosis: Diagnosis, comparison: Comparison | None) -> dict[str, Any]:
    health = diagnosis.run.data_health
    return {
        **run_fields(diagnosis.run),
        "data_health": {
            "points": health.points,
            "nan": health.nan,
            "inf": health.inf,
            "duplicates": health.duplicates,
            "rewinds": health.rewinds,
            "gaps": health.gaps,
            "malformed": health.malformed,
            "unmapped_tags": health.unmapped_tags,
            "understood_tags": health.understood_tags,
        },
        "verdict": diagnosis.verdict,
        "vital_missing": [
            {"check": message_text(gap.name), "rules": gap.rules, "enable": message_text(gap.enable)}
            for gap in diagnosis.vital_missing
        ],
        "cost": cost_document(diagnosis.cost),
        "limits": diagnosis.limits,
        "muted": [_muted(muted) for muted in diagnosis.muted],
        "causes": [_cause(cause) for cause in diagnosis.causes],
        "outcomes": [_outcome(outcome) for outcome in diagnosis.outcomes],
        "preflight": [preflight_document(outcome) for outcome in diagnosis.settings_findings],
        "time_budget": time_document(diagnosis.run),
        "parent": diagnosis.run.parent,
        "since_parent": None if comparison is None else comparison_document(comparison),
    }


def comparison_document(comparison: Comparison) -> dict[str, Any]:
    """A relaunched run beside its parent."""
    return {
        "path": shown(comparison.parent.run.path),
        "changes": {name: {"parent": there, "child": here} for name, (there, here) in comparison.changes.items()},
        "findings": [
            {
                "fate": item.fate,
                "severity": item.finding.severity,
                "summary": message_text(item.finding.summary),
                "message": fate_sentence(item),
            }
            for item in comparison.inherited
        ],
        "new": [{"severity": finding.severity, "summary": message_text(finding.summary)} for finding in comparison.new],
        "reward": reward_sentence(comparison),
    }


def _muted(muted: Muted) -> dict[str, Any]:
    return {
        "finding": muted.finding.name,
        "severity": muted.finding.severity,
        "outcomes": [outcome.rule for outcome in muted.finding.outcomes],
        "reason": muted.mute.reason,
        "run": muted.mute.run,
        "until": muted.mute.until and muted.mute.until.isoformat(),
    }


def _cause(cause: Cause) -> dict[str, Any]:
    return {
        "cause": cause.cause,
        "severity": cause.severity,
        "first_step": cause.first_step,
        "last_step": cause.last_step,
        "summary": message_text(cause.summary),
        "outcomes": cause.outcomes,
        "signs": cause.signs,
        "decided": cause.is_decided,
        "against": cause.against,
        "fixes": [_fix(fix) for fix in cause.fixes],
        "rivals": [
            {"cause": rival.cause, "decides": message_text(rival.decides), "open": rival.is_open}
            for rival in cause.rivals
        ],
        "track_record": _record(cause.cause),
    }


def _record(cause: str) -> dict[str, int] | None:
    """In how many measured runs the cause was named first, and in how many of them it was right."""
    record = track_record(cause)
    return None if record is None else {"right": record.right, "named": record.named}


def _fix(fix: Fix) -> dict[str, Any]:
    return {
        "parameter": fix.parameter,
        "current": fix.current,
        "suggested": fix.suggested,
        "why": message_text(fix.why),
        "source": fix.source,
    }


def _outcome(outcome: Outcome) -> dict[str, Any]:
    identity = {"code": outcome.code, "rule": outcome.rule, "verdict": outcome.verdict}
    if outcome.verdict is Verdict.SKIPPED:
        return {
            **identity,
            "applies": outcome.applies,
            "reason": message_text(outcome.message),
            "enable": message_text(outcome.enable),
        }
    if outcome.verdict is Verdict.BROKEN:
        return {**identity, "message": message_text(outcome.message), "enable": message_text(outcome.enable)}
    judged = {
        "grade": outcome.grade,
        "measured": outcome.measured,
        "limit": outcome.limit,
        "limit_is_default": outcome.limit_is_default,
        "unit": outcome.unit,
        "metric": outcome.tag or outcome.metric,
        "message": message_text(outcome.message),
        "source": outcome.source,
        "derived": [_derivation(name, derivation) for name, derivation in outcome.derived.items()],
    }
    if outcome.verdict is Verdict.QUIET:
        return {**identity, **judged}
    return {
        **identity,
        "severity": outcome.severity,
        "first_step": outcome.first_step,
        "last_step": outcome.last_step,
        "still": outcome.still,
        "episodes": [_episode(episode) for episode in outcome.episodes],
        "headline": headline(outcome),
        **judged,
        "fixes": [_fix(fix) for fix in outcome.fixes],
        "evidence": _evidence(outcome.evidence),
    }


def _derivation(metric: str, derivation: Derivation) -> dict[str, Any]:
    """A metric that the rule judged and that is not logged, and how it was derived."""
    return {
        "metric": metric,
        "from": derivation.sources,
        "formula": derivation.formula,
        "precision": derivation.precision,
    }


def _episode(episode: Stretch) -> dict[str, Any]:
    return {
        "first_step": episode.first_step,
        "last_step": episode.last_step,
        "still": episode.still,
        "severity": episode.severity,
        "peak": episode.peak,
        "peak_step": episode.peak_step,
        "limit": episode.limit,
        "share": episode.share,
    }


def _evidence(evidence: Evidence) -> dict[str, Any]:
    return {
        "steps": evidence.steps,
        "values": evidence.values,
        "samples": [
            {"step": sample.step, "row": sample.row, "why": message_text(sample.why), "quote": sample.quote}
            for sample in evidence.samples
        ],
    }
