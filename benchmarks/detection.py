"""Measures how well rlvitals finds faults: injects them into real trainings, adds healthy controls, and judges all.

python -m benchmarks.detection [--budget-minutes 20] [--subset documents] [--part measured|known|tune|engine]
    [--seeds SEED ...] [--healthy] [--names TEXT ...] [--peers-python PYTHON]

Trains what the cache lacks within the budget, judges every cached run (re-judging only if the diagnosis has changed),
and writes one line per run to benchmarks/results/detection.jsonl and the tables to docs/benchmarks/detection.md, those
of the rollout engine apart from the trainer to detection-engine.md beside it. Lines for runs that are not in the cache
are kept, and the tables say how many of them other rules than these have judged. It can be stopped at any time and
continues where it left off. The logs stay in the cache, outside the repository.
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

from benchmarks.detecting.cells import PARTS, Cell, Part, cells, read_corpus
from benchmarks.detecting.fix_efficacy import apply_missing, read_fixed
from benchmarks.detecting.missed_faults import with_reasons
from benchmarks.detecting.pages import PAGES, RESULTS
from benchmarks.detecting.result_cache import judge_runs, rules_version
from benchmarks.detecting.training import is_trained, train_missing

ROOT = Path(__file__).resolve().parents[1]
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "rlvitals" / "detection"


def main() -> int:
    """Train, judge, print and write as the options say."""
    chosen = _options().parse_args()
    deadline = time.monotonic() + 60 * chosen.budget_minutes
    parts: Sequence[Part] = [chosen.part] if chosen.part else PARTS
    train_missing(chosen.cache, _chosen_cells(chosen, parts, chosen.subset), deadline)
    available = _chosen_cells(chosen, parts)
    trained = [cell for cell in available if is_trained(chosen.cache, cell)]
    if chosen.fixes:
        apply_missing(chosen.cache, trained, deadline)
    explained = with_reasons(chosen.cache, trained, list(judge_runs(chosen.cache, trained, chosen.processes)))
    results = [
        {**result, "fixed": read_fixed(chosen.cache, cell)} for cell, result in zip(trained, explained, strict=True)
    ]
    if chosen.peers_python:
        results = with_peers(chosen.cache, results, chosen.peers_python)
    results = [{**result, "documents": _is_of_documents(result), "judged_by": rules_version()} for result in results]
    write([*results, *judged_before(results, chosen.results)], chosen.results, parts)
    return 0


def _chosen_cells(chosen: argparse.Namespace, parts: Sequence[Part], subset: str | None = None) -> list[Cell]:
    """The cells of these parts that the options name."""
    found = [cell for part in parts for cell in cells(part, subset) if not chosen.seeds or cell.seed in chosen.seeds]
    named = [cell for cell in found if not chosen.names or any(text in cell.name for text in chosen.names)]
    return [cell for cell in named if cell.is_healthy or not chosen.healthy]


def judged_before(results: Sequence[Mapping[str, Any]], path: Path) -> list[dict[str, Any]]:
    """The lines for other runs already in a results file, each assigned to the present part of its seed.

    Those of an earlier version of rules and causes are marked.
    """
    part_of = {cell.name: part for part in PARTS for cell in cells(part)}
    now = {result["name"] for result in results}
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    before = [line for line in map(json.loads, lines) if line["name"] in part_of.keys() - now]
    return [
        {**line, "cell": {**line["cell"], "part": part_of[line["name"]]}, "judged_before": _is_outdated(line)}
        for line in before
    ]


def write(results: Sequence[Mapping[str, Any]], path: Path, parts: Sequence[Part] = PARTS) -> None:
    """Write one line per run, and the pages of tables; a page that shows one of `parts` is printed as well."""
    path.parent.mkdir(parents=True, exist_ok=True)
    in_order = sorted(results, key=_name)
    path.write_text("".join(json.dumps(result) + "\n" for result in in_order), "utf-8")
    for page in PAGES:
        shown = [result for result in in_order if result["cell"]["part"] in page.parts]
        if shown:
            page.file(path).write_text(page.text(shown), "utf-8")
            sys.stdout.write(page.text(shown) if set(parts) & set(page.parts) else "")


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
    parser.add_argument("--healthy", action="store_true", help="train and judge only healthy controls")
    parser.add_argument(
        "--names", nargs="*", default=[], help="train and judge only runs with one of these in their name"
    )
    parser.add_argument("--processes", type=int, default=2, help="runs that are judged at the same time (default: 2)")
    parser.add_argument("--fixes", action="store_true", help="also train again with the fix that a diagnosis suggests")
    parser.add_argument("--peers-python", help="a Python that has benchmarks/peers-requirements.txt")
    parser.add_argument("--cache", type=Path, default=CACHE, help=f"where the runs lie (default: {CACHE})")
    parser.add_argument(
        "--results", type=Path, default=RESULTS, help="the file of results; the pages of another file lie beside it"
    )
    return parser


def _read_peers(path: Path) -> dict[str, Any]:
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    rows = [json.loads(line) for line in lines]
    return {row.pop("run"): row for row in rows}


def _is_outdated(line: Mapping[str, Any]) -> bool:
    return line.get("judged_by") != rules_version()


def _is_of_documents(result: Mapping[str, Any]) -> bool:
    return result["cell"]["fault"] in read_corpus()["subsets"]["documents"]


def _name(result: Mapping[str, Any]) -> str:
    return str(result["name"])


if __name__ == "__main__":
    sys.exit(main())
