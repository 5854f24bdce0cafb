"""Measures how well rlvitals finds faults: injects them into real trainings, adds healthy controls, and judges all.

python -m benchmarks.detection [--budget-minutes 20] [--subset documents] [--part measured|known|tune]
    [--seeds SEED ...] [--peers-python PYTHON]

Trains what the cache lacks within the budget, judges every cached run (re-judging only if the diagnosis has changed),
and writes one line per run to benchmarks/results/detection.jsonl and the tables to docs/benchmarks/detection.md. Lines
for runs that are not in the cache are kept, and the tables say so. It can be stopped at any time and continues where it
left off. The logs stay in the cache, outside the repository.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.detecting.cells import PARTS, cells, read_corpus
from benchmarks.detecting.fix_efficacy import apply_missing, read_fixed
from benchmarks.detecting.missed_faults import with_reasons
from benchmarks.detecting.report import page
from benchmarks.detecting.result_cache import judge_runs
from benchmarks.detecting.training import is_trained, train_missing

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "detection.jsonl"
PAGE = ROOT / "docs" / "benchmarks" / "detection.md"
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "rlvitals" / "detection"
INTRODUCTION = """\
# How well it finds things

Faults are switched on in trainings of the bundled trainer, from the start or at a random step, and the diagnosis is
compared with the committed truth (`benchmarks/detecting/expected.toml`). A fault is found when a right rule fires at
warning or above after the onset, seen while the run grows; its cause is judged at the end of the run. Intervals hold
95 %. Limits and causes are chosen on the tune part (`benchmarks/detecting/corpus.toml`). Of the measured part nothing
was known when any rule, cause or fix was last changed; the known part was measured before, and looked at since. Written
by

    python -m benchmarks.detection
"""


def main() -> int:
    """Train, judge, print and write as the options say."""
    chosen = _options().parse_args()
    deadline = time.monotonic() + 60 * chosen.budget_minutes
    parts = [chosen.part] if chosen.part else list(PARTS)
    seeds = set(chosen.seeds)
    wanted = [cell for part in parts for cell in cells(part, chosen.subset) if not seeds or cell.seed in seeds]
    train_missing(chosen.cache, wanted, deadline)
    available = [cell for part in parts for cell in cells(part) if not seeds or cell.seed in seeds]
    trained = [cell for cell in available if is_trained(chosen.cache, cell)]
    if chosen.fixes:
        apply_missing(chosen.cache, trained, deadline)
    explained = with_reasons(chosen.cache, trained, list(judge_runs(chosen.cache, trained, chosen.processes)))
    results = [
        {**result, "fixed": read_fixed(chosen.cache, cell)} for cell, result in zip(trained, explained, strict=True)
    ]
    if chosen.peers_python:
        results = with_peers(chosen.cache, results, chosen.peers_python)
    results = [{**result, "documents": _is_of_documents(result)} for result in results]
    write([*results, *judged_before(results, chosen.results)], chosen.results)
    return 0


def judged_before(results: Sequence[Mapping[str, Any]], path: Path) -> list[dict[str, Any]]:
    """The lines for other runs already in a results file, each assigned to the present part of its seed."""
    part_of = {cell.name: part for part in PARTS for cell in cells(part)}
    now = {result["name"] for result in results}
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    before = [line for line in map(json.loads, lines) if line["name"] in part_of.keys() - now]
    return [{**line, "cell": {**line["cell"], "part": part_of[line["name"]]}, "judged_before": True} for line in before]


def write(results: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Write one line per run and the page of tables, which is also printed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    in_order = sorted(results, key=_name)
    path.write_text("".join(json.dumps(result) + "\n" for result in in_order), "utf-8")
    text = as_page(in_order)
    _page_of(path).write_text(text, "utf-8")
    sys.stdout.write(text)


def as_page(results: Sequence[Mapping[str, Any]]) -> str:
    """The Markdown page of results: the measured part, the known one, then the one that limits were chosen on."""
    by_part = {part: [result for result in results if result["cell"]["part"] == part] for part in PARTS}
    return "\n".join([INTRODUCTION, *(page(part, found, len(cells(part))) for part, found in by_part.items() if found)])


def with_peers(
    cache: Path, results: Sequence[Mapping[str, Any]], python: str, runs: str = "runs"
) -> list[dict[str, Any]]:
    """The results with other packages' findings on the same runs, computed once per run.

    `runs` is the folder of the cache that holds the runs as these packages are fed.
    """
    known = cache / "peers.jsonl"
    findings = _read_peers(known)
    missing = [str(cache / runs / result["name"]) for result in results if result["name"] not in findings]
    if missing:
        command = [python, "-m", "benchmarks.detecting.peers", *missing]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        with known.open("a", encoding="utf-8") as file:
            subprocess.run(command, env=environment, stdout=file, stderr=subprocess.DEVNULL, check=True)
        findings = _read_peers(known)
    return [{**result, "peers": findings[result["name"]]} for result in results]


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--budget-minutes", type=float, default=20.0, help="train for so long at most; 0: judge only")
    parser.add_argument("--subset", choices=sorted(read_corpus()["subsets"]), help="train only these faults")
    parser.add_argument("--part", choices=PARTS, help="train and judge only this part")
    parser.add_argument("--seeds", type=int, nargs="*", default=[], help="train and judge only these seeds")
    parser.add_argument("--processes", type=int, default=2, help="runs that are judged at the same time (default: 2)")
    parser.add_argument("--fixes", action="store_true", help="also train again with the fix that a diagnosis suggests")
    parser.add_argument("--peers-python", help="a Python that has benchmarks/peers-requirements.txt")
    parser.add_argument("--cache", type=Path, default=CACHE, help=f"where the runs lie (default: {CACHE})")
    parser.add_argument(
        "--results", type=Path, default=RESULTS, help="the file of results; the page of another file lies beside it"
    )
    return parser


def _page_of(results: Path) -> Path:
    return PAGE if results == RESULTS else results.with_suffix(".md")


def _read_peers(path: Path) -> dict[str, Any]:
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    rows = [json.loads(line) for line in lines]
    return {row.pop("run"): row for row in rows}


def _is_of_documents(result: Mapping[str, Any]) -> bool:
    return result["cell"]["fault"] in read_corpus()["subsets"]["documents"]


def _name(result: Mapping[str, Any]) -> str:
    return str(result["name"])


if __name__ == "__main__":
    sys.exit(main())
