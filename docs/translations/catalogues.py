"""The texts of the catalogues: rules with their documents, causes, remedies, metrics, caveats, checklist, recipes."""

import inspect
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from diagnostics import last_words, rules
from diagnostics.catalogue.checklist import CHECKLIST
from diagnostics.catalogue.checklist import SOURCE as CHECKLIST_SOURCE
from diagnostics.causes.catalog import CATALOG as CAUSES
from diagnostics.causes.catalog import TEXTS as CAUSE_TEXTS
from diagnostics.causes.remedies.catalog import REMEDIES
from diagnostics.derivations.table import BY_TARGET
from diagnostics.model.vocabulary import METRICS
from diagnostics.producers.table import TRAINERS
from diagnostics.readers.base import FORMATS
from diagnostics.rules import CONFIG_RULES, RUN_RULES, SAMPLE_RULES
from diagnostics.rules.not_judged import NOT_JUDGED
from diagnostics.rules.rule import GRADES, Rule
from diagnostics.time_budget.stages import TITLES
from diagnostics.wording.findings import in_words
from docs.translations.argparse_words import PLURALS, WORDS
from docs.translations.texts import Text
from docs.translations.units import units
from trainer.config.algorithms import ALGORITHMS
from trainer.config.built_in_rewards import BUILT_IN
from trainer.config.options import Section, options_of
from trainer.config.recipes import RECIPES
from trainer.faults import FAULTS
from trainer.launch.executors.resources import RESOURCE_HELP
from trainer.trust.foreign_code import Kind

_ROOT = Path(__file__).parents[2]
_SECOND_HALF = "RV5"  # the documents of run rules are two files, so that two people can translate them
_CITED = "References"  # a section that names documents stays as it is


def texts() -> Iterator[tuple[str, Text]]:
    """Each text with its domain."""
    yield from (("words", text) for text in _words())
    yield from (("metrics", text) for text in _metrics())
    yield from (("causes", text) for text in _causes())
    for rule in RUN_RULES:
        yield from (("findings", text) for text in _findings(rule))
        yield from (("rules-1-4" if rule.code < _SECOND_HALF else "rules-5-9", text) for text in _document(rule))
    for domain, listed in (("samples", SAMPLE_RULES), ("settings", CONFIG_RULES)):
        yield from ((domain, text) for rule in listed for text in (*_findings(rule), *_document(rule)))
    yield from (("findings", text) for text in _shared_findings())
    yield from (("findings", text) for text in units())
    yield from (("sources", text) for text in _sources())
    yield from (("trainer", text) for text in _options())
    yield from (("pages", text) for text in _launch_form())


def _findings(rule: Rule[Any, Any]) -> Iterator[Text]:
    yield Text(in_words(rule.name), _file(type(rule)), f"{rule.name} as words")
    yield from _table(rule.templates, _file(type(rule)))


def _shared_findings() -> Iterable[Text]:
    """What rules say that stands in no single one of them."""
    own = {key for rule in rules.CATALOG for key in rule.templates}
    return (Text(text, "diagnostics/rules", key) for key, text in rules.TEXTS.items() if key not in own)


def _document(rule: Rule[Any, Any]) -> Iterator[Text]:
    where = _file(type(rule))
    yield Text(rule.summary, where, f"{rule.name}: what it finds")
    for title, body in rule.sections.items():
        if title != _CITED:
            yield Text(body, where, f"{rule.name}: {title}")
    for limit in rule.limit_docs:
        yield Text(limit.unit, where, f"{rule.name}.{limit.name}: unit")


def _causes() -> Iterator[Text]:
    where = "diagnostics/causes/catalog"
    yield from _table(CAUSE_TEXTS, where)
    for entry in CAUSES:
        yield Text(in_words(entry.name), where, f"{entry.name} as words")
        yield Text(entry.meaning, where, f"{entry.name}: what it means")
    yield from (Text(remedy.why, "diagnostics/causes/remedies", remedy.template) for remedy in REMEDIES.values())
    yield from _table(last_words.TEXTS, "diagnostics/last_words")


def _metrics() -> Iterator[Text]:
    for entry in METRICS:
        for field in ("title", "unit", "meaning", "to_log", "healthy", "formula", "slip"):
            yield Text(getattr(entry, field), "diagnostics/model/vocabulary", f"{entry.name}: {field}")
    for name, formulas in BY_TARGET.items():
        for formula in formulas:
            yield Text(formula.text, "diagnostics/derivations", f"{name}: derived by")
            yield Text(formula.precision, "diagnostics/derivations", f"{name}: precision")


def _words() -> Iterator[Text]:
    for trainer in TRAINERS:
        for caveat in trainer.caveats:
            yield Text(caveat.text, "diagnostics/producers", f"caveat of {', '.join(caveat.tags[:3])}")
    for check in CHECKLIST:
        yield Text(check.question, "diagnostics/catalogue/checklist.py", "question")
        yield Text(check.text, "diagnostics/catalogue/checklist.py", "answer")
    for entry in NOT_JUDGED:
        yield Text(entry.summary, "diagnostics/rules/not_judged.py", entry.name)
        yield Text(entry.reason, "diagnostics/rules/not_judged.py", f"{entry.name}: why no rule judges it")
    yield from (Text(words, "argparse", "what argparse says") for words in WORDS)
    yield from (Text(one, "argparse", "what argparse says", plural=many) for one, many in PLURALS)
    yield from _table(GRADES, "diagnostics/rules/rule.py")
    yield from _table(TITLES, "diagnostics/time_budget/stages.py")
    for form in FORMATS:
        yield Text(form.title, "diagnostics/readers/base.py", f"{form.name}: what it is")
        yield Text(form.loss, "diagnostics/readers/base.py", f"{form.name}: what is not read")


def _sources() -> Iterator[Text]:
    """Where a number or a claim comes from: titles of documents and a few words."""
    for rule in rules.CATALOG:
        yield Text(rule.source, _file(type(rule)), f"{rule.name}: source")
        for limit in rule.limit_docs:
            yield Text(limit.source, _file(type(rule)), f"{rule.name}.{limit.name}: source")
    yield from (Text(remedy.source, "diagnostics/causes/remedies", remedy.template) for remedy in REMEDIES.values())
    yield from (Text(entry.source, "diagnostics/model/vocabulary", entry.name) for entry in METRICS)
    yield from (Text(entry.source, "diagnostics/rules/not_judged.py", entry.name) for entry in NOT_JUDGED)
    yield Text(CHECKLIST_SOURCE, "diagnostics/catalogue/checklist.py")


def _options() -> Iterator[Text]:
    """What a training can be told, and made sick with."""
    where = "trainer/config/options"
    for algorithm in ALGORITHMS.values():
        for option in options_of(algorithm.config):
            yield Text(option.help, where, f"{option.name}: help")
            yield Text(option.meaning_of_empty, where, f"{option.name}: what an empty value means")
    for name, built_in in BUILT_IN.items():
        yield Text(built_in.summary, "trainer/config/built_in_rewards.py", name)
        yield Text(built_in.number, "trainer/config/built_in_rewards.py", f"{name}: its number")
    for fault in FAULTS.values():
        yield Text(fault.does, "trainer/faults", f"{fault.name}: what it does")


def _launch_form() -> Iterator[Text]:
    """What the page that starts trainings offers."""
    for recipe in RECIPES.values():
        yield Text(recipe.title, "trainer/config/recipes.py", recipe.name)
        yield Text(recipe.description, "trainer/config/recipes.py", recipe.name)
    yield from (Text(section.value, "trainer/config/options", "heading") for section in Section)
    yield from (Text(kind.value, "trainer/trust/foreign_code.py", "kind of code") for kind in Kind)
    for name, told in RESOURCE_HELP.items():
        yield Text(told.meaning, "trainer/launch/executors/resources.py", name)
        yield Text(told.unnamed, "trainer/launch/executors/resources.py", f"{name}, not named")


def _table(table: Any, where: str) -> Iterable[Text]:
    return (Text(text, where, key) for key, text in table.items())


def _file(kind: type) -> str:
    return Path(inspect.getfile(kind)).relative_to(_ROOT).as_posix()
