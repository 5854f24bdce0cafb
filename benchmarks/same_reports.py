"""Compares the JSON reports of two commits over the same logs: `python -m benchmarks.same_reports --before REV`.

The logs are the sample runs, the fixtures, and a small run of every format that the fuzzer starts from. They are
written once, by the code of this tree, and diagnosed by both commits. Every difference is printed; intended ones are
listed in `INTENDED`, each with its reason. Exits with 1 if a report differs in any other way.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.two_commits import ROOT, Tree, before_and_after
from diagnostics.causes import FORMER_NAMES
from tests.fuzz.seeds import SEEDS


@dataclass(frozen=True, slots=True)
class Intended:
    """An intended difference: a pattern over its path in a report, and the reason."""

    where: str
    why: str

    def covers(self, place: str) -> bool:
        """Whether it covers a difference at this path of a report."""
        return re.fullmatch(self.where, place) is not None


INTENDED: tuple[Intended, ...] = (
    Intended(r"outcomes\.run-stalled\.(measured|message)", "the age of a log, in seconds of the clock"),
)


def main() -> int:
    """Print the differences; returns 0 if all of them are intended."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--before", required=True, metavar="REV", help="the commit to compare with")
    parser.add_argument("logs", nargs="*", type=Path, help="further folders of logs")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch, before_and_after(options.before, Path(scratch)) as trees:
        logs = [ROOT / "sample_runs", ROOT / "tests" / "fixtures", _seeds(Path(scratch) / "formats"), *options.logs]
        before, after = (_reports(tree, logs, Path(scratch) / f"{tree.name}.json") for tree in trees)
    return _print_differences(before, after)


def _seeds(folder: Path) -> Path:
    """A small run of every format."""
    for form, writers in SEEDS.items():
        for write in writers:
            place = folder / form / write.__name__
            place.parent.mkdir(parents=True, exist_ok=True)
            write(place)
    return folder


def _reports(tree: Tree, logs: list[Path], output: Path) -> Mapping[str, Any]:
    """Every run's report by its path, produced by the code of this tree."""
    command = [sys.executable, "-m", "diagnostics.cli", "diagnose", *map(str, logs), "--format", "json"]
    done = subprocess.run(
        [*command, "--output", str(output)],
        cwd=tree.path,
        env=tree.environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if not output.exists():
        raise SystemExit(f"{tree.path} gives no report: {done.stderr.strip()}")
    document = json.loads(_with_present_names(output.read_text("utf-8")))
    return {run["path"]: run for run in document["runs"]} | {error["path"]: error for error in document["errors"]}


def _with_present_names(report: str) -> str:
    """A report with causes that have since been renamed under their present names."""
    for former, present in FORMER_NAMES.items():
        report = report.replace(former, present)
    return report


def _print_differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> int:
    unexpected = intended = 0
    for path in sorted(before.keys() | after.keys()):
        for place, old, new in _differences(before.get(path), after.get(path)):
            reason = next((item.why for item in INTENDED if item.covers(place)), None)
            intended, unexpected = intended + (reason is not None), unexpected + (reason is None)
            _print_line(f"{path}\n  {place}: {old!r} → {new!r}" + (f"\n  intended: {reason}" if reason else ""))
    _print_line(
        f"{len(before)} reports before, {len(after)} after: {intended} intended differences, {unexpected} others"
    )
    return 1 if unexpected else 0


def _print_line(line: str) -> None:
    sys.stdout.write(line + "\n")


def _differences(old: Any, new: Any, place: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Every path at which two JSON values differ, with both values; list entries are matched by their rule or cause."""
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key in old.keys() | new.keys():
            yield from _differences(old.get(key), new.get(key), f"{place}.{key}" if place else key)
    elif isinstance(old, list) and isinstance(new, list) and _have_names(old) and _have_names(new):
        yield from _differences(_by_name(old), _by_name(new), place)
    elif old != new:
        yield place, old, new


def _have_names(items: list[Any]) -> bool:
    return bool(items) and all(isinstance(item, Mapping) and {"rule", "cause"} & item.keys() for item in items)


def _by_name(items: list[Any]) -> dict[str, Any]:
    return {str(item.get("rule", item.get("cause"))): item for item in items}


if __name__ == "__main__":
    sys.exit(main())
