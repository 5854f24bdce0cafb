"""Trying the settings on the Launch page, with real processes of the trainer."""

import dataclasses
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from app.launch.attempt import BUTTON, CANCEL, LENGTHS, OF_ANSWERS, Tried, dry_run_answers
from app.launch.attempts import Attempt
from trainer.config.algorithms import ALGORITHMS, make_config
from trainer.config.training import TrainConfig
from trainer.data.dataset import load_rows
from trainer.rollout.models import checkpoint_of
from trainer.rollout.sampling import Sampling

pytestmark = pytest.mark.process

PATIENCE = 60.0  # seconds: torch alone takes ten to import when the cores are busy
HELD = """
import time
from pathlib import Path

def held(completions, **columns):
    deadline = time.monotonic() + {patience}
    while not Path({gate!r}).exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    return [float(len(completion)) for completion in completions]
"""
"""A reward that answers as soon as a file is there: nothing said of an attempt hangs on how fast it is."""
UNTOUCHED = {"acceleration", "decode", "per_device_train_batch_size"}
"""Read by the probe, and without effect on what is written: how tokens are computed, and how many rows at once."""


def option(app: AppTest, name: str) -> object:
    kinds = (app.text_input, app.selectbox, app.checkbox, app.multiselect)
    return next(widget for kind in kinds for widget in kind if widget.label == name)


def page_text(app: AppTest) -> str:
    values = [element.value for element in (*app.markdown, *app.caption)] + [folded.label for folded in app.expander]
    return "\n".join(values).replace("\\", "")


def try_settings(app: AppTest) -> None:
    """Try the settings, and trust the reward file that they name."""
    app.button(key=BUTTON).click().run()
    next(button for button in app.button if button.label == "Trust and try").click().run()


def is_going_on(app: AppTest) -> bool:
    return any(button.key == CANCEL for button in app.button)


def wait(app: AppTest) -> None:
    """Rerun the page until the attempt has ended, as its fragment does in a browser."""
    wait_until(app, lambda: not is_going_on(app))


def wait_for_rewards(app: AppTest) -> None:
    """The same until the rewards have answered; the policy takes longer."""
    wait_until(app, lambda: "What the rewards give" in page_text(app))


def wait_until(app: AppTest, is_there: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not is_there() and time.monotonic() < deadline:
        time.sleep(0.2)
        app.run()
    assert is_there()


@pytest.fixture
def addition(launch: AppTest) -> AppTest:
    """The form on addition with answers of at most six tokens."""
    launch.button_group(key="launch.algorithm").set_value("grpo").run()
    option(launch, "max_completion_length").input("6").run()
    return launch


@pytest.fixture
def gate(addition: AppTest, tmp_path: Path) -> Path:
    """The form with rewards that answer as soon as this file is there."""
    path = tmp_path / "gate"
    (tmp_path / "mine.py").write_text(HELD.format(patience=PATIENCE, gate=str(path)))
    option(addition, "reward_funcs").input(f"{tmp_path}/mine.py:held").run()
    return path


def test_what_is_found_says_from_how_many_answers_and_goes_as_soon_as_its_field_changes(
    addition: AppTest, gate: Path
) -> None:
    try_settings(addition)
    assert is_going_on(addition)
    assert "Trying the settings: the rewards score made-up answers" in page_text(addition)
    gate.touch()
    wait(addition)
    assert "of 32 answers of the untrained policy are longer" in page_text(addition)
    assert "What the rewards give to answers to" in page_text(addition)

    option(addition, "max_completion_length").input("24").run()
    assert "answers of the untrained policy are longer" not in page_text(addition)
    assert "ended within 24 tokens" in page_text(addition)

    option(addition, "max_completion_length").input("25").run()  # more room than there was
    assert "ended within" not in page_text(addition)
    assert "Settings have changed since they were tried" in page_text(addition)

    option(addition, "max_completion_length").input("6").run()
    assert "Settings have changed since they were tried" not in page_text(addition)
    option(addition, "temperature").input("1.5").run()
    assert "answers of the untrained policy" not in page_text(addition)
    assert "Settings have changed since they were tried" in page_text(addition)
    assert "What the rewards give to answers to" in page_text(addition)


@pytest.mark.usefixtures("gate")
def test_it_can_be_cancelled_and_begun_again(addition: AppTest) -> None:
    try_settings(addition)
    addition.button(key=CANCEL).click().run()
    assert not is_going_on(addition)
    assert "Cancelled before everything was tried." in page_text(addition)
    addition.button(key=BUTTON).click().run()
    assert is_going_on(addition)
    addition.button(key=CANCEL).click().run()


@pytest.mark.usefixtures("gate")
@pytest.mark.parametrize(("name", "value"), [("temperature", "1.5"), ("learning_rate", "fast")])
def test_a_try_of_settings_that_are_no_more_is_given_up(addition: AppTest, name: str, value: str) -> None:
    try_settings(addition)
    before = option(addition, name).value
    option(addition, name).input(value).run()
    assert not is_going_on(addition)
    option(addition, name).input(before).run()
    assert "Cancelled before everything was tried." in page_text(addition)


def test_rewards_that_give_nothing_are_told_beside_their_field_until_it_changes(addition: AppTest) -> None:
    option(addition, "reward_funcs").input("constant").run()
    addition.button(key=BUTTON).click().run()
    wait_for_rewards(addition)
    assert "The rewards gave 0 to every answer" in page_text(addition)
    assert addition.button(key="launch.start").disabled
    option(addition, "reward_funcs").input("addition_accuracy").run()
    assert "gave 0 to every answer" not in page_text(addition)
    assert not is_going_on(addition)


def test_what_a_page_tells_of_an_attempt_stays_while_it_is_drawn() -> None:
    config = make_config("grpo", {"reward_funcs": ["constant"]}).to_dict()
    attempt = Attempt("grpo", config)
    tried = Tried.now(attempt, "grpo", config)
    deadline = time.monotonic() + PATIENCE
    while attempt.trials is None and time.monotonic() < deadline:
        time.sleep(0.05)
    assert dry_run_answers(tried, "grpo", config).trials is None
    assert dry_run_answers(Tried.now(attempt, "grpo", config), "grpo", config).trials is not None
    attempt.cancel()


def test_what_cannot_be_tried_is_told_in_a_sentence(addition: AppTest, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def broken(completions, **columns):\n    raise ValueError('no answer key')\n")
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "config.json").write_text("{}")
    option(addition, "reward_funcs").input(f"{tmp_path}/mine.py:broken").run()
    option(addition, "model_name_or_path").input(str(tmp_path / "model")).run()
    try_settings(addition)
    wait(addition)
    shown = page_text(addition).splitlines()
    assert any("The rewards cannot be tried: " in line and "no answer key" in line for line in shown)
    assert any("The untrained policy cannot be tried: " in line for line in shown)


def test_a_read_only_dashboard_tries_nothing(open_launch: Callable[..., AppTest]) -> None:
    assert [button for button in open_launch(is_read_only=True).button if button.key == BUTTON] == []


class Read:
    """A configuration that remembers which of its options were asked for."""

    def __init__(self, config: TrainConfig) -> None:
        self._config, self.names = config, set()

    def __getattr__(self, name: str) -> object:
        self.names.add(name)
        return getattr(self._config, name)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_option_that_answers_depend_on_makes_them_stale(algorithm: str) -> None:
    config = make_config(algorithm, {})
    read = Read(config)
    load_rows(read)
    checkpoint_of(read)
    Sampling.of(read, (0,), 0)
    options = {item.name for item in dataclasses.fields(config)}
    assert read.names & options <= {*OF_ANSWERS, *LENGTHS} | UNTOUCHED
    assert {"temperature", "task", "dtype"} <= read.names
