"""Tests of the run log's reader: missing points, samples, malformed lines, and whether a training still lives."""

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from diagnostics.model.recording import Recording
from diagnostics.readers.base import UnreadableRun
from diagnostics.readers.run_directory.reader import Reader
from diagnostics.runlog import EVENTS_FILE, RUN_FILE, SAMPLES_FILE, STATUS_FILE, RunLog


def finished(path: Path, steps: int = 2) -> Path:
    with RunLog(path, algorithm="grpo") as log:
        for step in range(1, steps + 1):
            log.log(step, {"loss": float(step)}, samples=[{"query": f"q{step}", "response": "r", "score": 1.0}])
    return path


def read(path: Path) -> Recording:
    return Reader(path).refresh()


def append(file: Path, *lines: str) -> None:
    with file.open("a") as handle:
        handle.writelines(line + "\n" for line in lines)


def set_status(path: Path, **changes: Any) -> None:
    file = path / STATUS_FILE
    file.write_text(json.dumps({**json.loads(file.read_text()), **changes}))


def test_null_is_a_missing_point(tmp_path: Path) -> None:
    run = finished(tmp_path / "a")
    append(run / EVENTS_FILE, '{"step": 3, "time": 1.0, "metrics": {"loss": null, "kl": 0.5}}')

    recording = read(run)

    assert recording.tags["loss"].steps.tolist() == [1, 2]
    assert recording.tags["kl"].steps.tolist() == [3]
    assert recording.malformed == 0


@pytest.mark.parametrize(
    "line",
    [
        "not json",
        "[1, 2]",
        '{"metrics": {"loss": 1}}',
        '{"step": true, "metrics": {"loss": 1}}',
        '{"step": 1.5, "metrics": {"loss": 1}}',
        '{"step": 9223372036854775808, "metrics": {"loss": 1}}',
        '{"step": 3, "metrics": {"loss": "high"}}',
        '{"step": 3, "metrics": {"loss": 1' + 400 * "0" + "}}",
        '{"step": 3, "metrics": [1]}',
        '{"step": 3}',
    ],
)
def test_a_line_that_is_no_logged_step_is_counted_and_passed_over(tmp_path: Path, line: str) -> None:
    run = finished(tmp_path / "a")
    append(run / EVENTS_FILE, line, '{"step": 4, "metrics": {"loss": 4}}')

    recording = read(run)

    assert recording.tags["loss"].steps.tolist() == [1, 2, 4]
    assert recording.malformed == 1


def test_samples_are_read_for_the_step_that_is_asked_for(tmp_path: Path) -> None:
    samples = read(finished(tmp_path / "a", steps=3)).samples

    assert samples.steps == (1, 2, 3)
    assert [sample.query for sample in samples.at(2)] == ["q2"]
    assert samples.at(7) == ()


def test_a_sample_keeps_all_that_was_written(tmp_path: Path) -> None:
    with RunLog(tmp_path / "a") as log:
        row = {"query": "q\n1", "response": "<b>é</b>", "score": float("nan"), "rewards": {"f": 1.0, "g": None}}
        log.log(
            1, {}, samples=[{**row, "advantage": -0.5, "terminated": False, "length": 7, "group": 3, "prompt_index": 9}]
        )

    (sample,) = read(tmp_path / "a").samples.at(1)

    assert (sample.query, sample.response, dict(sample.rewards)) == ("q\n1", "<b>é</b>", {"f": 1.0})
    assert (sample.advantage, sample.terminated, sample.length, sample.group) == (-0.5, False, 7, 3)
    assert sample.extra == {"prompt_index": 9}
    assert sample.score != sample.score  # NaN


def test_of_a_step_that_was_logged_twice_the_later_samples_count(tmp_path: Path) -> None:
    with RunLog(tmp_path / "a") as log:
        for step, query in ((1, "a"), (2, "b"), (1, "c")):
            log.log(step, {}, samples=[{"query": query, "response": ""}] * 2)

    assert [sample.query for sample in read(tmp_path / "a").samples.at(1)] == ["c", "c"]


def test_samples_that_were_handed_out_stay_when_a_step_is_logged_again(tmp_path: Path) -> None:
    with RunLog(tmp_path / "a") as log:
        log.log(1, {"loss": 1.0}, samples=[{"query": "first", "response": ""}])
        reader = Reader(tmp_path / "a")
        before = reader.refresh().samples
        log.log(2, {"loss": 1.0}, samples=[{"query": "second", "response": ""}])
        log.log(1, {"loss": 1.0}, samples=[{"query": "again", "response": ""}])
        after = reader.refresh().samples

    assert (before.steps, after.steps) == ((1,), (1, 2))
    assert [found.at(1)[0].query for found in (before, after)] == ["first", "again"]


def test_malformed_samples_are_counted(tmp_path: Path) -> None:
    run = finished(tmp_path / "a")
    append(run / SAMPLES_FILE, "{", '{"query": "without a step"}', '{"step": 2, "query": "later", "response": ""}')

    recording = read(run)

    assert recording.malformed == 2
    assert [sample.query for sample in recording.samples.at(2)] == ["q2", "later"]


def test_a_lone_surrogate_in_a_sample_can_be_shown(tmp_path: Path) -> None:
    run = finished(tmp_path / "a")
    append(run / SAMPLES_FILE, '{"step": 9, "query": "\\ud800", "response": ""}')

    assert [sample.query for sample in read(run).samples.at(9)] == ["?"]


def test_a_torn_last_line_of_an_ended_run_is_told(tmp_path: Path) -> None:
    run = finished(tmp_path / "a")
    with (run / EVENTS_FILE).open("a") as file:
        file.write('{"step": 3, "met')

    (note,) = read(run).notes

    assert note == "events.jsonl ends within a line; its last 16 bytes were left out"


@pytest.mark.parametrize(("said", "device"), [("cuda", "cuda"), ("cpu", "cpu"), (None, ""), (7, "")])
def test_the_device_is_what_the_run_says(said: Any, device: str, tmp_path: Path) -> None:
    run = finished(tmp_path / "a")
    set_status(run, device=said)
    assert read(run).device == device


def test_the_process_that_writes_is_seen_to_live(tmp_path: Path) -> None:
    with RunLog(tmp_path / "a", total=9) as log:
        log.log(4, {"loss": 1.0})
        status = read(tmp_path / "a").status

    assert (status.state, status.step, status.total, status.is_ours) == ("running", 4, 9, True)


def test_a_pid_that_another_process_took_over_is_no_sign_of_life(tmp_path: Path) -> None:
    finished(tmp_path / "a")
    set_status(tmp_path / "a", state="running", pid=os.getpid(), started=time.time() - 1e6)

    assert read(tmp_path / "a").status.state == "died"


def test_a_run_of_another_boot_of_this_host_has_died(tmp_path: Path) -> None:
    finished(tmp_path / "a")
    set_status(tmp_path / "a", state="running", boot_id="another")

    assert read(tmp_path / "a").status.state == "died"


def test_another_hosts_process_is_judged_by_its_heartbeat_only(tmp_path: Path) -> None:
    finished(tmp_path / "a")
    set_status(tmp_path / "a", state="running", host="elsewhere", heartbeat=time.time())
    fresh = read(tmp_path / "a").status
    set_status(tmp_path / "a", state="running", host="elsewhere", heartbeat=time.time() - 61)
    old = read(tmp_path / "a").status

    assert (fresh.state, fresh.is_ours) == ("running", False)
    assert old.state == "silent"


def test_an_end_that_the_run_wrote_itself_is_believed(tmp_path: Path) -> None:
    log = RunLog(tmp_path / "a")
    log.close("failed", "ValueError: no reward")

    status = read(tmp_path / "a").status

    assert (status.state, status.error) == ("failed", "ValueError: no reward")


def test_a_run_log_that_is_cut_off_in_its_description_is_unreadable(tmp_path: Path) -> None:
    finished(tmp_path / "a")
    (tmp_path / "a" / RUN_FILE).write_text('{"run_id": ')

    with pytest.raises(UnreadableRun, match=r"run\.json holds no JSON object"):
        Reader(tmp_path / "a")


def test_another_programs_run_json_is_no_run_log(tmp_path: Path) -> None:
    (tmp_path / RUN_FILE).write_text('{"command": "train"}')

    with pytest.raises(UnreadableRun, match="it holds no run_id"):
        Reader(tmp_path)


def test_histograms_are_read_and_what_is_none_is_counted(tmp_path: Path) -> None:
    bins = {"edges": [0.0, 1.0, 2.0], "counts": [3, 1], "nan": 2}
    with RunLog(tmp_path / "a") as log:
        log.log(1, {}, histograms={"env/reward_dist": bins})
        log.log(2, {}, histograms={"env/reward_dist": {"edges": [1.0], "counts": [1]}, "other": None})
        log.log(3, {}, histograms={"env/reward_dist": {"edges": [], "counts": [], "nan": 64}})
    append(tmp_path / "a" / EVENTS_FILE, '{"step": 4, "metrics": {}, "histograms": [1]}')

    recording = read(tmp_path / "a")

    found = recording.histograms["env/reward_dist"]
    assert found.steps.tolist() == [1, 3]
    assert [(item.counts.tolist(), item.nan) for item in found.bins] == [([3.0, 1.0], 2), ([], 64)]
    assert recording.malformed == 2


def test_the_steps_with_followed_prompts_are_known_without_reading_the_samples(tmp_path: Path) -> None:
    plain = {"query": "q", "response": ""}
    with RunLog(tmp_path / "a") as log:
        log.log(1, {}, samples=[plain, {**plain, "split": "eval", "followed": True}])
        log.log(2, {}, samples=[plain, {**plain, "split": "eval"}])
        log.log(3, {}, samples=[{**plain, "followed": True}])
        log.log(3, {}, samples=[plain])  # a resumed run may follow none at a step where it did

    samples = read(tmp_path / "a").samples

    assert samples.followed_steps == (1, 3)
    assert [(sample.split, sample.followed) for sample in samples.at(1)] == [("train", False), ("eval", True)]
