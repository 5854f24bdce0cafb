"""The Runs page: every run found, one row each, and none hidden by another."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from diagnostics.runlog import EVENTS_FILE, RUN_FILE, RunLog

PAGE = """
import streamlit as st
from app import state
from app.views import runs
runs.render(state.folders(), lambda path: st.text(f"opened {path.name}"), lambda: st.text("launch"))
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
    run_until(test, lambda: not any(said in text(test) for said in ("Looking for", "Reading:")))
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


def names(test: AppTest) -> set[str]:
    return set(test.dataframe[0].value["name"])


def text(test: AppTest) -> str:
    return "\n".join(str(part.value) for part in (*test.markdown, *test.caption)).replace("\\", "")


def test_a_row_has_state_verdict_finding_sparkline_and_progress(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "sick", cut=0.94)
    row = runs_page(tmp_path, monkeypatch).dataframe[0].value.iloc[0]
    expected = ("✓ finished", "sick", "◆ critical", "The completions are cut off before they end.", "60/60", "grpo")
    assert expected == tuple(row[["state", "name", "verdict", "finding", "step", "algorithm"]])
    assert max(row["reward"]) == 1.0


def test_the_row_of_a_run_that_failed_says_why_unless_a_check_has_more_to_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, cut in (("a", 0.05), ("b", 0.94)):
        write(tmp_path / name, cut, "No space left on device")
    table = runs_page(tmp_path, monkeypatch).dataframe[0].value.sort_values("name")
    assert list(table["state"]) == ["✕ failed"] * 2
    assert list(table["finding"]) == ["No space left on device", "The completions are cut off before they end."]


def test_the_filter_takes_several_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "one")
    write(tmp_path / "two", cut=0.94)
    test = runs_page(tmp_path, monkeypatch)
    test.text_input(key="runs.filter").set_value("GRPO critical").run()
    assert names(test) == {"two"}
    assert "1 of 2 runs match the filter." in text(test)


def test_a_run_that_cannot_be_read_is_a_sentence_and_hides_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "good")
    write(tmp_path / "bad")
    (tmp_path / "bad" / RUN_FILE).write_text("{not json")
    (tmp_path / "bad" / EVENTS_FILE).unlink()
    test = runs_page(tmp_path, monkeypatch)
    assert names(test) == {"good"}
    assert "bad" in text(test)


def test_an_empty_folder_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    test = runs_page(tmp_path, monkeypatch)
    assert "No run yet in" in text(test)
    assert [button.label for button in test.button] == ["Train one now"]
    assert "`rlvitals PATH` in a terminal" in text(test)


def test_sample_runs_are_called_samples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "sample_runs" / "grpo-healthy")
    test = runs_page(tmp_path / "sample_runs", monkeypatch)
    assert "are samples: real trainings" in text(test)
    assert names(test) == {"grpo-healthy (sample)"}


def test_a_new_run_appears_beside_the_ones_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "one")
    test = runs_page(tmp_path, monkeypatch)
    write(tmp_path / "two")
    run_until(test, lambda: names(test) == {"one", "two"})


def test_a_run_that_is_not_read_yet_is_a_name_and_keeps_no_other_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "quick")
    write(tmp_path / "long")
    line = b'{"step": 1, "time": 1.0, "metrics": {"reward": 1.0}}\n'
    (tmp_path / "long" / EVENTS_FILE).write_bytes(line * 300_000)  # takes some seconds to read
    monkeypatch.setenv("RLVITALS_PATHS", str(tmp_path))
    test = AppTest.from_string(PAGE, default_timeout=30)
    run_until(test, lambda: bool(test.dataframe) and names(test) == {"quick", "long"})
    table = test.dataframe[0].value.set_index("name")
    assert table.loc["long", "state"] == "◔ reading"
    assert "Reading:" in text(test)
    run_until(test, lambda: "Reading:" not in text(test))
