"""Samples of training and held-out ones of a real run directory, and its histograms, on the Run page."""

from pathlib import Path
from typing import Any

import orjson
import pytest
from streamlit.testing.v1 import AppTest

from diagnostics.runlog import RunLog

PAGE = """
import os
from app.views import run
run.render(os.environ["TEST_RUN"], True)
"""
FOLLOWED, QUERIES = {"split": "eval", "followed": True}, ("the plot", "his films")
HOSTILE = "# big <script>alert(1)</script>"


def answer(query: str, response: str, score: float, **more: Any) -> dict[str, Any]:
    return {"query": query, "response": response, "score": score, "terminated": True, "length": 3, **more}


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    """A run of three steps; two prompts are followed at the first and the last one, where an evaluation is too."""
    with RunLog(tmp_path / "a", algorithm="ppo", task="remarks") as log:
        for step in (1, 2, 3):
            rows = [answer("a film", f"answer {step}", step / 10)]
            if step != 2:
                rows += [answer(query, f"{query} at {step} {HOSTILE}", step / 10, **FOLLOWED) for query in QUERIES]
            if step == 3:
                rows.append(answer("he has", "only evaluated", 0.5, split="eval"))
            bins = {"edges": [0.0, 1.0], "counts": [62], "nan": 2 * (step - 1)}
            log.log(step, {"objective/scores": 0.1}, rows, {"env/reward_dist": bins} if step != 2 else None)
    monkeypatch.setenv("TEST_RUN", str(tmp_path / "a"))
    return page_after_run(AppTest.from_string(PAGE, default_timeout=30))


def page_after_run(changed: AppTest | Any) -> AppTest:
    """The page after another run of its script: a new page, or the page of an element that was changed."""
    test: AppTest = changed.run()
    assert not test.exception
    return test


def text(test: AppTest) -> str:
    return "\n".join(str(part.value) for part in (*test.caption, *test.text)).replace("\\", "")


def samples(test: AppTest) -> dict[str, Any]:
    """What the Samples section was given to draw."""
    (found,) = [item.proto for item in test.get("bidi_component") if item.proto.component_name == "rlvitals_samples"]
    return orjson.loads(found.json)


def test_held_out_answers_do_not_mix_with_those_of_training(page: AppTest) -> None:
    page_after_run(page.button_group(key="section").set_value("samples"))
    found = samples(page)
    assert found["splits"] == [["train", "training"], ["eval", "held out"]]
    assert (found["split"], found["total"]) == ("train", 1)


def test_the_distributions_say_in_words_what_no_band_shows(page: AppTest) -> None:
    page_after_run(page.button_group(key="section").set_value("distributions"))
    assert "4 NaN among 66 values at step 3; no band shows them." in text(page)


def test_a_run_without_histograms_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with RunLog(tmp_path / "b", algorithm="grpo") as log:
        log.log(1, {"reward": 1.0}, [answer("q", "r", 1.0)])
    monkeypatch.setenv("TEST_RUN", str(tmp_path / "b"))
    test = page_after_run(AppTest.from_string(PAGE, default_timeout=30))
    assert [item.key for item in test.button_group] == ["section"]  # nothing to follow
    page_after_run(test.button_group(key="section").set_value("distributions"))
    assert "The run logged no histograms" in text(test)
