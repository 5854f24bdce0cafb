"""The sampled completions of a run, one record each, as they were logged."""

import json
from collections.abc import Iterator
from dataclasses import fields
from typing import Any, BinaryIO

from diagnostics.exports.parquet import NUMBERS_BY_NAME, written
from diagnostics.model.run import Run
from diagnostics.model.samples import Sample
from diagnostics.report.strict_json import encoded_line, json_types

SAMPLE_FORMS = ("jsonl", "parquet")
_COLUMNS = {
    "step": "int64",
    "query": "string",
    "response": "string",
    "score": "float64",
    "rewards": NUMBERS_BY_NAME,
    "advantage": "float64",
    "terminated": "bool_",
    "length": "int64",
    "group": "int64",
    "split": "string",
    "followed": "bool_",
    "extra": "string",  # JSON: what else the log holds has no fixed form
}


def samples_as_lines(run: Run) -> Iterator[str]:
    """The samples as lines of JSON, step by step."""
    for step in run.samples.steps:
        for sample in run.samples.at(step):
            yield f"{encoded_line(_record(sample))}\n"


def write_samples(run: Run, file: BinaryIO) -> None:
    """Write the samples as parquet, a group of rows for each step. Raises ParquetMissing."""
    written(_COLUMNS, (_columns([*run.samples.at(step)]) for step in run.samples.steps), file)


def _record(sample: Sample) -> dict[str, Any]:
    return {item.name: getattr(sample, item.name) for item in fields(sample)}


def _columns(samples: list[Sample]) -> dict[str, list[Any]]:
    columns: dict[str, list[Any]] = {name: [getattr(sample, name) for sample in samples] for name in _COLUMNS}
    columns["rewards"] = [_numbers(sample) for sample in samples]
    columns["extra"] = [json.dumps(json_types(sample.extra)) if sample.extra else None for sample in samples]
    return columns


def _numbers(sample: Sample) -> list[tuple[str, float | None]]:
    return [(name.encode("utf-8", "replace").decode(), value) for name, value in sample.rewards.items()]
