"""Tests of the catalogue as a whole: every rule is a document, and every sentence it can say renders."""

import inspect
import re
import string
import sys
from collections.abc import Sequence
from typing import Any

import pytest

from diagnostics.causes.remedies.catalog import REMEDIES
from diagnostics.model.vocabulary import metric
from diagnostics.rules import CATALOG, CONFIG_RULES, RUN_RULES, SAMPLE_RULES
from diagnostics.rules.rule import GRADES, SECTIONS, NoLimits, Rule
from diagnostics.rules.run.run_rule import RunRule
from diagnostics.texts import templates

EVERY_RULE = pytest.mark.parametrize("rule", CATALOG, ids=lambda rule: rule.name)
EVERY_RULE_OF_RUNS = pytest.mark.parametrize("rule", [*RUN_RULES, *SAMPLE_RULES], ids=lambda rule: rule.name)
DOCUMENTED = {
    "kl-negative",
    "kl-too-high",
    "ratio-far-from-one",
    "value-loss-spike",
    "nonfinite-metric",
    "clipfrac-high",
    "update-too-large",
    "stability-metric-collapsed",
    "reward-not-improving",
    "reward-regression",
    "kl-coef-rising",
    "grpo-clip-ratio-high",
    "truncation-high",
    "eos-never-generated",
    "reward-func-stagnant",
    "reward-func-constant",
}
FAMILIES = {
    "kl": "3",
    "ratio": "2",
    "update": "2",
    "clipfrac": "2",
    "grpo": "2",
    "reward": "4",
    "truncation": "6",
    "eos": "6",
    "value": "7",
    "nonfinite": "1",
    "stability": "1",
    "nan": "1",
    "grad": "1",
    "policy": "1",
    "legacy": "1",
    "run": "1",
    "oom": "1",
    "memory": "1",
    "env": "8",
    "on": "2",
    "systematic": "2",
    "sampling": "2",
    "clip": "2",
    "zero": "4",
    "tiny": "4",
    "train": "4",
    "unscorable": "4",
    "entropy": "5",
    "pad": "6",
    "single": "4",
    "length": "6",
    "wrong": "6",
    "masked": "6",
    "explained": "7",
    "rollout": "8",
    "is": "8",
    "logp": "8",
    "ess": "8",
    "tool": "8",
    "engine": "8",
    "correction": "8",
    "samples": "8",
    "drops": "8",
    "history": "8",
    "resume": "1",
    "lr": "9",
    "trainer": "9",
    "generation": "9",
    "microbatches": "9",
    "recompute": "9",
    "sync": "9",
    "rollout-straggler": "9",
    "kv": "9",
    "step": "9",
    "grader": "9",
}


def test_every_condition_of_the_documents_has_its_rule() -> None:
    assert {rule.name for rule in CATALOG} >= DOCUMENTED


def test_codes_and_names_are_used_once() -> None:
    assert len({rule.code for rule in CATALOG}) == len(CATALOG)
    assert len({rule.name for rule in CATALOG}) == len(CATALOG)


@pytest.mark.parametrize("rules", [RUN_RULES, SAMPLE_RULES, CONFIG_RULES])
def test_the_catalogue_is_in_the_order_of_the_codes(rules: Sequence[Rule[Any, Any]]) -> None:
    assert sorted(rule.code for rule in rules) == [rule.code for rule in rules]


@EVERY_RULE
def test_a_file_is_called_like_its_rule(rule: Rule[Any, Any]) -> None:
    assert rule.name.replace("-", "_") == type(rule).__module__.rpartition(".")[2]


@EVERY_RULE
def test_a_code_stands_in_its_family(rule: Rule[Any, Any]) -> None:
    family = rule.name.partition("-")[0]
    patterns = {"smp": r"SM\d{3}", "pf": r"PF[1-9]\d\d"}
    digit = FAMILIES.get(rule.name) or FAMILIES.get(family)
    assert re.fullmatch(patterns.get(family) or rf"RV{digit}\d\d", rule.code)


@EVERY_RULE
def test_a_rule_is_a_whole_document(rule: Rule[Any, Any]) -> None:
    assert tuple(rule.sections) == SECTIONS
    assert all(rule.sections.values())
    assert rule.summary.endswith(".")
    assert rule.grade in GRADES
    assert rule.source


@EVERY_RULE
def test_every_limit_has_a_unit_and_a_source(rule: Rule[Any, Any]) -> None:
    assert rule.limit_docs or isinstance(rule.limits, NoLimits)
    assert [doc.name for doc in rule.limit_docs if not doc.unit or not doc.source] == []


@EVERY_RULE_OF_RUNS
def test_inputs_and_remedies_exist(rule: RunRule[Any]) -> None:
    names = [name for item in rule.inputs for name in ([item] if isinstance(item, str) else item)]
    assert [name for name in names if metric(name) is None] == []
    assert [name for name in rule.remedies if name not in REMEDIES] == []
    assert rule.remedies


@EVERY_RULE_OF_RUNS
def test_a_rule_says_its_finding_in_one_sentence(rule: RunRule[Any]) -> None:
    assert {"headline"} < set(rule.texts)
    assert rule.texts["headline"].count(". ") == 0


@EVERY_RULE
def test_every_text_is_a_sentence(rule: Rule[Any, Any]) -> None:
    assert all(text.endswith(".") for text in rule.texts.values())


@EVERY_RULE
def test_no_bare_number_stands_in_a_check(rule: Rule[Any, Any]) -> None:
    source = inspect.getsource(sys.modules[type(rule).__module__])
    body = source.partition("    def check(")[2]
    assert re.findall(r"(?<![\w.\"])\d*\.\d+(?![\w\"])", body.replace("0.0", "").replace("1.0", "")) == []


def test_every_template_is_well_formed() -> None:
    for name, text in templates("en").items():
        fields = [field for _, field, _, _ in string.Formatter().parse(text) if field is not None]
        assert "" not in fields, name


def test_a_language_without_a_table_is_refused_in_one_sentence() -> None:
    with pytest.raises(ValueError, match="there is no language 'tlh'"):
        templates("tlh")
