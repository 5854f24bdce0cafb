"""The Compare page: what it says of the runs in its address, and of those that cannot be compared."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from diagnostics.runlog import RunLog

SAMPLES = Path(__file__).resolve().parents[3] / "sample_runs"
PAGE = "from app.views import compare\ncompare.render()\n"


def write(folder: Path, *, cut: float = 0.02, best: float = 1.0, last: int = 40, **more: Any) -> RunLog:
    """A GRPO run whose reward rises to `best`; not closed."""
    log = RunLog(folder, algorithm=more.pop("algorithm", "grpo"), total=last, **more)
    for step in range(1, last + 1):
        answer = {"query": "1+1=", "response": f"{folder.name} {step}", "score": best, "terminated": True}
        values = {"reward": best * step / last, "reward_std": 0.3, "completions/clipped_ratio": cut, "epoch": step / 20}
        log.log(step, values, [answer])
    return log


@pytest.fixture(autouse=True)
def _folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page shows the folder of the test and the sample runs."""
    monkeypatch.setenv("RLVITALS_PATHS", os.pathsep.join(map(str, (tmp_path, SAMPLES))))


def open_page(*paths: Path | str, opened: str = "", **parameters: str) -> AppTest:
    """The page of these runs; `opened` is the key of a popover that is open."""
    test = AppTest.from_string(PAGE, default_timeout=60)
    if opened:
        test.session_state[opened] = True
    test.query_params["run"] = [str(path) for path in paths]
    for name, value in parameters.items():
        test.query_params[name] = value
    test.run()
    assert not test.exception
    return test


def text(test: AppTest) -> str:
    parts = [*test.markdown, *test.caption, *test.text, *test.warning, *test.info]
    return "\n".join(str(part.value) for part in parts).replace("\\", "")


def table(test: AppTest) -> dict[str, list[str]]:
    """The rows of the comparison's table by their labels."""
    frame = test.table[0].value
    return {label.split(" :gray[")[0].replace("\\", ""): [str(cell).replace("\\", "") for cell in frame.loc[label]]
            for label in frame.index}  # fmt: skip


def runs_in(test: AppTest) -> list[str]:
    return [Path(path).name for path in test.query_params["run"]]


@pytest.fixture
def two(tmp_path: Path) -> Sequence[Path]:
    write(tmp_path / "a", cut=0.9, best=0.5, config={"beta": 0.0, "learning_rate": 1e-6}).close()
    write(tmp_path / "b", config={"beta": 0.04, "learning_rate": 1e-6}).close()
    return tmp_path / "a", tmp_path / "b"


def test_differing_settings_come_first_then_verdicts_then_figures(two: Sequence[Path]) -> None:
    rows = table(open_page(*two))
    assert list(rows)[:3] == ["beta", "Verdict", "Reward at step 40"]
    assert rows["beta"] == ["0 :gray[default]", "**0.04**"]
    assert rows["Verdict"][0].startswith(":red[**◆ critical**] The completions are cut off before they end.")
    assert rows["Reward at step 40"] == ["0.5", "1 :gray[+0.5, +100 %]"]


def test_what_is_equal_is_folded_behind_its_count(two: Sequence[Path]) -> None:
    page = open_page(*two)
    (folded,) = page.expander
    assert "equal" in folded.label
    assert "learning_rate" in list(folded.dataframe[0].value["setting"])


def test_the_step_in_the_address_is_that_of_the_figures(two: Sequence[Path]) -> None:
    assert table(open_page(*two, step="20"))["Reward at step 20"] == ["0.25", "0.5 :gray[+0.25, +100 %]"]


def test_another_baseline_moves_to_the_front_of_the_address(two: Sequence[Path]) -> None:
    page = open_page(*two)
    baseline = next(box for box in page.selectbox if box.label == "Baseline")
    baseline.set_value(str(two[1])).run()
    assert runs_in(page) == ["b", "a"]
    assert table(page)["Reward at step 40"] == ["1", "0.5 :gray[−0.5, −50 %]"]


def test_runs_are_added_and_taken_out_on_the_page(two: Sequence[Path], tmp_path: Path) -> None:
    write(tmp_path / "c").close()
    page = open_page(*two, tmp_path / "c", opened="compare.runs.open")
    page.multiselect[0].set_value([str(two[1]), str(tmp_path / "c")]).run()
    assert runs_in(page) == ["b", "c"]


def test_one_run_alone_asks_for_another(two: Sequence[Path]) -> None:
    page = open_page(two[0])
    assert "Only one run is chosen, a; add another to compare it with." in text(page)
    page.multiselect[0].set_value([str(path) for path in two]).run()
    assert len(table(page)["Verdict"]) == 2


def test_no_run_at_all_is_told_in_a_sentence() -> None:
    assert "No runs to compare are chosen; choose two or more, the baseline first." in text(open_page())


def test_a_run_that_cannot_be_read_does_not_take_the_others_down(two: Sequence[Path], tmp_path: Path) -> None:
    page = open_page(two[0], tmp_path / "nowhere", two[1])
    assert "nowhere" in page.warning[0].value
    assert len(table(page)["Verdict"]) == 2


def test_a_run_outside_the_folders_is_refused_and_the_others_shown(
    two: Sequence[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "elsewhere" / "secret").close()
    write(tmp_path / "shown" / "x").close()
    write(tmp_path / "shown" / "y").close()
    monkeypatch.setenv("RLVITALS_PATHS", str(tmp_path / "shown"))
    page = open_page(tmp_path / "shown" / "x", tmp_path / "elsewhere" / "secret", tmp_path / "shown" / "y")
    assert "is not below the folders that this page shows" in page.warning[0].value
    assert len(table(page)["Verdict"]) == 2


def test_more_than_twenty_runs_are_told_and_the_first_twenty_compared(tmp_path: Path) -> None:
    paths = [tmp_path / f"r{index:02}" for index in range(22)]
    for path in paths:
        write(path, last=3).close()
    page = open_page(*paths)
    assert page.warning[0].value == (
        "The address names 22 runs; the first 20, the most that fit, are compared."
    )  # fmt: skip
    assert len(table(page)["Verdict"]) == 20


def test_a_child_beside_its_parent_says_what_became_of_the_finding(tmp_path: Path) -> None:
    parent = write(tmp_path / "a", cut=0.9, best=0.5)
    parent.close()
    write(tmp_path / "b", parent=parent.run_id).close()
    page = open_page(tmp_path / "a", tmp_path / "b")
    assert "“The completions are cut off before they end” is gone (there since step 1)" in text(page)
    assert "relaunch of A" in page.table[0].value.columns[1]


def test_only_a_reference_of_another_algorithm_or_a_sick_one_is_spoken_of(two: Sequence[Path]) -> None:
    healthy = text(open_page(*two, ghost=str(SAMPLES / "healthy-grpo")))
    assert "reference" not in healthy.replace("KL to the reference", "")
    other = text(open_page(*two, ghost=str(SAMPLES / "healthy-ppo")))
    assert "healthy-ppo is no reference here: its algorithm is ppo, theirs grpo." in other
    sick = text(open_page(*two, ghost=str(SAMPLES / "cut-off")))
    assert "Grey: cut-off, the reference; it is not healthy itself: ◆ critical" in sick


def test_the_same_prompt_is_answered_side_by_side(two: Sequence[Path]) -> None:
    page = open_page(*two)
    frame = page.dataframe[-1].value
    assert list(frame.columns) == ["A score", "A answer", "B score", "B answer"]
    assert list(frame.iloc[0]) == [0.5, "a 40", 1.0, "b 40"]
    assert list(open_page(*two, step="7").dataframe[-1].value.iloc[0]) == [0.5, "a 7", 1.0, "b 7"]


def test_all_metrics_are_drawn_when_the_address_asks_for_them(two: Sequence[Path]) -> None:
    page = open_page(*two, show="metrics")
    assert "1 metric that two runs or more log" in text(page)
    assert "Nothing matches the filter." in text(open_page(*two, show="metrics", find="nothing like it"))


@pytest.mark.parametrize(
    "asked", [{"step": "x"}, {"step": "9" * 30}, {"show": "x"}, {"ghost": "/x\0y"}, {"prompt": "x"}]
)
def test_a_broken_address_is_still_a_page(two: Sequence[Path], asked: dict[str, str]) -> None:
    assert len(table(open_page(*two, **asked))["Verdict"]) == 2
