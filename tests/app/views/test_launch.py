"""The Launch page as a user works with it, without a browser."""

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import orjson
import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.testing.v1 import AppTest

from diagnostics.runlog import RUN_FILE, STATUS_FILE
from tests.slurm_stand_ins import install_stand_ins


def option(app: AppTest, name: str) -> object:
    kinds = (app.text_input, app.selectbox, app.checkbox, app.multiselect)
    return next(widget for kind in kinds for widget in kind if widget.label == name)


def page_text(app: AppTest) -> str:
    return "\n".join(element.value for element in app.markdown).replace("\\", "")


def command(app: AppTest) -> str:
    return app.code[0].value


def test_the_first_preset_is_ready_to_start(launch: AppTest) -> None:
    assert not launch.exception
    assert not launch.button(key="launch.start").disabled
    assert "--recipe ppo-remarks" in command(launch)


def test_choosing_a_preset_brings_its_algorithm_and_values(launch: AppTest) -> None:
    launch.selectbox(key="launch.preset").select("GRPO learns to use a scratchpad").run()
    assert "train grpo" in command(launch)
    assert option(launch, "max_completion_length").value == "26"


def test_choosing_an_algorithm_brings_its_demo(launch: AppTest) -> None:
    launch.button_group(key="launch.algorithm").set_value("grpo").run()
    assert "train grpo" in command(launch)
    assert "--recipe grpo-addition" in command(launch)


def test_a_value_that_does_not_fit_is_named_beside_the_field_and_start_waits(launch: AppTest) -> None:
    option(launch, "learning_rate").input("fast").run()
    assert launch.button(key="launch.start").disabled
    assert page_text(launch).count("learning_rate must be a number, but is 'fast'") == 2


def test_options_that_contradict_each_other_are_told_as_the_form_changes(launch: AppTest) -> None:
    option(launch, "per_device_train_batch_size").input("63").run()
    assert "does not divide by num_mini_batches" in page_text(launch)
    option(launch, "per_device_train_batch_size").input("128").run()
    assert "Cannot start" not in page_text(launch)
    assert "--per_device_train_batch_size 128" in command(launch)


def test_a_missing_model_folder_is_told(launch: AppTest, tmp_path: Path) -> None:
    option(launch, "model_name_or_path").input(str(tmp_path / "nowhere")).run()
    assert "nowhere, which is not a folder here" in page_text(launch)


def test_a_malformed_dataset_is_told(launch: AppTest, tmp_path: Path) -> None:
    (tmp_path / "prompts.jsonl").write_text('{"question": "1+1="}\n')
    option(launch, "dataset").input(str(tmp_path / "prompts.jsonl")).run()
    assert "has no `prompt`" in page_text(launch)
    assert launch.button(key="launch.start").disabled


def test_a_dataset_on_the_hub_is_no_file_and_is_read_when_the_training_starts(launch: AppTest) -> None:
    option(launch, "dataset").input("someone/some-data").run()
    assert "Cannot start" not in page_text(launch)
    assert "Its prompts are loaded by `datasets` when the training starts." in [item.value for item in launch.caption]


def test_a_read_only_dashboard_shows_the_command_and_no_button(open_launch: Callable[..., AppTest]) -> None:
    app = open_launch(is_read_only=True)
    assert [button for button in app.button if button.key == "launch.start"] == []
    assert "read-only" in app.info[0].value
    assert "rlvitals train" in command(app)


@pytest.mark.process
def test_a_click_on_a_button_that_was_never_shown_starts_nothing(
    open_launch: Callable[..., AppTest], tmp_path: Path
) -> None:
    click = open_launch().button(key="launch.start").click()._widget_state
    made_up = WidgetStates(widgets=[click])  # what a client of its own may send

    open_launch(is_read_only=True)._run(made_up)
    assert list(tmp_path.iterdir()) == []

    open_launch()._run(made_up)
    (status,) = tmp_path.glob(f"*/{STATUS_FILE}")
    os.kill(orjson.loads(status.read_bytes())["pid"], signal.SIGKILL)


def test_without_the_trainers_libraries_it_says_what_to_install(
    launch: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.views.launch._TRAINER_PACKAGES", ("torch", "a_library_that_nobody_has"))
    launch.run()
    assert "training needs a_library_that_nobody_has, not installed here" in page_text(launch)
    assert launch.button(key="launch.start").disabled


@pytest.mark.process
def test_start_claims_the_named_folder_and_goes_to_the_run(launch: AppTest, tmp_path: Path) -> None:
    launch.text_input(key="launch.name").input("mine").run()
    launch.button(key="launch.start").click().run()
    os.kill(orjson.loads((tmp_path / "mine" / STATUS_FILE).read_bytes())["pid"], signal.SIGKILL)
    assert [text.value for text in launch.text] == ["opened mine"]
    assert orjson.loads((tmp_path / "mine" / RUN_FILE).read_bytes())["algorithm"] == "ppo"


@pytest.mark.process
def test_what_the_trainer_refuses_is_told_in_its_own_words(launch: AppTest) -> None:
    option(launch, "reward_funcs").input("kindness").run()
    launch.button(key="launch.start").click().run()
    assert "Cannot start" in page_text(launch)
    assert "kindness" in page_text(launch)


def start_button(app: AppTest) -> object:
    return app.button(key="launch.start")


def test_a_setting_worth_a_look_is_told_beneath_its_field_as_the_form_changes(launch: AppTest) -> None:
    assert "top_k is" not in page_text(launch)
    option(launch, "top_k").input("5").run()
    column = next(c for c in launch.main.columns if any(item.label == "top_k" for item in c.text_input))
    assert "top_k is 5: answers are sampled from a cut distribution" in page_text(column)
    assert any("Pre-flight · 1 warning" in item.label for item in launch.expander)
    option(launch, "top_k").input("0").run()
    assert "top_k is" not in page_text(launch)


def test_the_demos_are_not_told_off(launch: AppTest) -> None:
    for algorithm in ("ppo", "grpo"):
        launch.button_group(key="launch.algorithm").set_value(algorithm).run()
        assert "▲" not in page_text(launch)
        assert "◆" not in page_text(launch)


def test_what_is_critical_wants_a_yes_before_the_start(launch: AppTest) -> None:
    launch.button_group(key="launch.algorithm").set_value("grpo").run()
    option(launch, "temperature").input("0.1").run()
    assert start_button(launch).disabled
    (question,) = [box for box in launch.checkbox if box.label.startswith("Start despite")]
    assert "temperature" in question.label
    question.check().run()
    assert not start_button(launch).disabled


def test_a_yes_does_not_count_for_another_finding(launch: AppTest) -> None:
    launch.button_group(key="launch.algorithm").set_value("grpo").run()
    option(launch, "temperature").input("0.1").run()
    launch.checkbox[-1].check().run()
    option(launch, "temperature").input("0.2").run()
    assert start_button(launch).disabled


def test_without_a_cluster_there_is_no_choice_of_machines(launch: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent))
    launch.run()
    assert "launch.where" not in [group.key for group in launch.button_group]


@pytest.mark.process
def test_a_training_is_sent_to_the_cluster_and_taken_back(
    launch: AppTest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    install_stand_ins(slurm := tmp_path / "slurm", monkeypatch)
    launch.run()
    launch.button_group(key="launch.where").set_value("slurm").run()
    launch.text_input(key="launch.cluster.nodes").input("2").run()
    launch.text_input(key="launch.cluster.time").input("soon").run()
    assert launch.button(key="launch.start").disabled
    assert page_text(launch).count("MM:SS, not 'soon'") == 2
    launch.text_input(key="launch.cluster.time").input("90").run()
    assert command(launch).endswith("--executor slurm \\\n  --nodes 2 \\\n  --time 90")
    launch.button(key="launch.start").click().run()
    script = (slurm / "script").read_text().splitlines()
    assert {"#SBATCH --nodes=2", "#SBATCH --time=90"} <= set(script)
    token = next(line.partition("comment=")[2] for line in script if "--comment=" in line)
    (slurm / "queue").write_text(f"PENDING|Priority|{token}\n")
    launch.run()
    assert not launch.exception
    (waiting,) = [caption.value for caption in launch.caption if "Slurm job 7" in caption.value]
    assert waiting.replace("\\", "").endswith("is queued (Priority)")
    launch.button(key=f"launch.take_back.{token}").click().run()
    assert "--state=PENDING 7" in (slurm / "cancelled").read_text()
