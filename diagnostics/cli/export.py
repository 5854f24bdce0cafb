"""`rlvitals export`: the points, the samples or a chart of a run, in a form that other programs read."""

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from diagnostics.api import diagnose
from diagnostics.cli.command import CommandError, command_parser, did_you_mean, write_result
from diagnostics.cli.reading import add_map, log_path, names_of, open_single_run
from diagnostics.exports import (
    SAMPLE_FORMS,
    SERIES_FORMS,
    ParquetMissing,
    samples_as_lines,
    series_as_csv,
    series_as_lines,
    write_samples,
    write_series,
)
from diagnostics.language import _
from diagnostics.model.run import Run

_PARQUET = "parquet"
_TEXTS: dict[tuple[bool, str], Callable[[Run], Iterator[str]]] = {
    (False, "csv"): series_as_csv,
    (False, "jsonl"): series_as_lines,
    (True, "jsonl"): samples_as_lines,
}


def run(words: Sequence[str]) -> int:
    """Write every point of every series, or every sample, or one metric as a picture."""
    given = _options().parse_args(words)
    forms = SAMPLE_FORMS if given.samples else SERIES_FORMS
    form = given.format or forms[0]
    if form not in forms:
        sentence = _("samples are written as {forms}: their text is none for a spreadsheet")
        raise CommandError(sentence.format(forms=" / ".join(SAMPLE_FORMS)))
    run = open_single_run(given.path, names_of(given.map))
    if given.chart:
        write_result(_chart(run, given.chart), given.output)
    elif form == _PARQUET:
        _write_parquet(run, write_samples if given.samples else write_series, given.output)
    else:
        write_result("".join(_TEXTS[given.samples, form](run)).rstrip("\n"), given.output)
    return 0


def _options() -> argparse.ArgumentParser:
    arguments = command_parser(
        "export",
        _("Write the raw series of a run, one record for each logged point; or its samples, or the chart of a metric."),
        (
            "rlvitals export runs/a > a.csv",
            "rlvitals export runs/a --format parquet --output a.parquet",
            "rlvitals export runs/a --samples --format parquet --output samples.parquet",
            "rlvitals export runs/a --chart kl_per_token --output kl.svg",
        ),
    )
    arguments.add_argument("path", metavar="PATH", type=log_path, help=_("a run"))
    what = arguments.add_mutually_exclusive_group()
    what.add_argument("--samples", action="store_true", help=_("its sampled completions instead of its series"))
    what.add_argument(
        "--chart", metavar="METRIC", help=_("a metric or a tag as an SVG picture, with limits and findings")
    )
    arguments.add_argument("--format", choices=SERIES_FORMS, help=_("default: csv, of samples jsonl"))
    arguments.add_argument("--output", metavar="FILE", type=Path, help=_("write to this file; parquet needs one"))
    add_map(arguments)
    return arguments


def _chart(run: Run, name: str) -> str:
    from diagnostics.report.html.picture import picture  # noqa: PLC0415 - as every form of a report

    by_tag = {series.tag: series for series in run.series.values()}
    series = run.get(name) or by_tag.get(name)
    if series is None or not len(series):
        known = sorted({*run.series, *by_tag})
        sentence = _("{path} has no metric or tag called {name}{hint}")
        raise CommandError(sentence.format(path=run.path, name=repr(name), hint=did_you_mean(name, known)))
    return picture(run, series, diagnose(run).outcomes).rstrip("\n")


def _write_parquet(run: Run, write: Callable[[Run, BinaryIO], None], output: Path | None) -> None:
    """Parquet is no text, so it goes to a file or into a pipe; a file that could not be written whole is removed."""
    if output is None and sys.stdout.isatty():
        raise CommandError(_("parquet is no text for a terminal; name a file with --output"))
    try:
        if output is None:
            write(run, sys.stdout.buffer)
            return
        beside = output.with_name(f".{output.name}.{os.getpid()}")
        try:
            with beside.open("xb") as file:
                write(run, file)
            beside.replace(output)
        finally:
            beside.unlink(missing_ok=True)
    except ParquetMissing as error:
        raise CommandError(str(error)) from error
    except OSError as error:
        raise CommandError(_("cannot write {file}: {why}").format(file=output, why=error.strerror)) from error
