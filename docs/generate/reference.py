"""The reference pages: rules, checks of samples and settings, causes, metrics."""

from collections.abc import Iterable, Sequence
from itertools import groupby

from docs.generate.commands import Row, entry, listing
from docs.generate.markup import Links, code, link, page, table, text
from docs.generate.markup import entry as entry_text

FAMILIES = {
    "1": "Numbers",
    "2": "Size of updates",
    "3": "KL to the reference",
    "4": "Reward",
    "5": "Entropy",
    "6": "Length and termination",
    "7": "Critic",
    "8": "Rollout engine",
    "9": "Schedule and coverage",
}
"""The digit after a rule's letters → what its family is about; settings checks share the families."""

SAMPLE_FAMILIES = {
    "1": "Form and termination",
    "2": "Repetition and variety",
    "3": "Language",
    "4": "Scores",
}

METRIC_SECTIONS = {
    "reward": "Rewards and scores",
    "kl": "KL to the reference",
    "update": "Size of updates",
    "length": "Length and termination",
    "value": "Critic",
    "engine": "Rollout engine",
}

GRADES = """\
**Grade** says how well a rule is founded: S the documents say so, C it follows from source code or an identity, D other
official documentation, P a paper, I an issue thread, M measured, F folklore: an editable default, never critical alone.
"""

RULES = f"""\
What is checked in the metrics of a run. `rlvitals rules` prints the list, `rlvitals explain NAME` one rule.

{GRADES}
Limits are set in a [limits file](../guide/limits.md). What no rule judges, and why:
[the diagnosis](../guide/diagnosis.md#how-well-a-rule-is-founded).
"""

SAMPLE_CHECKS = f"""\
What is checked in the sampled completions of a run. These are rules too, and judge what the model writes now beside
what it wrote first.

{GRADES}"""

SETTINGS_CHECKS = f"""\
What `rlvitals preflight CONFIG|RUN` checks in the settings alone, before a training starts or beside its verdict, which
they never change.

{GRADES}"""

CAUSES = """\
What findings are explained by. A cause is shown by rules, supported by others, and brings about what follows from it;
the report names the first cause, its fixes, and its rivals. `rlvitals explain NAME` prints one.
"""

METRICS = """\
One name for each metric, whatever a trainer calls it. A unit says how much: KL is in nats per token or per sequence,
never just *KL*. `rlvitals explain TAG` finds a metric by any producer's tag; [producers](producers.md) lists the tags
the other way round.
"""


def rules() -> str:
    """Every rule that judges the series of a run."""
    rows = [row for row in listing("rules")["rules"] if row["code"].startswith("RV")]
    return _catalogue("Rules", RULES, rows, FAMILIES, "rule")


def sample_checks() -> str:
    """Every rule that judges sampled completions."""
    rows = [row for row in listing("rules")["rules"] if row["code"].startswith("SM")]
    return _catalogue("Sample checks", SAMPLE_CHECKS, rows, SAMPLE_FAMILIES, "rule")


def settings_checks() -> str:
    """Every check that needs only a configuration."""
    return _catalogue("Settings checks", SETTINGS_CHECKS, listing("rules")["preflight"], FAMILIES, "pre-flight check")


def causes() -> str:
    """Every cause with its evidence and what to change."""
    rows, links = listing("causes")["causes"], _links()
    overview = table(
        ("Cause", "What one would say", "Shown by"),
        (
            (
                link(row["cause"], {row["cause"]: ""}),
                text(row["summary"]),
                ", ".join(link(name, links) for name in row["shown_by"]),
            )
            for row in rows
        ),
    )
    return page("Causes", CAUSES, overview, *(entry_text(entry(row["cause"], "cause"), links) for row in rows))


def metrics() -> str:
    """The vocabulary by section: one name for each metric, with every producer's tag."""
    links = _links()
    parts: list[str] = []
    for section, group in groupby(listing("metrics")["metrics"], key=lambda row: str(row["section"])):
        rows = list(group)
        parts += [f"## {_metric_section(section)}", _metric_table(rows)]
        parts += [entry_text(entry(row["name"], "metric"), links) for row in rows]
    return page("Metrics", METRICS, *parts)


def _catalogue(title: str, introduction: str, rows: Sequence[Row], families: dict[str, str], kind: str) -> str:
    links = _links()
    parts: list[str] = []
    for digit, heading in families.items():
        family = [row for row in rows if row["code"][2] == digit]
        parts += [
            f"## {heading}",
            _rule_table(family),
            *(entry_text(entry(row["rule"], kind), links) for row in family),
        ]
    return page(title, introduction, *parts)


def _rule_table(rows: Iterable[Row]) -> str:
    return table(
        ("Code", "Rule", "For", "Grade", "What it finds"),
        (
            (row["code"], link(row["rule"], {row["rule"]: ""}), _algorithms(row), row["grade"], text(row["finds"]))
            for row in rows
        ),
    )


def _algorithms(row: Row) -> str:
    return row["for"] if isinstance(row["for"], str) else ", ".join(row["for"])


def _metric_table(rows: Iterable[Row]) -> str:
    return table(
        ("Metric", "Unit", "Healthy", "Meaning"),
        (
            (link(row["name"], {row["name"]: ""}), code(row["unit"]), text(row["healthy"]), text(row["meaning"]))
            for row in rows
        ),
    )


def _metric_section(section: str) -> str:
    return METRIC_SECTIONS.get(section, section.capitalize())


def _links() -> Links:
    listed = listing("rules")
    return {
        **{row["rule"]: "samples.md" if row["code"].startswith("SM") else "rules.md" for row in listed["rules"]},
        **{row["rule"]: "settings.md" for row in listed["preflight"]},
        **{row["cause"]: "causes.md" for row in listing("causes")["causes"]},
    }
