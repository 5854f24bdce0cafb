"""`rlvitals export`: the raw series of a run, one record for each logged point, in a form that other programs read."""

import csv
import importlib
import io
import math
import re
import sys
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from diagnostics.cli.command import CommandError, command_parser, write_result
from diagnostics.cli.reading import add_map, names_of, open_single_run
from diagnostics.language import _
from diagnostics.model.run import Run
from diagnostics.model.series import Series
from diagnostics.report.strict_json import encoded_line, nonfinite_name
from diagnostics.visible_text import one_line

_FIELDS = ("metric", "tag", "unit", "step", "time", "value", "replaced")
_FORMULA = re.compile(r"[=+\-@＝＋－＠]")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")

Record = dict[str, Any]


def run(words: Sequence[str]) -> int:
    """Write every point of every series: no downsampling, with NaN and ±Infinity, replaced points marked."""
    arguments = command_parser(
        "export",
        _("Write the raw series of a run, one record for each logged point."),
        ("rlvitals export runs/a > a.csv", "rlvitals export runs/a --format parquet --output a.parquet"),
    )
    arguments.add_argument("path", metavar="PATH", type=Path, help=_("a run"))
    arguments.add_argument(
        "--format", choices=("csv", "jsonl", "parquet"), default="csv", help=_("default: {form}").format(form="csv")
    )
    arguments.add_argument("--output", metavar="FILE", type=Path, help=_("write to this file; parquet needs one"))
    add_map(arguments)
    given = arguments.parse_args(words)
    run = open_single_run(given.path, names_of(given.map))
    if given.format == "parquet":
        _write_parquet(run, given.output)
    else:
        write_result(_FORMS[given.format](run), given.output)
    return 0


def _records(run: Run) -> Iterator[Record]:
    for name, series in sorted(run.series.items()):
        identity = {"metric": name, "tag": series.tag, "unit": series.unit}
        for point in _points(series):
            yield {**identity, **point}


def _points(series: Series) -> Iterator[Record]:
    times = series.times.tolist() if len(series.times) else [None] * len(series)
    for step, time, value in zip(series.steps.tolist(), times, series.values.tolist(), strict=True):
        yield {"step": step, "time": time, "value": value, "replaced": False}
    for step, value in zip(series.replaced_steps.tolist(), series.replaced_values.tolist(), strict=True):
        yield {"step": step, "time": None, "value": value, "replaced": True}


def _csv(run: Run) -> str:
    file = io.StringIO()
    table = csv.DictWriter(file, _FIELDS, lineterminator="\n")
    table.writeheader()
    table.writerows({key: _csv_cell(value) for key, value in record.items()} for record in _records(run))
    return file.getvalue().rstrip("\n")


def _csv_cell(value: Any) -> Any:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return _csv_text(value)
    return nonfinite_name(value) if isinstance(value, float) and not math.isfinite(value) else value


def _csv_text(text: str) -> str:
    """Text that no spreadsheet takes for a formula: one that begins like it gets the apostrophe that means text."""
    line = one_line(text)
    return f"'{line}" if _FORMULA.match(line) and not _NUMBER.fullmatch(line) else line


def _jsonl(run: Run) -> str:
    return "\n".join(map(encoded_line, _records(run)))


def _write_parquet(run: Run, output: Path | None) -> None:
    """Parquet by pyarrow, which the app's extra brings along; it is no text, so it goes to a file."""
    if find_spec("pyarrow") is None:
        raise CommandError(
            _("parquet needs pyarrow, which is not installed; run: {command}, or use {option}").format(
                command="pip install pyarrow", option="--format csv"
            )
        )
    if output is None and sys.stdout.isatty():
        raise CommandError(_("parquet is no text for a terminal; name a file with {option}").format(option="--output"))
    arrow, parquet = importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")
    table = arrow.Table.from_pylist(list(_records(run)))
    try:
        parquet.write_table(table, sys.stdout.buffer if output is None else output)
    except OSError as error:
        raise CommandError(_("cannot write {file}: {error}").format(file=output, error=error.strerror)) from error


_FORMS = {"csv": _csv, "jsonl": _jsonl}
