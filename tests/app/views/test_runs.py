"""The Runs page: every run found, one row each, and none hidden by another."""

import json
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from diagnostics.annotations import Annotations
from diagnostics.foreign_files.bounds import FOLDER_FILES
from diagnostics.runlog import EVENTS_FILE, RUN_FILE, RunLog
from tests.hostile_text import EVERYTHING

PAGE = """
import streamlit as st
from app import state
from app.views import runs
runs.render(state.folders, lambda path: st.text(f"opened {path.name}"), lambda: st.text("launch"))
"""


def write(directory: Path, cut: float = 0.05, error: str | None = None) -> None:
    log = RunLog(directory, algorithm="grpo", total=60)
    for step in range(1, 61):
        log.log(step, {"reward": step / 60, "completions/clipped_ratio": cut, "loss": 0.01})
    log.close("failed" if error else "finished", error)


def runs_page(folder: Path, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    """The page once everything is read."""
    monkeypatch.setenv("RLVITALS_PATHS", str(folder))
    test = AppTest.from_string(PAGE, default_timeout=30)
    run_until(test, lambda: "Looking for" not in text(test) and all(row["verdict"] for row in rows(test)))
    return test


def run_until(test: AppTest, is_there: Callable[[], bool]) -> None:
    """Rerun the page, as it does itself every two seconds, until it shows something."""
    deadline = time.monotonic() + 30
    while True:
        assert not test.run().exception
        if is_there():
            return
        assert time.monotonic() < deadline, f"still not there: {text(test)}"
        time.sleep(0.1)


def table(test: AppTest) -> dict[str, Any]:
    """What the table in the browser is given to draw; empty before there is one."""
    found = [part.proto for part in test.get("bidi_component") if part.proto.component_name == "rlvitals_run_table"]
    return json.loads(found[0].json or found[0].mixed.json) if found else {}


def rows(test: AppTest) -> list[dict[str, Any]]:
    return table(test).get("rows", [])


def names(test: AppTest) -> list[str]:
    return [row["name"] for row in rows(test)]


def row_of(test: AppTest, name: str) -> dict[str, Any]:
    (found,) = [row for row in rows(test) if row["name"] == name]
    return found


def chosen(test: AppTest, **address: str) -> AppTest:
    """The page as an address with these parameters shows it."""
    for name, value in address.items():
        test.query_params[name] = value
    return test.run()


def text(test: AppTest) -> str:
    return "\n".join(str(part.value) for part in (*test.markdown, *test.caption)).replace("\\", "")


def test_a_row_leads_with_its_verdict_and_has_progress_and_a_sparkline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "sick", cut=0.94)
    (row,) = rows(runs_page(tmp_path, monkeypatch))
    shown = ("word", "headline", "name", "last", "state", "progress", "kind")
    expected = ("critical", "The completions are cut off before they end.", "sick", "1", "finished", "60")
    assert (*expected, "GRPO · rlvitals") == tuple(row[cell] for cell in shown)
    assert row["line"]["lines"]


def test_the_row_of_a_run_that_failed_says_why_unless_a_cause_comes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, cut in (("a", 0.05), ("b", 0.94)):
        write(tmp_path / name, cut, "No space left on device")
    test = runs_page(tmp_path, monkeypatch)
    assert [row["state"] for row in rows(test)] == ["failed"] * 2
    assert row_of(test, "a")["headline"] == "The training ended because a disk is full."
    assert row_of(test, "b")["headline"] == "The completions are cut off before they end."


def test_a_sick_run_shows_its_hours_after_the_onset_and_a_healthy_one_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "healthy")
    write(tmp_path / "sick", cut=0.94)
    events = tmp_path / "sick" / EVENTS_FILE
    lines = [json.loads(line) | {"time": 1e9 + 300.0 * step} for step, line in enumerate(events.open())]
    events.write_text("".join(json.dumps(line) + "\n" for line in lines))
    test = runs_page(tmp_path, monkeypatch)
    assert row_of(test, "sick")["cost"] == "5 h"
    assert row_of(test, "healthy")["cost"] == ""


def test_runs_of_one_name_are_told_apart_by_their_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(6):
        write(tmp_path / f"seed-{number}" / "tb" / "trl")
    assert set(names(runs_page(tmp_path, monkeypatch))) == {f"seed-{number}/tb/trl" for number in range(6)}


def test_the_filter_and_the_order_are_those_of_the_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, cut in (("a", 0.05), ("b", 0.94), ("c", 0.05)):
        write(tmp_path / name, cut)
    test = runs_page(tmp_path, monkeypatch)
    assert names(test)[0] == "b"
    assert names(chosen(test, sort="run")) == ["a", "b", "c"]
    assert names(chosen(test, sort="-run")) == ["c", "b", "a"]
    assert names(chosen(test, filter="algorithm:grpo verdict:critical")) == ["b"]
    assert table(test)["status"] == "1 of 3 runs"
    counts = {chip["value"]: chip["count"] for chip in table(test)["chips"]}
    assert (counts["critical"], counts["finished"], counts[""]) == ("1", "1", "3")


def test_a_filter_that_cannot_be_read_hides_nothing_and_says_what_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "a")
    test = chosen(runs_page(tmp_path, monkeypatch), filter="verdict:")
    assert names(test) == ["a"]
    assert table(test)["message"] == "“verdict:” lacks a value; write one after “verdict:”. All runs are shown."
    assert all(chip["is_disabled"] for chip in table(test)["chips"])


@pytest.mark.parametrize("text", ["zzz", EVERYTHING, "x" * 500_000, "[" * 1_000, "a:" * 900])
def test_a_filter_that_shows_nothing_or_cannot_be_read_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    write(tmp_path / "a")
    assert 0 < len(table(chosen(runs_page(tmp_path, monkeypatch), filter=text))["message"]) < 600


def test_tags_are_shown_and_archived_runs_are_shown_to_those_who_ask(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a", "b"):
        write(tmp_path / name)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    Annotations.of_user().tag([tmp_path / "a"], "paper")
    Annotations.of_user().archive([tmp_path / "b"])
    test = runs_page(tmp_path, monkeypatch)
    assert [(row["name"], row["tags"]) for row in rows(test)] == [("a", ["paper"])]
    assert names(chosen(test, filter="is:archived")) == ["b"]
    assert names(chosen(test, filter="tag:paper")) == ["a"]


def test_a_broken_file_of_tags_is_told_and_hides_no_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "a")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    place = Annotations.of_user().place
    place.parent.mkdir(parents=True)
    place.write_text("no database" * 99)
    test = runs_page(tmp_path, monkeypatch)
    assert names(test) == ["a"]
    assert "Move the file away to begin a new one." in table(test)["message"]


def test_a_run_that_cannot_be_read_is_a_sentence_and_hides_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "good")
    write(tmp_path / "bad")
    (tmp_path / "bad" / RUN_FILE).write_text("{not json")
    (tmp_path / "bad" / EVENTS_FILE).unlink()
    test = runs_page(tmp_path, monkeypatch)
    assert names(test) == ["good"]
    assert "bad" in text(test)


@pytest.mark.process
def test_a_folder_of_which_not_all_files_are_looked_at_says_so_as_the_command_line_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    many = tmp_path / "many"
    many.mkdir()
    for number in range(FOLDER_FILES + 1):
        (many / f"notes_{number:04d}x.jsonl").touch()
    write(tmp_path / "one")
    looked_at = "of each kind the first 1,000 by name, or 100,000 with a step in their names"
    sentence = f"{many} holds more files than are looked at: {looked_at}"

    test = runs_page(tmp_path, monkeypatch)

    assert names(test) == ["one"]
    assert text(test).count(sentence) == 1
    assert text(test.run()).count(sentence) == 1  # also when the folder is searched again, unchanged
    done = subprocess.run(
        [sys.executable, "-m", "diagnostics.cli", "runs", tmp_path], capture_output=True, text=True, check=True
    )
    assert done.stderr.splitlines().count(sentence) == 1


def test_an_empty_folder_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    test = runs_page(tmp_path, monkeypatch)
    assert f"No runs in {tmp_path} yet." in text(test)
    assert [button.label for button in test.button] == ["Train one now", "Open the files"]
    assert not rows(test)


def test_where_there_are_only_samples_they_are_said_to_be_such(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "sample_runs" / "grpo-healthy")
    test = runs_page(tmp_path / "sample_runs", monkeypatch)
    assert "Real trainings that came with rlvitals" in text(test)
    assert names(test) == ["grpo-healthy"]
    assert not table(test)["may_select"]


def test_samples_leave_the_list_to_runs_of_ones_own_and_come_back_when_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "sample_runs" / "grpo-healthy")
    write(tmp_path / "mine")
    test = runs_page(tmp_path, monkeypatch)
    assert names(test) == ["mine"]
    assert names(chosen(test, filter="is:sample")) == ["grpo-healthy"]


def test_a_new_run_appears_beside_the_ones_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "one")
    test = runs_page(tmp_path, monkeypatch)
    write(tmp_path / "two")
    run_until(test, lambda: set(names(test)) == {"one", "two"})


def test_a_run_that_is_not_read_yet_is_a_name_and_keeps_no_other_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "quick")
    write(tmp_path / "long")
    line = b'{"step": 1, "time": 1.0, "metrics": {"reward": 1.0}}\n'
    (tmp_path / "long" / EVENTS_FILE).write_bytes(line * 300_000)  # takes some seconds to read
    monkeypatch.setenv("RLVITALS_PATHS", str(tmp_path))
    test = AppTest.from_string(PAGE, default_timeout=30)
    run_until(test, lambda: set(names(test)) == {"quick", "long"})
    assert row_of(test, "long")["headline"] == "reading …"
    assert re.search(r"reading [12] more", table(test)["status"])
    run_until(test, lambda: "reading" not in table(test)["status"])
