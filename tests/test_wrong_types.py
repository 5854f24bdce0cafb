"""Values of the wrong type in the files of a run directory: each command ends in a sentence, never in a traceback."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from diagnostics.api import diagnose, find_runs, open_run
from diagnostics.readers.base import UnreadableRun
from diagnostics.report.forms import FORMS, rendered
from diagnostics.report.report import Report
from diagnostics.runlog import EVENTS_FILE, RUN_FILE, SAMPLES_FILE, STATUS_FILE, RunLog
from diagnostics.runlog.parent import find_parent
from diagnostics.wording.runs import run_line
from trainer.config.options import ConfigError
from trainer.evaluate.arguments import trained_run
from trainer.launch import LaunchError, stop
from trainer.launch.arguments import read_plan

COMMAND = Path(sys.executable).with_name("rlvitals")
VALUES: tuple[Any, ...] = (-1, "5", 1.5, [1], float("nan"), None, {}, True, 2**70, 1e300, {"a": [1]})
SAMPLE = {
    "query": "1+1=",
    "response": "2",
    "score": 1.0,
    "rewards": {"accuracy": 1.0},
    "advantage": 0.5,
    "terminated": True,
    "length": 1,
    "group": 0,
    "split": "train",
    "followed": False,
}
HISTOGRAM = {"edges": [0.0, 1.0], "counts": [3]}


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run of this process that goes on, resumed once, with samples and histograms."""
    config = {"learning_rate": 1e-4, "max_steps": 99}
    with RunLog(tmp_path / "a", algorithm="grpo", task="addition", config=config, fault={"name": "f"}) as log:
        for step in range(1, 4):
            log.log(step, {"reward": 0.5, "kl": 0.1}, [SAMPLE], {"reward": HISTOGRAM})
    log = RunLog.resume(tmp_path / "a", step=3, total=99, changes={"max_steps": 99})
    folder = tmp_path / "there"
    shutil.copytree(tmp_path / "a", folder)
    log.close()
    (folder / "checkpoints" / "step-3").mkdir(parents=True)
    return folder


def places(run: Path) -> Iterator[tuple[Path, list[Any], Any]]:
    """Every value in the files: the file, its rows, and the path of keys to the value in the last row."""
    for name in (RUN_FILE, STATUS_FILE, EVENTS_FILE, SAMPLES_FILE):
        rows = [json.loads(line) for line in (run / name).read_text().splitlines()]
        for keys in _keys_in(rows[-1]):
            yield run / name, rows, keys


def _keys_in(row: Any) -> Iterator[tuple[Any, ...]]:
    items: Any = row.items() if isinstance(row, dict) else enumerate(row) if isinstance(row, list) else ()
    for key, value in items:
        yield (key,)
        yield from ((key, *keys) for keys in _keys_in(value))


def wrong(file: Path, rows: list[Any], keys: tuple[Any, ...], value: Any) -> None:
    """Write the rows with another value at these keys of the last one."""
    rows = json.loads(json.dumps(rows))
    place = rows[-1]
    for key in keys[:-1]:
        place = place[key]
    place[keys[-1]] = value
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))


def read(run: Path) -> None:
    """Do what `runs`, `diagnose` and the page do with a run; a path may be unreadable, in words."""
    for ref in find_runs(run):
        opened = open_run(ref.path)
        diagnosis = diagnose(opened)
        assert run_line(opened)
        find_parent(opened)
        for step in opened.samples.steps:
            opened.samples.at(step)
        for form in FORMS:
            assert rendered(Report(diagnoses=(diagnosis,)), form)


USES: tuple[tuple[Callable[[Path], Any], tuple[type[Exception], ...]], ...] = (
    (read, (UnreadableRun,)),
    (stop, (LaunchError,)),
    (lambda run: read_plan(["--from", str(run)]), (ConfigError,)),
    (lambda run: read_plan(["--resume", str(run)]), (ConfigError,)),
    (trained_run, (ConfigError,)),
)


@pytest.mark.slow
def test_every_field_of_every_file_may_hold_a_value_of_the_wrong_type(run: Path) -> None:
    for file, rows, keys in list(places(run)):
        kept = file.read_bytes()
        for value in VALUES:
            wrong(file, rows, keys, value)
            for use, sentences in USES:
                with suppress(*sentences):
                    use(run)
        file.write_bytes(kept)


@pytest.mark.process
@pytest.mark.parametrize(
    ("name", "keys", "value"),
    [
        (STATUS_FILE, ("heartbeat",), float("nan")),
        (RUN_FILE, ("config",), "5"),
    ],
)
def test_each_command_says_it_in_a_sentence(run: Path, name: str, keys: tuple[Any, ...], value: Any) -> None:
    wrong(run / name, [json.loads((run / name).read_text())], keys, value)
    commands = (["runs"], ["diagnose"], ["stop"], ["train", "--resume"], ["evaluate", "--judge", "reward:length"])
    for words in commands:
        done = subprocess.run([COMMAND, *words, run], capture_output=True, text=True, timeout=60, check=False)
        assert "Traceback" not in done.stderr
        assert done.returncode in (0, 1, 2)
        assert done.stdout or done.stderr.startswith("rlvitals: ")


def test_what_counts_as_missing_is_noted_in_the_diagnosis(run: Path) -> None:
    wrong(run / STATUS_FILE, [json.loads((run / STATUS_FILE).read_text())], ("total",), "99")
    assert 'total in status.json is "99", not a whole number from 0 on; it counts as missing' in open_run(run).notes
