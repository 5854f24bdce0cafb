"""The form of a launch recipe, without a browser: bounds beside the fields, the command, the start, read-only."""

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from diagnostics.api import open_run

SCRIPT = """
import sys
import rlvitals

with rlvitals.RunLog(sys.argv[1], algorithm="grpo", config={"note": sys.argv[3]}, producer="trl", total=1) as log:
    log.log(1, {"reward": float(sys.argv[2])})
"""
RECIPES = """
[recipe.mine]
title = "My own $script$"
command = ["{python}", "{folder}/train.py", "{run_dir}", "{rate}", "{note}"]
[recipe.mine.parameters]
rate = { type = "float", min = 0, max = 1, default = 0.5, help = "Step size." }
note = { type = "choice", choices = ["$(a)", "b"], default = "$(a)" }
"""


@pytest.fixture(autouse=True)
def recipes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """One recipe, in the user's data folder."""
    folder = tmp_path / "data" / "rlvitals"
    folder.mkdir(parents=True)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    (folder / "train.py").write_text(SCRIPT)
    (folder / "recipes.toml").write_text(RECIPES)
    return folder / "recipes.toml"


def chosen(app: AppTest) -> AppTest:
    app.button_group(key="launch.kind").set_value("recipes").run()
    assert not app.exception
    return app


def problems(app: AppTest) -> str:
    return "\n".join(item.value for item in app.markdown).replace("\\", "")


@pytest.mark.process
def test_a_recipe_is_filled_in_started_without_a_shell_and_its_run_opened(launch: AppTest, tmp_path: Path) -> None:
    app = chosen(launch)
    app.text_input(key="recipe.mine.rate").input("2").run()
    assert problems(app).count("rate must be a number from 0 to 1, but is '2'") == 2
    assert app.button(key="recipe.start").disabled
    app.text_input(key="recipe.mine.rate").input("0.25").run()
    assert app.code[0].value.endswith(f"{tmp_path}/mine-1 0.25 '$(a)'")
    app.button(key="recipe.start").click().run()
    assert [text.value for text in app.text] == ["opened mine-1"]
    run = open_run(tmp_path / "mine-1")
    assert (run.series["reward"].values.tolist(), run.config["note"]) == ([0.25], "$(a)")


@pytest.mark.process
def test_a_read_only_page_shows_the_command_and_starts_nothing(
    open_launch: Callable[..., AppTest], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    click = chosen(open_launch()).button(key="recipe.start").click()
    monkeypatch.setenv("RLVITALS_READ_ONLY", "1")
    click.run()
    assert not (tmp_path / "mine-1").exists()
    app = chosen(open_launch(is_read_only=True))
    assert [button for button in app.button if button.key == "recipe.start"] == []
    assert "train.py" in app.code[0].value


def test_a_file_that_others_can_change_is_told_and_not_used(open_launch: Callable[..., AppTest], recipes: Path) -> None:
    recipes.chmod(0o666)
    app = open_launch()
    assert "others can change it, and it says what may be started" in problems(app)
    assert "train grpo" in " ".join(item.value for item in app.code) or "train ppo" in app.code[0].value
