"""Judges a run: evaluates every rule, ranks the causes of what fired, checks its settings, and counts what it cost."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, date, datetime

from diagnostics.causes import CATALOG as CAUSES
from diagnostics.causes import ranked_causes, with_fixes
from diagnostics.configs.config_files import setup_of_run
from diagnostics.cost.after_onset import cost_after_onset
from diagnostics.model.diagnosis import Diagnosis, LimitOverrides, Muted, UnknownLimitError
from diagnostics.model.finding import group_findings
from diagnostics.model.outcome import fired_worst_first
from diagnostics.model.project import Mute
from diagnostics.model.run import Run
from diagnostics.rules import CATALOG as RULES
from diagnostics.rules import evaluate
from diagnostics.rules.overrides import effective_limits
from diagnostics.rules.vital import vital_checks
from diagnostics.told import told

FINDINGS = frozenset({rule.name for rule in RULES} | {entry.name for entry in CAUSES})
"""The names of all that can be found: rules and causes."""


def judge(run: Run, limits: LimitOverrides) -> Diagnosis:
    """The diagnosis of a run. Raises UnknownLimitError where `limits` names a limit that does not exist.

    `limits` come before those of the run's project file; what is wrong in that file is a remark, and is not used.
    """
    used, remarks = _limits(run, limits)
    held = replace(run, samples=run.samples.cached())  # rules and causes look at the same tables
    outcomes = with_fixes(run, evaluate(held, used))
    settings = evaluate(setup_of_run(run), used)
    diagnosis = Diagnosis(
        run,
        outcomes,
        ranked_causes(held, outcomes, settings),
        limits=used,
        preflight=settings,
        vital=vital_checks(run.algorithm),
        remarks=remarks,
    )
    heard = _without_muted(diagnosis)
    return replace(heard, cost=cost_after_onset(run, heard.findings))


def _limits(run: Run, given: LimitOverrides) -> tuple[LimitOverrides, tuple[str, ...]]:
    """The limits that count, and what is wrong with those of the project, or with its mutes."""
    project, remarks = run.project, [problem for problem in [run.project.problem] if problem]
    own: LimitOverrides = project.limits
    try:
        effective_limits(RULES, own)
    except UnknownLimitError as error:
        own = {}
        remarks.append(told("{file}: {why}; its limits are not used", file=project.source, why=error.args[0]))
    remarks += [
        told("{file} mutes {finding}, which is no rule and no cause", file=project.source, finding=mute.finding)
        for mute in project.mutes
        if mute.finding not in FINDINGS
    ]
    return {name: {**own.get(name, {}), **given.get(name, {})} for name in {**own, **given}}, tuple(remarks)


def _without_muted(diagnosis: Diagnosis) -> Diagnosis:
    """The diagnosis with the findings that the project has muted apart from the others.

    A muted rule is no sign of any cause; a muted cause takes with it what it explains.
    """
    run = diagnosis.run
    mutes = _mutes_by_name(run)
    if not mutes:
        return diagnosis
    rules = {outcome.rule for outcome in diagnosis.fired if outcome.rule in mutes}
    heard = [outcome for outcome in diagnosis.outcomes if outcome.rule not in rules]
    causes = ranked_causes(run, heard, diagnosis.preflight) if rules else diagnosis.causes
    alone = group_findings([outcome for outcome in diagnosis.fired if outcome.rule in rules], ())
    explained = group_findings(fired_worst_first(heard), causes)
    silent = [*(finding for finding in explained if finding.name in mutes), *alone]
    return replace(
        diagnosis,
        causes=tuple(cause for cause in causes if cause.cause not in mutes),
        muted=tuple(Muted(finding, mutes[finding.name]) for finding in silent),
    )


def _mutes_by_name(run: Run) -> Mapping[str, Mute]:
    """The mutes that hold for a run on the day on which it is read."""
    today: date = datetime.fromtimestamp(run.observed_at, UTC).date()
    names = run.project.names_of(run.path, run.name)
    return {mute.finding: mute for mute in run.project.mutes if mute.holds(names, today)}
