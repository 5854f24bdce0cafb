"""Tests of the typed records: a value of the wrong type counts as missing and is said, in every field."""

import json
from pathlib import Path
from typing import Any

import pytest

from diagnostics.runlog import RUN_FILE, STATUS_FILE, RecordError, RunLog, RunRecord, StatusRecord
from diagnostics.runlog.records import Resumption

VALUES: tuple[Any, ...] = (-1, "5", 1.5, [1], float("nan"), {}, True, 2**70, [{}], [[]], "x" * 99)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    config = {"learning_rate": 1e-4}
    with RunLog(tmp_path / "a", algorithm="grpo", config=config, total=9, fault={"name": "f"}, parent="p") as log:
        log.log(1, {"reward": 0.5})
    RunLog.resume(tmp_path / "a", step=1, changes={"max_steps": 9}).close("failed", "why")
    return tmp_path / "a"


def put(file: Path, name: str, value: Any) -> None:
    file.write_text(json.dumps({**json.loads(file.read_text()), name: value}))


def test_what_the_run_log_writes_is_read_without_a_problem(run: Path) -> None:
    record, status = RunRecord.read(run), StatusRecord.read(run)
    assert (record.algorithm, record.config, record.parent) == ("grpo", {"learning_rate": 1e-4}, "p")
    assert (status.state, status.total, status.error) == ("failed", None, "why")
    assert [(beginning.step, beginning.changes) for beginning in status.resumed] == [(1, {"max_steps": 9})]
    assert status.process is not None
    assert (record.problems, status.problems) == ((), ())


@pytest.mark.parametrize(
    ("file", "name", "fitting"),
    [
        (RUN_FILE, "schema_version", (2**70,)),
        *((RUN_FILE, name, ("5", "x" * 99)) for name in ("name", "algorithm", "task", "parent")),
        (RUN_FILE, "created", (1.5,)),
        *((RUN_FILE, name, ({},)) for name in ("config", "versions", "fault")),
        (STATUS_FILE, "state", ()),
        *((STATUS_FILE, name, ()) for name in ("step", "total", "pid")),
        *((STATUS_FILE, name, (1.5,)) for name in ("heartbeat", "started")),
        *((STATUS_FILE, name, ("5", "x" * 99)) for name in ("host", "boot_id", "error")),
        (STATUS_FILE, "resumed", ([{}],)),
    ],
)
def test_a_value_of_the_wrong_type_counts_as_missing_and_is_said(
    run: Path, file: str, name: str, fitting: tuple[Any, ...]
) -> None:
    record: type[RunRecord] | type[StatusRecord] = RunRecord if file == RUN_FILE else StatusRecord
    for value in VALUES:
        put(run / file, name, value)
        problems = [str(problem) for problem in record.read(run).problems]
        is_wrong = value not in fitting or value == 2**70
        assert is_wrong == any(problem.startswith(f"{name} in {file} is ") for problem in problems), value
        assert all(len(problem) < 200 for problem in problems)
    put(run / file, name, None)
    assert record.read(run).problems == ()


def test_the_sentence_quotes_the_value_and_says_what_it_should_be(run: Path) -> None:
    put(run / STATUS_FILE, "pid", "5")
    (problem,) = StatusRecord.read(run).problems
    assert str(problem) == 'pid in status.json is "5", not a whole number from 1 on; it counts as missing'
    assert StatusRecord.read(run).process is None


def test_fields_within_a_resumption_are_checked_as_well(run: Path) -> None:
    put(run / STATUS_FILE, "resumed", [{"step": -1, "time": "now", "changes": [1]}, 5])
    status = StatusRecord.read(run)
    assert status.resumed == (Resumption(None, None, {}),)
    assert [problem.name for problem in status.problems] == ["resumed", "step", "time", "changes"]


@pytest.mark.parametrize("text", ["", "{", "[]", "5", "null", "[" * 100_000, "1" * 10_000, '{"a": NaN', "\x00"])
def test_a_file_without_an_object_is_a_sentence(run: Path, text: str) -> None:
    for file, record in ((RUN_FILE, RunRecord), (STATUS_FILE, StatusRecord)):
        (run / file).write_text(text)
        with pytest.raises(RecordError, match=f"{file} holds no JSON object"):
            record.read(run)


@pytest.mark.parametrize("value", [None, *VALUES])
def test_a_run_without_an_id_of_the_right_type_is_no_run(run: Path, value: Any) -> None:
    put(run / RUN_FILE, "run_id", value)
    if isinstance(value, str):
        assert RunRecord.read(run).run_id == value
    else:
        with pytest.raises(RecordError, match=r"run\.json is no run log of rlvitals: .*run_id"):
            RunRecord.read(run)


def test_a_folder_in_the_files_place_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / RUN_FILE).mkdir()
    with pytest.raises(RecordError, match=r"run\.json cannot be read: it is a folder, not a file"):
        RunRecord.read(tmp_path)
