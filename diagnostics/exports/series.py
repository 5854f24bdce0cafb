"""The series of a run, one record for each logged point: none is left out, NaN and ±Infinity are kept."""

import csv
import io
import math
import re
from collections.abc import Iterator
from typing import Any, BinaryIO

from diagnostics.exports.parquet import written
from diagnostics.model.run import Run
from diagnostics.model.series import Series
from diagnostics.report.strict_json import encoded_line, nonfinite_name
from diagnostics.visible_text import one_line

SERIES_FORMS = ("csv", "jsonl", "parquet")
_FIELDS = ("metric", "tag", "unit", "step", "time", "value", "replaced")
_FORMULA = re.compile(r"[=+\-@＝＋－＠]")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_POINTS = 10_000  # in one piece of text

_Point = tuple[int, float | None, float, bool]  # step, time, value, replaced


def series_as_csv(run: Run) -> Iterator[str]:
    """The points as CSV, in pieces of whole lines; the numbers are exact, and no text is a formula."""
    yield f"{','.join(_FIELDS)}\n"
    for name, series in _sorted(run):
        identity = _row(map(_csv_text, (name, series.tag, series.unit)))
        lines = [f"{identity},{_csv_point(point)}\n" for point in _points(series)]
        for start in range(0, len(lines), _POINTS):
            yield "".join(lines[start : start + _POINTS])


def series_as_lines(run: Run) -> Iterator[str]:
    """The points as lines of JSON."""
    for name, series in _sorted(run):
        identity = {"metric": name, "tag": series.tag, "unit": series.unit}
        for step, time, value, replaced in _points(series):
            record = {**identity, "step": step, "time": time, "value": value, "replaced": replaced}
            yield f"{encoded_line(record)}\n"


def write_series(run: Run, file: BinaryIO) -> None:
    """Write the points as parquet, a group of rows for each series. Raises ParquetMissing."""
    columns = {"metric": "string", "tag": "string", "unit": "string", "step": "int64"}
    columns |= {"time": "float64", "value": "float64", "replaced": "bool_"}
    written(columns, (_columns(name, series) for name, series in _sorted(run)), file)


def _sorted(run: Run) -> list[tuple[str, Series]]:
    return sorted(run.series.items())


def _points(series: Series) -> Iterator[_Point]:
    times: list[float | None] = series.times.tolist() if len(series.times) else [None] * len(series)
    for step, time, value in zip(series.steps.tolist(), times, series.values.tolist(), strict=True):
        yield step, time, value, False
    for step, value in zip(series.replaced_steps.tolist(), series.replaced_values.tolist(), strict=True):
        yield step, None, value, True


def _columns(name: str, series: Series) -> dict[str, list[Any]]:
    points = list(_points(series))
    steps, times, values, replaced = map(list, zip(*points, strict=True)) if points else ([], [], [], [])
    told = {"metric": name, "tag": series.tag, "unit": series.unit}
    identity = {key: [text] * len(points) for key, text in told.items()}
    return {**identity, "step": steps, "time": times, "value": values, "replaced": replaced}


def _csv_point(point: _Point) -> str:
    step, time, value, replaced = point
    return f"{step},{'' if time is None else _csv_number(time)},{_csv_number(value)},{str(replaced).lower()}"


def _csv_number(value: float) -> str:
    return repr(value) if math.isfinite(value) else nonfinite_name(value)


def _csv_text(text: str) -> str:
    """Text that no spreadsheet takes for a formula: one that begins like it gets the apostrophe that means text."""
    line = one_line(text)
    return f"'{line}" if _FORMULA.match(line) and not _NUMBER.fullmatch(line) else line


def _row(cells: Iterator[str]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(cells)
    return line.getvalue()
