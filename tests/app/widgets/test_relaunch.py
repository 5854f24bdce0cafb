"""Relaunching: when it is offered, and that it really trains again with the suggested settings."""

import os
import signal
from pathlib import Path

import orjson
import pytest
from streamlit.testing.v1 import AppTest

from app.widgets.relaunch import new_root
from diagnostics.runlog import RUN_FILE, STATUS_FILE, RunLog
from trainer.config.algorithms import make_config
from trainer.launch.relaunching import child_folder

PAGE = """
import streamlit as st
from app import state
from app.load.runs import snapshot_of
from app.widgets.relaunch import relaunch, relaunch_answer, relaunch_offer
from app.widgets.verdict_card import proposed_fixes

st.query_params.setdefault(state.RUN, {path!r})
diagnosis = snapshot_of(state.selected_run(), state.boundary()).diagnosis
for finding in diagnosis.findings:
    args = (diagnosis.run, proposed_fixes(finding), finding.name)
    if offer := relaunch_offer(*args):
        relaunch_answer(*args)
        st.button(offer[0], help=offer[1], on_click=relaunch, args=args)
"""


def cut_off(directory: Path, **more: object) -> Path:
    """A run of ours nearly all of whose answers are cut off after three tokens."""
    config = make_config("grpo", {"task": "addition", "max_completion_length": 3, **more}).to_dict()
    with RunLog(directory, algorithm="grpo", task="addition", config=config, total=60) as log:
        for step in range(1, 61):
            lengths = {"completions/mean_length": 3.0, "completions/max_length": 3.0, "kl": 0.01}
            log.log(step, {"reward": step / 100, "reward_std": 0.3, "completions/clipped_ratio": 0.94, **lengths})
    return directory


def open_page(path: Path) -> AppTest:
    test = AppTest.from_string(PAGE.format(path=str(path)), default_timeout=60).run()
    assert not test.exception
    return test


def buttons(test: AppTest) -> list[str]:
    return [button.label for button in test.button if button.label.startswith(("Relaunch", "Open"))]


def press(test: AppTest, label: str) -> None:
    next(button for button in test.button if button.label == label).click().run()
    assert not test.exception


@pytest.mark.process
def test_a_click_trains_again_with_what_is_suggested_and_the_page_leads_there(tmp_path: Path) -> None:
    parent = cut_off(tmp_path / "short-1", max_steps=2, num_generations=2, per_device_train_batch_size=2)
    test = open_page(parent)
    press(test, "Relaunch with this")
    child = tmp_path / "short-2"
    os.kill(orjson.loads((child / STATUS_FILE).read_bytes())["pid"], signal.SIGKILL)
    written = orjson.loads((child / RUN_FILE).read_bytes())
    assert written["parent"] == orjson.loads((parent / RUN_FILE).read_bytes())["run_id"]
    assert written["config"]["max_completion_length"] > 3
    assert test.query_params["run"] == str(child)

    test.query_params["run"] = str(parent)
    assert buttons(test.run()) == ["Open short-2"]
    press(test, "Open short-2")
    assert test.query_params["run"] == str(child)


@pytest.mark.process
def test_a_refusal_stands_above_the_button(tmp_path: Path) -> None:
    parent = cut_off(tmp_path / "short")
    written = orjson.loads((parent / RUN_FILE).read_bytes())
    written["config"]["dataset"] = "/moved/away.jsonl"
    (parent / RUN_FILE).write_bytes(orjson.dumps(written))
    test = open_page(parent)
    press(test, "Relaunch with this")
    assert any("/moved/away" in caption.value.replace("\\", "") for caption in test.caption)
    assert buttons(test) == ["Relaunch with this"]
    assert not (tmp_path / "short-1").exists()


def test_a_run_of_another_trainer_is_not_relaunched() -> None:
    foreign = Path(__file__).parents[2] / "fixtures" / "trl" / "ppo112_min"
    assert buttons(open_page(foreign)) == []


@pytest.mark.parametrize(("read_only", "offered"), [("0", 1), ("1", 0)])
def test_a_read_only_page_offers_no_relaunch(
    read_only: str, offered: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEST_RUN", str(cut_off(tmp_path / "a")))
    script = f"from app.views import run\nimport os\nrun.render(os.environ['TEST_RUN'], {read_only == '1'})"
    test = AppTest.from_string(script, default_timeout=60).run()
    assert not test.exception
    (card,) = [item.proto for item in test.get("bidi_component") if item.proto.component_name == "rlvitals_verdict"]
    assert len(orjson.loads(card.json)["relaunch"]) == offered


def test_what_follows_a_sample_run_goes_where_new_runs_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RLVITALS_PATHS", str(tmp_path))
    assert new_root(Path("sample_runs/cut-off").resolve()) == tmp_path
    assert new_root(tmp_path / "grpo-addition-7") is None
    assert child_folder(tmp_path, "grpo-addition-7", {}).name == "grpo-addition-1"
