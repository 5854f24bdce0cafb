"""The question about foreign code on the page: nothing runs before a yes, and a read-only page takes none."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from diagnostics.runlog import RunLog
from trainer.config.algorithms import make_config
from trainer.launch.arguments import read_plan
from trainer.trust.foreign_code import code_of_plan
from trainer.trust.store import TrustStore

RUN_PAGE = """
from app.views import run
run.render({path!r}, False)
"""


@pytest.fixture(autouse=True)
def _own_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


@pytest.fixture
def stopped(tmp_path: Path) -> Path:
    """A run of somebody else that was stopped, with a reward file of its own."""
    (tmp_path / "reward.py").write_text("import this\ndef f(completions, **columns): ...\n")
    config = make_config("grpo", {"task": "addition", "reward_funcs": [f"{tmp_path}/reward.py:f"]}).to_dict()
    log = RunLog(tmp_path / "a", algorithm="grpo", total=9, config=config)
    log.log(4, {"reward": 0.5})
    log.close("stopped")
    return tmp_path / "a"


def press(app: AppTest, label: str) -> None:
    next(button for button in app.button if button.label == label).click().run()
    assert not app.exception


def labels(app: AppTest) -> list[str]:
    return [button.label for button in app.button]


def shown_code(app: AppTest) -> str:
    return "\n".join(block.value for block in app.code)


def test_resuming_shows_the_file_with_its_first_line_and_waits(stopped: Path, tmp_path: Path) -> None:
    before = (stopped / "status.json").read_bytes()
    app = AppTest.from_string(RUN_PAGE.format(path=str(stopped)), default_timeout=60).run()
    press(app, "Resume")
    assert "Trust and resume" in labels(app)
    assert f"{tmp_path}/reward.py\nimport this" in shown_code(app)
    assert (stopped / "status.json").read_bytes() == before
    press(app, "Not now")
    assert "Trust and resume" not in labels(app)


def test_what_changed_since_it_was_shown_is_asked_about_anew(stopped: Path, tmp_path: Path) -> None:
    app = AppTest.from_string(RUN_PAGE.format(path=str(stopped)), default_timeout=60).run()
    press(app, "Resume")
    (tmp_path / "reward.py").write_text("import that\ndef f(completions, **columns): ...\n")
    press(app, "Trust and resume")
    assert "import that" in shown_code(app)
    assert "Trust and resume" in labels(app)
    assert TrustStore.of_user().untrusted(code_of_plan(read_plan(["--resume", str(stopped)])))


def test_a_page_that_has_become_read_only_takes_no_yes(stopped: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = AppTest.from_string(RUN_PAGE.format(path=str(stopped)), default_timeout=60).run()
    press(app, "Resume")
    monkeypatch.setenv("RLVITALS_READ_ONLY", "1")  # what the server says counts, not what was drawn
    press(app, "Trust and resume")
    assert TrustStore.of_user().untrusted(code_of_plan(read_plan(["--resume", str(stopped)])))


def test_a_list_that_is_broken_is_named_beside_the_question(stopped: Path, tmp_path: Path) -> None:
    (tmp_path / "data" / "rlvitals").mkdir(parents=True)
    (tmp_path / "data" / "rlvitals" / "trusted.json").write_text("{")
    app = AppTest.from_string(RUN_PAGE.format(path=str(stopped)), default_timeout=60).run()
    press(app, "Resume")
    assert any("is broken, so nothing is trusted" in caption.value for caption in app.caption)


def test_a_path_typed_into_the_launch_form_is_asked_about_and_another_one_anew(
    open_launch: Callable[..., AppTest], tmp_path: Path
) -> None:
    for name in ("one", "two"):
        (tmp_path / f"{name}.py").write_text(f"# {name}\ndef f(completions, **columns): ...\n")
    app = open_launch()
    field: Any = next(field for field in app.text_input if field.label == "reward_funcs")
    field.input(f"{tmp_path}/one.py:f").run()
    press(app, "Start training")
    assert "Trust and start" in labels(app)
    assert "one.py\n# one" in shown_code(app)
    assert not [path for path in tmp_path.iterdir() if path.is_dir()]

    field = next(field for field in app.text_input if field.label == "reward_funcs")
    field.input(f"{tmp_path}/two.py:f").run()
    assert "Trust and start" not in labels(app)
