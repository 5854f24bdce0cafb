"""Prompts begin with the first special token twice: the template writes it, and the tokenizer adds it again.

What it checks
    The prompts of the newest logged samples: as text, whether they begin with the same begin-of-text token twice; as
    token ids, where these are logged, whether all begin with the same id twice and not three times (that is padding).
    0.02 of the prompts, and at least two, is a warning. A tokenizer before a training is no part of it.

Why it matters
    The model was never trained on such a beginning and answers worse, and an engine that leaves the second token out
    scores other prompts than the trainer does.

When it is wrong
    A template that begins with the same token twice on purpose, which none is known to do.

What to try
    Tokenise what the template rendered without adding special tokens (`add_special_tokens=False`).

References
    NeMo-RL pull request 855 · marin issue 7179 · unsloth issue 10312.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Skipped, english
from diagnostics.rules.samples.sample_rule import Judgement, SampleRule
from diagnostics.rules.samples.shares import judge_share
from diagnostics.rules.samples.tables import Row, Rows, View

FIRST = r"<\|begin_of_text\|>|<\|startoftext\|>|<｜begin▁of▁sentence｜>|<s>|<bos>|\[BOS\]|\[gMASK\]"
ONCE = re.compile(rf"\s*(?:{FIRST})")
TWICE = re.compile(rf"\s*({FIRST})\s*\1")
IDS = ("prompt_ids", "prompt_token_ids", "prompt_tokens", "input_ids")
"""Columns that hold the token ids of a prompt."""


class Limits(RuleLimits):
    """Which share is too much."""

    warning: float = limit(0.02, "fraction", "no sound prompt begins so")
    rows: int = limit(2, "samples", "one may quote a template")


class SmpDoubleBos(SampleRule[Limits]):
    """Judges how prompts begin."""

    code = "SM105"
    name = "smp-double-bos"
    grade = "I"
    source = "NeMo-RL pull request 855; marin issue 7179"
    limits = Limits()
    is_from_start = True
    remedies = ("single-first-token",)
    texts = english(
        headline="Prompts begin with their first special token twice.",
        fired="{count} of the {rows} newest prompts begin with the same special token twice.",
        shown="Its prompt begins with the same special token twice.",
    )

    def applies(self, run: Run) -> bool:
        """Only where samples show how prompts begin: most tables leave special tokens out."""
        newest = run.samples.of_training(run.samples.steps[-1]) if run.samples.steps else ()
        return super().applies(run) and any(_ids(item.extra) or ONCE.match(item.query) for item in newest)

    def judge(self, seen: View, limits: Limits) -> Judgement | Skipped:
        shared = _shared_first_id(seen.recent)
        found = judge_share(
            seen, lambda row: _begins_twice(row, shared), {Severity.WARNING: limits.warning}, each_is_wrong=True
        )
        return found if len(found.samples) >= limits.rows else replace(found, severity=None)


def _begins_twice(row: Row, shared: int | None) -> bool:
    ids = _ids(row.sample.extra)
    as_ids = shared is not None and ids[:2] == [shared, shared] and ids[2:3] != [shared]
    return as_ids or TWICE.match(row.sample.query) is not None


def _shared_first_id(rows: Rows) -> int | None:
    """The id with which all prompts begin; None where they differ, or ids are not logged."""
    first = {ids[0] if (ids := _ids(row.sample.extra)) else None for row in rows}
    return next(iter(first)) if len(first) == 1 else None


def _ids(extra: Mapping[str, Any]) -> list[int]:
    found = next((extra[name] for name in IDS if isinstance(extra.get(name), list | tuple)), ())
    return [item for item in found[:3] if isinstance(item, int)]
