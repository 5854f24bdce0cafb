"""Measures how well rlvitals finds faults in runs that nobody here made: real TRL, other tasks, models and settings.

python -m benchmarks.detection_trl [--budget-minutes 20] [--part measured|tune] [--processes 2]
    [--peers-python PYTHON]

Trains with TRL's own Pythons (make .venv-trl/.ready .venv-trl-1.16/.ready .venv-trl-0.7/.ready) what the cache lacks
within the budget, labels every run by its outcome on held-out prompts, judges it, and writes one line per run to
benchmarks/results/detection-trl.jsonl, the tables to docs/benchmarks/detection-trl.md, the ranges of healthy runs to
docs/benchmarks/healthy-ranges.md, and how often each cause was right to diagnostics/causes/track_record.toml. It can be
stopped at any time and continues where it left off; lines for runs that are not in the cache are kept.
"""

import argparse
import json
import operator
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.detecting.expected import read_expected
from benchmarks.detection import CACHE as OWN_CACHE
from benchmarks.detection import with_peers
from benchmarks.trl_runs.cells import PARTS, cells, in_training_order
from benchmarks.trl_runs.judging import judged, judging_version
from benchmarks.trl_runs.peers import FOLDER as PEERS_FOLDER
from benchmarks.trl_runs.peers import write_rows
from benchmarks.trl_runs.ranges import ranges_page
from benchmarks.trl_runs.report import part_page
from benchmarks.trl_runs.track_record import as_toml, calls, records
from benchmarks.trl_runs.training import train_missing

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "detection-trl.jsonl"
PAGE = ROOT / "docs" / "benchmarks" / "detection-trl.md"
RANGES = ROOT / "docs" / "benchmarks" / "healthy-ranges.md"
RECORDS = ROOT / "diagnostics" / "causes" / "track_record.toml"
CACHE = OWN_CACHE.with_name("detection-trl")
PYTHONS = {"1.16.0": ROOT / ".venv-trl-1.16", "1.12.0": ROOT / ".venv-trl", "0.7.11": ROOT / ".venv-trl-0.7"}
INTRODUCTION = """\
# How well it finds things in TRL's runs

Real TRL trains tiny models of five architectures, with tokenizers of their own, on more than twenty tasks no demo has;
the settings of each run are drawn from wide ranges (`benchmarks/trl_runs/corpus.toml`). A sick run differs from its
healthy twin in one fault (`benchmarks/trl_runs/faults.py`). Labels come from the outcome on held-out prompts, scored
greedily with the task's real score, never from a metric: sick is what broke or ended clearly below its twin, healthy is
what rose or stayed at its ceiling, and the rest is set aside (`benchmarks/trl_runs/labels.py`). Each run is read in one
form of its log, drawn at random, and looked at while it grows. The machine trained other things as well, so that
findings of speed count for nothing. Intervals hold 95 %. Limits and causes may be chosen on the tune part; the measured
part has other tasks and other architectures, and is only measured. GRPO and RLOO are those of TRL 1.16, PPO is that of
1.12 and, where users write the loop themselves, `PPOTrainer.step` of 0.7. Written by

    python -m benchmarks.detection_trl
"""


def main() -> int:
    """Train, judge, print and write as the options say."""
    chosen = _options().parse_args()
    pythons = {version: str(folder / "bin" / "python") for version, folder in PYTHONS.items() if folder.is_dir()}
    wanted = [cell for cell in in_training_order() if chosen.part in (None, cell.part)]
    train_missing(chosen.cache, wanted, pythons, time.monotonic() + 60 * chosen.budget_minutes, chosen.trainings)
    results = [{**each, "judged_by": judging_version()} for each in judged(chosen.cache, wanted, chosen.processes)]
    if chosen.peers_python:
        names = {result["name"] for result in results}
        write_rows(chosen.cache, [cell for cell in wanted if cell.name in names])
        results = with_peers(chosen.cache, results, chosen.peers_python, PEERS_FOLDER)
        results = with_learned(chosen.cache, results, chosen.peers_python)
    write([*results, *judged_before(results, chosen.results)], chosen.results)
    return 0


def with_learned(cache: Path, results: Sequence[Mapping[str, Any]], python: str) -> list[dict[str, Any]]:
    """The results; those of the measured part with what is learned from its other tasks.

    Sick and healthy runs have the score of a detector as `learned`, sick ones a cause as `learned_cause`.
    """
    measured = _of(results, "measured")
    cases = [_case(each) | {"is_sick": each["label"] == "sick"} for each in measured if each["label"] != "aside"]
    faulty = [_case(each) | _lesson(each) for each in measured if each["cell"]["fault"]]
    found = _learned(python, "learned", cases, str(cache / PEERS_FOLDER))
    sick = {case["name"] for case in cases if case["is_sick"]}
    causes = {name: cause for name, cause in _learned(python, "learned_causes", faulty).items() if name in sick}
    answers = {"learned": found, "learned_cause": causes}
    return [
        {**each, **{field: of[each["name"]] for field, of in answers.items() if each["name"] in of}} for each in results
    ]


def _case(result: Mapping[str, Any]) -> dict[str, Any]:
    return {"name": result["name"], **{field: result["cell"][field] for field in ("task", "algorithm")}}


def _lesson(result: Mapping[str, Any]) -> dict[str, Any]:
    """What a run with a fault teaches about causes: the rules that fired, and the cause that is right."""
    expected = read_expected()[result["cell"]["fault"]]
    return {"fired": result["fired"], "cause": expected.causes_with(result["cell"]["algorithm"])[0]}


def _learned(python: str, module: str, cases: Sequence[Mapping[str, Any]], *arguments: str) -> dict[str, Any]:
    """What a module that learns says of each run by name; nothing where there are no two tasks to learn across."""
    if len({case["task"] for case in cases}) < 2:
        return {}
    command = [python, "-m", f"benchmarks.trl_runs.{module}", *arguments]
    told = {"input": json.dumps(cases), "env": {**os.environ, "PYTHONPATH": str(ROOT)}, "text": True}
    answer: dict[str, Any] = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True, **told).stdout)
    return answer


def judged_before(results: Sequence[Mapping[str, Any]], path: Path) -> list[dict[str, Any]]:
    """The lines for other planned runs already in a results file; those of another version are marked."""
    planned = {cell.name for part in PARTS for cell in cells(part)} - {result["name"] for result in results}
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    kept = [line for line in map(json.loads, lines) if line["name"] in planned]
    return [{**line, "judged_before": line.get("judged_by") != judging_version()} for line in kept]


def write(results: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Write one line per run, the two pages and the records of causes; the page of tables is also printed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    in_order = sorted(results, key=operator.itemgetter("name"))
    path.write_text("".join(json.dumps(result) + "\n" for result in in_order), "utf-8")
    text = as_page(in_order)
    pages = {PAGE: text, RANGES: as_ranges(in_order), RECORDS: as_records(in_order)}
    for page, content in pages.items():
        (page if path == RESULTS else path.with_name(page.name)).write_text(content, "utf-8")
    sys.stdout.write(text)


def as_page(results: Sequence[Mapping[str, Any]]) -> str:
    """The Markdown page of results, the measured part first."""
    return "\n".join([INTRODUCTION, *(part_page(part, _of(results, part), len(cells(part))) for part in PARTS)])


def as_ranges(results: Sequence[Mapping[str, Any]]) -> str:
    """The Markdown page of healthy ranges."""
    return ranges_page(_of(results, "tune"))


def as_records(results: Sequence[Mapping[str, Any]]) -> str:
    """The table of how often each cause was right, as TOML."""
    return as_toml(records(calls(_of(results, "measured"))))


def _of(results: Sequence[Mapping[str, Any]], part: str) -> list[Mapping[str, Any]]:
    return [result for result in results if result["cell"]["part"] == part]


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--budget-minutes", type=float, default=20.0, help="train for so long at most; 0: judge only")
    parser.add_argument("--trainings", type=int, default=1, help="runs that are trained at the same time (default: 1)")
    parser.add_argument("--part", choices=PARTS, help="train and judge only this part")
    parser.add_argument("--processes", type=int, default=2, help="runs that are judged at the same time (default: 2)")
    parser.add_argument("--peers-python", help="a Python that has benchmarks/peers-requirements.txt")
    parser.add_argument("--cache", type=Path, default=CACHE, help=f"where the runs lie (default: {CACHE})")
    parser.add_argument(
        "--results", type=Path, default=RESULTS, help="the file of results; the pages of another file lie beside it"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
