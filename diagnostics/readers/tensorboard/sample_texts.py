"""Sampled completions that trainers log to TensorBoard as text, as verl and OpenRLHF do."""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from diagnostics.foreign_files.bounds import SAMPLE_ROWS
from diagnostics.model.samples import Sample, Samples
from diagnostics.readers.samples.cut_steps import beyond_count
from diagnostics.readers.samples.tables import to_samples

SUFFIX = "/text_summary"
TAGS = {"val/generations": "eval", "train/generated_samples": "train"}
"""The tags of verl and OpenRLHF, and what their completions answer."""
_MARKDOWN = re.compile(
    r"### Sample \d+\s*\*\*Input:\*\*[ ]?(?P<query>.*?)\s*\*\*Output:\*\*[ ]?(?P<response>.*?)\s*"
    r"\*\*Score:\*\*[ ]*(?P<score>\S+)",
    re.DOTALL,
)
_LEAST_CHARACTERS = 20  # of a sample in either form
_ESCAPED = re.compile(r"Sample:\\n(?P<text>.*?)\\n\\nReward: (?P<reward>\S+)", re.DOTALL)


class SampleTexts:
    """The sample texts by step; the later one counts if a step logged two."""

    def __init__(self, index: Iterable[tuple[int, Mapping[str, str]]] = ()) -> None:
        self._texts: dict[int, dict[str, str]] = {step: dict(found) for step, found in index}
        self._counts: dict[str, dict[int, int]] = {tag: {} for tag in TAGS}  # samples by step, of long texts

    def add(self, tag: str, step: int, text: str) -> None:
        """Keep a text if its tag is one that holds samples."""
        bare = tag.removesuffix(SUFFIX)
        if bare in TAGS:
            self._texts.setdefault(step, {})[bare] = text
            is_long = len(text) >= SAMPLE_ROWS * _LEAST_CHARACTERS
            self._counts[bare][step] = sum(1 for _ in _rows(text)) if is_long else 0

    def notes(self) -> Iterator[str]:
        """Sentences about what a bound left out."""
        for counts in self._counts.values():
            yield from beyond_count(counts)

    def index(self) -> list[list[Any]]:
        """The texts so far by step, as JSON-serialisable data."""
        return [[step, found] for step, found in self._texts.items()]

    def snapshot(self) -> Samples:
        """The samples so far."""
        texts = {step: dict(found) for step, found in self._texts.items()}
        return Samples(tuple(sorted(texts)), partial(_load, texts))


def _load(texts: Mapping[int, Mapping[str, str]], step: int) -> tuple[Sample, ...]:
    return tuple(
        sample for tag, text in texts[step].items() for sample in to_samples(list(_rows(text)), step, split=TAGS[tag])
    )


def _rows(text: str) -> Iterator[dict[str, Any]]:
    for pattern, score in ((_MARKDOWN, "score"), (_ESCAPED, "reward")):
        for match in pattern.finditer(text):
            row: dict[str, Any] = match.groupdict()
            try:
                row[score] = float(row[score])
            except ValueError:
                del row[score]
            yield row
