"""Every entry of a name: rules, causes and metrics, by name, code or any producer's tag."""

from collections.abc import Iterable, Iterator
from typing import Any

from diagnostics.catalogue.page import Page
from diagnostics.causes import CATALOG as CAUSES
from diagnostics.causes import FORMER_NAMES, track_record
from diagnostics.causes.entry import CauseEntry
from diagnostics.causes.remedies.catalog import REMEDIES
from diagnostics.causes.remedies.remedy import ANY, Remedy
from diagnostics.derivations.table import BY_TARGET, Formula
from diagnostics.language import N_, _
from diagnostics.model.messages import format_value
from diagnostics.model.metric import Metric
from diagnostics.model.vocabulary import METRICS, metric
from diagnostics.producers.setting_lookup import ANY_PRODUCER, usual_arguments
from diagnostics.producers.table import OURS, TRAINERS
from diagnostics.producers.translation import Entry, glossary
from diagnostics.punctuation import labelled, listed, with_remark
from diagnostics.rules import CATALOG, RUN_RULES
from diagnostics.rules.config.config_rule import ConfigRule
from diagnostics.rules.limits import LimitDoc
from diagnostics.rules.not_judged import NOT_JUDGED, NotJudged
from diagnostics.rules.rule import GRADES, Rule, alternatives
from diagnostics.rules.samples.sample_rule import SampleRule

_PREFIXES = ("train/", "eval/")
_ANY = N_("any algorithm")
_SAMPLES = N_("sampled completions")


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
        kind=N_("pre-flight check") if isinstance(rule, ConfigRule) else N_("rule"),
        sentence=_(rule.summary),
        facts={
            N_("Code"): rule.code,
            N_("Grade"): labelled(rule.grade, _(GRADES[rule.grade])),
            N_("For"): sorted(rule.algorithms) or [_(_ANY)],
            **_needed_inputs(rule),
            N_("Limits"): [_limit(entry) for entry in rule.limit_docs],
            N_("Points at"): [entry.name for entry in CAUSES if rule.name in _rules_for(entry)],
            N_("Source"): _(rule.source),
        },
        sections={title: _(body) for title, body in rule.sections.items()},
    )


def _needed_inputs(rule: Rule[Any, Any]) -> dict[str, list[str]]:
    """What a rule cannot do without: settings by every name that programs give them, samples, or metrics."""
    if isinstance(rule, ConfigRule):
        return {
            N_("Reads"): [_(" or ").join(ANY_PRODUCER[name]) for item in rule.inputs for name in alternatives(item)]
        }
    if isinstance(rule, SampleRule):
        return {N_("Needs"): [_(_SAMPLES)]}
    return {N_("Needs"): [_(" or ").join(alternatives(item)) for item in rule.inputs]}


def not_judged_page(entry: NotJudged) -> Page:
    """A condition that no rule judges, with the reason."""
    facts = {N_("Told by"): list(entry.instead), N_("Source"): _(entry.source)}
    return Page(entry.name, N_("no rule"), _(entry.summary), facts, {N_("Why it is left out"): _(entry.reason)})


def cause_page(entry: CauseEntry) -> Page:
    """A cause with the rules that speak for and against it, and what to change."""
    remedies = [REMEDIES[name] for name in entry.remedies]
    core = list(entry.core_rules)
    return Page(
        name=entry.name,
        kind=N_("cause"),
        sentence=_(entry.summary),
        facts={
            N_("Shown by"): core,
            N_("Supported by"): entry.support,
            N_("Against it"): [indicator.rule for indicator in entry.against],
            N_("Ruled out by"): entry.ruled_out_by,
            N_("Brings about"): entry.consequences,
            N_("Or"): [
                _("{cause}? {decides}").format(cause=name, decides=_(text)) for name, text in entry.rivals.items()
            ],
            N_("Try"): [_try(remedy) for remedy in remedies],
            N_("Record"): track_record_sentence(entry.name),
            N_("Formerly"): [former for former, name in FORMER_NAMES.items() if name == entry.name],
            N_("Source"): _each_once([*(_(remedy.source) for remedy in remedies), *_sources(core)]),
        },
        sections={N_("What it means"): _(entry.meaning)},
    )


def track_record_sentence(cause: str) -> str:
    """How often a cause was right where it was named first; empty where it never was, and for a rule."""
    record = track_record(cause)
    if record is None:
        return ""
    if record.among > record.right:
        sentence = _(
            "Right in {right} of {named} measured TRL runs in which it was named first, in {among} counting the causes "
            "named beside it."
        )
    else:
        sentence = _("Right in {right} of {named} measured TRL runs in which it was named first.")
    return sentence.format(right=record.right, named=record.named, among=record.among)


def metric_page(entry: Metric) -> Page:
    """A metric with its formula, what is healthy, who logs it under which name, and where the documents slip."""
    logged = [line for line in glossary() if line.metric == entry.name]
    judges = [rule for rule in RUN_RULES if any(entry.name in alternatives(item) for item in rule.inputs)]
    return Page(
        name=entry.name,
        kind=N_("metric"),
        sentence=_(entry.meaning),
        facts={
            N_("Title"): _(entry.title),
            N_("Unit"): _(entry.unit),
            N_("Formula"): _(entry.formula),
            N_("Healthy"): _(entry.healthy),
            N_("Possible"): _value_range(entry),
            N_("Logged as"): _tags(logged),
            N_("Derived from"): [_way_to(formula) for formula in BY_TARGET.get(entry.name, ())],
            N_("Caveats"): _each_once(
                labelled(with_remark(line.tag, line.trainer), _(text)) for line in logged for text in line.caveats
            ),
            N_("Documents slip"): _(entry.slip),
            N_("Judged by"): [rule.name for rule in judges],
            N_("Source"): _(entry.source),
        },
    )


def _way_to(formula: Formula) -> str:
    """How a metric is derived where it is not logged: "reward, score_min, score_max: √(…) (upper bound)"."""
    return labelled(listed(formula.inputs), with_remark(_(formula.text), _(formula.precision)))


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
    return with_remark(f"{entry.name} = {entry.value:g} {_(entry.unit)}".rstrip(), _(entry.source))


def _try(remedy: Remedy) -> str:
    """What a remedy changes, and why: "learning_rate: smaller updates"."""
    arguments = _arguments(remedy)
    return labelled(arguments, _(remedy.why)) if arguments else _(remedy.why)


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
    return (_(rule.source) for rule in CATALOG if rule.name in names)


def _tags(logged: Iterable[Entry]) -> list[str]:
    """Each tag with the trainers that log it: "kl (rlvitals, trl-grpo)"."""
    trainers: dict[str, list[str]] = {}
    for line in logged:
        trainers.setdefault(line.tag, []).append(line.trainer)
    return [with_remark(tag, listed(names)) for tag, names in trainers.items()]


def _value_range(entry: Metric) -> str:
    if entry.low is None and entry.high is None:
        return ""
    low = "−∞" if entry.low is None else format_value(float(entry.low))
    high = "∞" if entry.high is None else format_value(float(entry.high))
    return _("{low} to {high}").format(low=low, high=high)


def _each_once(items: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(items))
