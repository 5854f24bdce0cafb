"""Every entry of a name: rules, causes and metrics, by name, code or any producer's tag."""

from collections.abc import Iterable, Iterator
from typing import Any

from diagnostics.catalogue.page import Page
from diagnostics.causes import CATALOG as CAUSES
from diagnostics.causes import FORMER_NAMES
from diagnostics.causes.entry import CauseEntry
from diagnostics.causes.remedies.catalog import REMEDIES
from diagnostics.causes.remedies.remedy import ANY, Remedy
from diagnostics.derivations.table import BY_TARGET, Formula
from diagnostics.model.messages import format_value
from diagnostics.model.metric import Metric
from diagnostics.model.vocabulary import METRICS, metric
from diagnostics.producers.setting_lookup import ANY_PRODUCER, usual_arguments
from diagnostics.producers.table import OURS, TRAINERS
from diagnostics.producers.translation import Entry, glossary
from diagnostics.rules import CATALOG, RUN_RULES
from diagnostics.rules.config.config_rule import ConfigRule
from diagnostics.rules.limits import LimitDoc
from diagnostics.rules.not_judged import NOT_JUDGED, NotJudged
from diagnostics.rules.rule import GRADES, Rule, alternatives
from diagnostics.rules.samples.sample_rule import SampleRule

_PREFIXES = ("train/", "eval/")
_ANY = "any algorithm"
_SAMPLES = "sampled completions"


def pages_about(name: str) -> tuple[Page, ...]:
    """Every entry of that name: a rule or a check (name or code), a cause, a metric (canonical name or producer's tag).

    Empty where nothing has the name. A tag that several producers use for different metrics gives a page for each.
    """
    rules = [rule_page(rule) for rule in CATALOG if name.lower() in (rule.name, rule.code.lower())]
    causes = [cause_page(entry) for entry in CAUSES if entry.name == FORMER_NAMES.get(name, name)]
    not_judged = [not_judged_page(entry) for entry in NOT_JUDGED if entry.name == name.lower()]
    return (*rules, *causes, *not_judged, *map(metric_page, _metrics_called(name)))


def known_names() -> Iterator[str]:
    """Every name that `pages_about` knows, for hints at the nearest one."""
    yield from (rule.name for rule in CATALOG)
    yield from (rule.code for rule in CATALOG)
    yield from (entry.name for entry in CAUSES)
    yield from (entry.name for entry in NOT_JUDGED)
    yield from (entry.name for entry in METRICS)
    yield from (entry.tag for entry in glossary())


def rule_page(rule: Rule[Any, Any]) -> Page:
    """A rule with its limits, what it needs, the causes that it points at, and its own text."""
    return Page(
        name=rule.name,
        kind="pre-flight check" if isinstance(rule, ConfigRule) else "rule",
        sentence=rule.summary,
        facts={
            "Code": rule.code,
            "Grade": f"{rule.grade}: {GRADES[rule.grade]}",
            "For": sorted(rule.algorithms) or [_ANY],
            **_needed_inputs(rule),
            "Limits": [_limit(entry) for entry in rule.limit_docs],
            "Points at": [entry.name for entry in CAUSES if rule.name in _rules_for(entry)],
            "Source": rule.source,
        },
        sections=rule.sections,
    )


def _needed_inputs(rule: Rule[Any, Any]) -> dict[str, list[str]]:
    """What a rule cannot do without: settings by every name that programs give them, samples, or metrics."""
    if isinstance(rule, ConfigRule):
        return {"Reads": [" or ".join(ANY_PRODUCER[name]) for item in rule.inputs for name in alternatives(item)]}
    if isinstance(rule, SampleRule):
        return {"Needs": [_SAMPLES]}
    return {"Needs": [" or ".join(alternatives(item)) for item in rule.inputs]}


def not_judged_page(entry: NotJudged) -> Page:
    """A condition that no rule judges, with the reason."""
    facts = {"Told by": list(entry.instead), "Source": entry.source}
    return Page(entry.name, "no rule", entry.summary, facts, {"Why it is left out": entry.reason})


def cause_page(entry: CauseEntry) -> Page:
    """A cause with the rules that speak for and against it, and what to change."""
    remedies = [REMEDIES[name] for name in entry.remedies]
    core = list(entry.core_rules)
    return Page(
        name=entry.name,
        kind="cause",
        sentence=entry.summary,
        facts={
            "Shown by": core,
            "Supported by": entry.support,
            "Against it": [indicator.rule for indicator in entry.against],
            "Ruled out by": entry.ruled_out_by,
            "Brings about": entry.consequences,
            "Or": [f"{name}? {decides}" for name, decides in entry.rivals.items()],
            "Try": [": ".join(filter(None, (_arguments(remedy), remedy.why))) for remedy in remedies],
            "Formerly": [former for former, name in FORMER_NAMES.items() if name == entry.name],
            "Source": _each_once([*(remedy.source for remedy in remedies), *_sources(core)]),
        },
        sections={"What it means": entry.meaning},
    )


def metric_page(entry: Metric) -> Page:
    """A metric with its formula, what is healthy, who logs it under which name, and where the documents slip."""
    logged = [line for line in glossary() if line.metric == entry.name]
    judges = [rule for rule in RUN_RULES if any(entry.name in alternatives(item) for item in rule.inputs)]
    return Page(
        name=entry.name,
        kind="metric",
        sentence=entry.meaning,
        facts={
            "Title": entry.title,
            "Unit": entry.unit,
            "Formula": entry.formula,
            "Healthy": entry.healthy,
            "Possible": _value_range(entry),
            "Logged as": _tags(logged),
            "Derived from": [_way_to(formula) for formula in BY_TARGET.get(entry.name, ())],
            "Caveats": _each_once(f"{line.tag} ({line.trainer}): {text}" for line in logged for text in line.caveats),
            "Documents slip": entry.slip,
            "Judged by": [rule.name for rule in judges],
            "Source": entry.source,
        },
    )


def _way_to(formula: Formula) -> str:
    """How a metric is derived where it is not logged: "reward, score_min, score_max: √(…) (upper bound)"."""
    return f"{', '.join(formula.inputs)}: {formula.text} ({formula.precision})"


def _rules_for(entry: CauseEntry) -> tuple[str, ...]:
    """Every rule that speaks for a cause."""
    return (*entry.core_rules, *entry.support, *entry.preflight)


def _metrics_called(name: str) -> tuple[Metric, ...]:
    """The metrics of that canonical name or tag, each once, whatever the transport put in front.

    The name of a metric means that metric; a tag means what each producer means by it, before it is tried as the name
    of a reward function.
    """
    bare = name
    for prefix in _PREFIXES:
        bare = bare.removeprefix(prefix)
    exact = [bare] if metric(bare) else [line.metric for line in glossary() if line.tag == bare]
    canonical = exact or [known for trainer in TRAINERS if (known := trainer.metric_of(bare))]
    found = (metric(item) for item in canonical)
    return tuple(dict.fromkeys(entry for entry in found if entry is not None))


def _limit(entry: LimitDoc) -> str:
    return f"{entry.name} = {entry.value:g} {entry.unit}".rstrip() + f" ({entry.source})"


def _arguments(remedy: Remedy) -> str:
    """What the bundled trainer, and so TRL, calls the settings that a remedy changes."""
    by_algorithm = {name: usual_arguments(OURS.name, name) for name in ("ppo", "ppo-legacy", ANY)}
    named = (
        arguments[setting]
        for algorithm, settings in remedy.settings.items()
        for setting in settings
        for name, arguments in by_algorithm.items()
        if setting in arguments and (algorithm in (ANY, name) or (name == ANY and algorithm not in by_algorithm))
    )
    return " / ".join(_each_once(named))


def _sources(rule_names: Iterable[str]) -> Iterator[str]:
    names = set(rule_names)
    return (rule.source for rule in CATALOG if rule.name in names)


def _tags(logged: Iterable[Entry]) -> list[str]:
    """Each tag with the trainers that log it: "kl (rlvitals, trl-grpo)"."""
    trainers: dict[str, list[str]] = {}
    for line in logged:
        trainers.setdefault(line.tag, []).append(line.trainer)
    return [f"{tag} ({', '.join(names)})" for tag, names in trainers.items()]


def _value_range(entry: Metric) -> str:
    if entry.low is None and entry.high is None:
        return ""
    low = "−∞" if entry.low is None else format_value(float(entry.low))
    high = "∞" if entry.high is None else format_value(float(entry.high))
    return f"{low} to {high}"


def _each_once(items: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(items))
