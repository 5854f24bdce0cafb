"""Compares the diagnosis with a reading of logs that people committed to public repositories.

python -m benchmarks.real_logs LOGS [--fetch] [--processes 2]

Reads LOGS/<owner>/<repository>/<path> of each row of benchmarks/public_logs/logs.toml, runs `rlvitals diagnose` on it
in a process of its own, and writes docs/benchmarks/real-logs.md. With --fetch it first brings what LOGS lacks: with
git, from GitHub, at the commit that the row names. No log is part of this repository.
"""

import argparse
import sys
from pathlib import Path

from benchmarks.public_logs.agreement import judge
from benchmarks.public_logs.fetching import HOST, fetch_missing
from benchmarks.public_logs.report import tables
from benchmarks.public_logs.table import read_table

PAGE = Path(__file__).resolve().parents[1] / "docs" / "benchmarks" / "real-logs.md"
SECONDS = 120.0
INTRODUCTION = """\
# How well it agrees with a reader of public logs

People commit the logs of their trainings to public repositories. `benchmarks/public_logs/logs.toml` names some of
them, each at a commit, with a reading of its curves: sick, with the causes and rules that would be right; healthy; no
reinforcement learning; or unclear, where one could argue, which counts for nothing. A second reader has judged the same
curves and knew neither the first reading nor a diagnosis; **a log on which the two differ counts as unclear**. What
rules and causes are right is the first reader's word. The first reading, too, was made before a diagnosis of the log
was seen, except for 24 logs of the known part, which earlier versions had been tried on. None was changed afterwards;
to one that named no right rule, that of counted hacks, one was added before its diagnosis was seen.
The readings are of the curves: the rule that tells how a run ended counts for nothing in a log that is not sick. Each
such end has been looked up, and is in its record (one run lost its terminal, another ran out of disk). In a log that
holds no share of cut-off answers, `length-at-limit` says by their lengths what `truncation-high` says by that share,
and counts for it.

Rules may be changed with the known part in view. The apart part is of other repositories and is shown in sums alone:
nobody tunes on it. Logs of one repository resemble each other; the intervals take them for independent. The logs are
not in this repository; the command brings them, and names each as a file, as its author would. Written by

    python -m benchmarks.real_logs LOGS --fetch
"""


def main() -> int:
    """Fetch if asked, diagnose, print and write."""
    chosen = _options().parse_args()
    logs = read_table()
    if chosen.fetch:
        fetch_missing(chosen.logs, logs, chosen.host)
    results = judge(chosen.logs, logs, chosen.seconds, chosen.processes)
    if not results:
        sys.stderr.write(f"{chosen.logs} holds none of the {len(logs)} logs; add --fetch to bring them\n")
        return 2
    text = f"{INTRODUCTION}\n{tables(logs, results)}"
    chosen.output.write_text(text, "utf-8")
    sys.stdout.write(text)
    return 0


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("logs", type=Path, help="the folder of logs, outside of this repository")
    parser.add_argument("--fetch", action="store_true", help="bring the logs that the folder lacks")
    parser.add_argument("--host", default=HOST, help=f"where the repositories lie (default: {HOST})")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="how long one log may take (default: 120)")
    parser.add_argument("--processes", type=int, default=2, help="logs that are read at the same time (default: 2)")
    parser.add_argument("--output", type=Path, default=PAGE, help="the page that is written")
    return parser


if __name__ == "__main__":
    sys.exit(main())
