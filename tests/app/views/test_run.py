"""The Run page: verdict, curves, samples, checks, of real run directories."""

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import orjson
import pytest
from streamlit.testing.v1 import AppTest

from diagnostics.runlog import STATUS_FILE, RunLog

SAMPLES = Path(__file__).resolve().parents[3] / "sample_runs"
HOSTILE = "<script>alert(1)</script> **x** ![](http://localhost/y)\nsecond line"


HEALTHY = {
    "loss": 0.01,
    "grad_norm": 1.0,
    "learning_rate": 1e-5,
    "entropy": 1.0,
    "kl": 0.01,
    "frac_reward_zero_std": 0.1,
    "clip_ratio/region_mean": 0.01,
    "completions/mean_length": 6.0,
    "completions/max_length": 8.0,
}
"""What a run that learns logs besides its reward."""


PAGE = """
import os
from app.views import run
run.render(os.environ.get("TEST_RUN"), os.environ.get("TEST_READ_ONLY") == "1")
"""


KILLED = """
import os, sys
from diagnostics.runlog import RunLog
RunLog(sys.argv[1], algorithm="grpo", total=9).log(4, {"reward": 1.0})
os.kill(os.getpid(), 9)
"""


def sample(group: int, score: float, response: str = "124") -> dict[str, Any]:
    return {"query": f"9{group}+29=", "response": response, "score": score, "rewards": {"accuracy": score},
            "terminated": score > 0, "length": 8, "group": group}  # fmt: skip


def write(
    directory: Path,
    steps: int = 60,
    cut: float = 0.05,
    algorithm: str = "grpo",
    parent: str | None = None,
    **metrics: float,
) -> RunLog:
    """A run of that many steps whose reward rises; not closed."""
    config = {"max_completion_length": 8}
    log = RunLog(directory, algorithm=algorithm, task="addition", config=config, total=100, parent=parent)
    for step in range(1, steps + 1):
        row = {"reward": step / 100, "reward_std": 0.3, "completions/clipped_ratio": cut, **HEALTHY, **metrics}
        log.log(step, row, [sample(0, 1.0), sample(0, 0.0, HOSTILE), sample(1, 1.0)])
    return log


def open_page(path: Path | None, monkeypatch: pytest.MonkeyPatch, read_only: bool = False) -> AppTest:
    monkeypatch.setenv("TEST_RUN", str(path) if path else "")
    if path is None:
        monkeypatch.delenv("TEST_RUN")
    monkeypatch.setenv("TEST_READ_ONLY", "1" if read_only else "0")
    test = AppTest.from_string(PAGE, default_timeout=30).run()
    assert not test.exception
    return test


def text(test: AppTest) -> str:
    parts = [*test.markdown, *test.caption, *test.text, *test.warning, *test.info]
    return "\n".join(str(part.value) for part in parts).replace("\\", "")


def drawn(test: AppTest, name: str) -> dict[str, Any]:
    """What one of our own components was given to draw."""
    (found,) = [item.proto for item in test.get("bidi_component") if item.proto.component_name == f"rlvitals_{name}"]
    return orjson.loads(found.json)


def worst(test: AppTest) -> dict[str, Any]:
    """The first card of the verdict."""
    return drawn(test, "verdict")["cards"][0]


def section(test: AppTest, name: str) -> AppTest:
    test.button_group(key="section").set_value(name).run()
    assert not test.exception
    return test


def test_a_sick_run_says_by_its_verdict_what_it_cost_and_a_healthy_one_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "sick", cut=0.94).close()
    write(tmp_path / "healthy").close()
    assert worst(open_page(tmp_path / "sick", monkeypatch))["when"] == "since step 1, still so · 0 s of training since"
    assert "since" not in worst(open_page(tmp_path / "healthy", monkeypatch))["when"]


def test_the_worst_finding_comes_first_with_what_was_measured_and_what_to_try(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "a", cut=0.94).close()
    card = worst(open_page(tmp_path / "a", monkeypatch))
    assert (card["shape"], card["word"]) == ("◆", "Critical")
    assert card["cause"] == "The completions are cut off before they end."
    assert card["measured"] == "94 %, limit 80 %"
    assert card["proposal"]["change"] == {"old": "--max_completion_length 8", "new": "--max_completion_length 24"}
    assert card["judged_by"]["words"] == "RV601 truncation-high"
    assert card["judged_by"]["more"].startswith("TRL logging page")
    assert card["record"].startswith("Right in ")


def test_what_one_cause_explains_is_one_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    test = open_page(SAMPLES / "value-loss-nan", monkeypatch, read_only=True)
    card = worst(test)
    assert card["more"].endswith("more signs")
    assert any(sign.startswith("The model does not end its answers") for sign in card["signs"])
    assert [card["severity"] for card in drawn(test, "verdict")["cards"]].count("critical") == 1


def test_two_causes_of_one_grave_finding_each_have_their_own_button(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = {"kl_coef": 0.05, "learning_rate": 1e-4, "response_length": 14}
    with RunLog(tmp_path / "a", algorithm="ppo", task="remarks", config=config, total=40) as log:
        for step in range(1, 41):
            kl, update = (60.0 if step > 20 else 0.5), (0.05 if step > 5 else 0.001)
            score = step / 40 if step <= 20 else 0.1
            log.log(step, {"objective/kl": kl, "policy/approxkl_avg": update, "objective/scores": score})
    test = open_page(tmp_path / "a", monkeypatch)
    labels = [offer["words"] for offer in drawn(test, "verdict")["relaunch"].values()]
    assert labels == ["Relaunch with these", "Relaunch with this"]


def test_a_healthy_run_says_what_was_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "a", kl=0.05, **{"clip_ratio/region_mean": 0.02}).close()
    card = worst(open_page(tmp_path / "a", monkeypatch))
    assert card["severity"] == "healthy"
    assert card["cause"].startswith("No sign of trouble in ")
    assert "could not run" in card["cause"]


def test_a_nan_is_counted_in_the_data_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "a", steps=3, kl=float("nan")).close()
    assert "36 points · 3 NaN" in text(open_page(tmp_path / "a", monkeypatch))


def test_model_text_is_shown_literally_and_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "a", steps=2).close()
    test = section(open_page(tmp_path / "a", monkeypatch), "samples")
    test.query_params["sample"] = "1"
    test.query_params["step"] = "2"
    (turn,) = drawn(test.run(), "samples")["detail"]["response"]
    assert "".join(piece["text"] for piece in turn["pieces"]) == HOSTILE
    assert not any("alert(1)" in str(item.value) for item in test.markdown)


def test_grpo_samples_are_gathered_by_prompt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "a", steps=2).close()
    found = drawn(section(open_page(tmp_path / "a", monkeypatch), "samples"), "samples")
    assert [group["facts"] for group in found["groups"]] == [
        "2 answers · mean 0.5 · 1 of 2 right · 1 cut off",
        "1 answer · mean 1 · 1 of 1 right",
    ]


def test_ppo_samples_are_one_table_with_query_response_and_score(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "a", steps=2, algorithm="ppo").close()
    found = drawn(section(open_page(tmp_path / "a", monkeypatch), "samples"), "samples")
    assert not found["is_grouped"]
    (group,) = found["groups"]
    assert [group["rows"][0][name] for name in ("query", "response", "score")] == ["90+29=", "124", "1"]


def test_the_address_says_which_step_is_shown_and_whether_the_newest_is_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "a", steps=5).close()
    test = section(open_page(tmp_path / "a", monkeypatch), "samples")
    for wanted, shown in (("4", 4), ("newest", 5), ("<script>", 5)):
        test.query_params["step"] = wanted
        assert drawn(test.run(), "samples")["steps"]["current"] == shown


def test_the_newest_step_is_followed_while_the_run_grows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = write(tmp_path / "a", steps=1)
    test = section(open_page(tmp_path / "a", monkeypatch), "samples")
    log.log(2, {"reward": 0.5}, [sample(0, 1.0)])
    log.close()
    time.sleep(0.3)  # two polls within a quarter of a second count as one
    assert drawn(test.run(), "samples")["steps"]["current"] == 2
    assert "step" not in test.query_params


def test_a_sick_run_shows_the_samples_of_the_step_where_it_broke(monkeypatch: pytest.MonkeyPatch) -> None:
    found = drawn(section(open_page(SAMPLES / "value-loss-nan", monkeypatch), "samples"), "samples")
    assert found["steps"]["current"] == found["steps"]["onset"] < found["steps"]["newest"]


def test_a_relaunched_run_stands_beside_the_one_before_which_is_a_click_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with write(tmp_path / "sick", cut=0.94) as parent, write(tmp_path / "fixed", parent=parent.run_id):
        test = open_page(tmp_path / "fixed", monkeypatch)
        assert "**Since sick, with the same settings**" in text(test)
        assert "✓ gone] The completions are cut off before they end." in text(test)
        next(button for button in test.button if button.label == "Open sick").click().run()
        assert test.query_params["run"] == str(tmp_path / "sick")
    with write(tmp_path / "orphan", parent="0123456789ab"):
        test = open_page(tmp_path / "orphan", monkeypatch)
        assert "Relaunched from run 0123456789ab, which was not found beside it" in text(test)


def test_every_check_is_listed_with_its_own_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "a", cut=0.94).close()
    test = section(open_page(tmp_path / "a", monkeypatch), "checks")
    groups = drawn(test, "checks")["groups"]
    assert [(group["title"], group["is_folded"]) for group in groups] == [
        ("Fired", False),
        ("Could not be checked", False),
        ("Quiet", True),
        ("Not about a run like this", True),
    ]
    first = groups[0]["rows"][0]
    assert (first["name"], first["id"], first["sign"]) == ("truncation high", "RV601 truncation-high", "◆ critical")
    assert all(row["sentence"].endswith((".", ")", "…")) for group in groups for row in group["rows"])
    assert "What it checks" in text(test)


def test_names_outside_the_vocabulary_are_shown_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "a", **{"my/own": 1.0}).close()
    test = section(open_page(tmp_path / "a", monkeypatch), "metrics")
    assert "Other names that the log holds" in text(test)
    test.text_input(key="metrics.filter").set_value("nothing like it").run()
    assert "Nothing matches the filter." in text(test)


def test_a_click_on_a_section_is_not_undone_and_the_address_leads_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "run").close()
    test = section(open_page(tmp_path / "run", monkeypatch), "checks")
    bar = test.button_group(key="section")
    assert bar.value == "checks"
    assert not bar.proto.set_value  # else it would undo a click made while this was drawn
    test.query_params["section"] = "samples"  # the way back
    bar = test.run().button_group(key="section")
    assert bar.value == "samples"
    assert bar.proto.set_value


def test_config_and_console_have_their_sections(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "a", steps=2).close()
    (tmp_path / "a" / "console.log").write_text("first\nstep 1\rstep 2\nlast **line**\n")
    test = section(open_page(tmp_path / "a", monkeypatch), "config")
    assert "max_completion_length" in list(test.dataframe[0].value["setting"])
    assert list(test.dataframe[0].value.columns) == ["setting", "value", "default"]
    assert "first\nstep 2\nlast **line**" in [code.value for code in section(test, "console").code]


def test_a_running_run_of_this_host_can_be_stopped_but_not_when_read_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = write(tmp_path / "a", steps=2)
    buttons = [
        [b.label for b in open_page(tmp_path / "a", monkeypatch, read_only).button] for read_only in (False, True)
    ]
    log.close()
    assert ["Stop" in labels for labels in buttons] == [True, False]


def test_a_failed_run_says_its_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "a", steps=3).close("failed", "ValueError: the reward returned 3 values for 4 completions")
    shown = text(open_page(tmp_path / "a", monkeypatch))
    assert "✕ failed" in shown
    assert "ValueError: the reward returned 3 values for 4 completions" in shown


def test_a_run_that_failed_before_its_first_step_opens_its_console(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "a", steps=0).close("failed", "ValueError: no answer key")
    (tmp_path / "a" / "console.log").write_text("Traceback (most recent call last):\nValueError: no answer key\n")
    page = open_page(tmp_path / "a", monkeypatch)
    assert worst(page)["cause"] == "The training died."
    assert page.code[0].value.startswith("Traceback")


def test_an_error_of_many_words_is_folded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    error = f"ValueError: no action in {'think ' * 400}end"
    write(tmp_path / "a", steps=3).close("failed", error)
    page = open_page(tmp_path / "a", monkeypatch)
    (folded,) = [item for item in page.expander if item.label == "The whole error"]
    assert folded.code[0].value == error
    notes = [item.value for item in page.markdown if "no action in" in item.value]
    assert notes
    assert max(map(len, notes)) < 800


@pytest.mark.process
def test_a_killed_run_is_died_with_its_last_step_and_age(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = (
        "import sys, os; from diagnostics.runlog import RunLog\nlog = RunLog(sys.argv[1], algorithm='grpo', total=9)\n"
    )
    code += "log.log(4, {'reward': 1.0}); os.kill(os.getpid(), 9)"
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "a")], check=False)
    shown = text(open_page(tmp_path / "a", monkeypatch))
    assert "✕ died** · step 4/9 · last step" in shown.replace("]", "")


def test_a_path_without_a_run_gets_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "is an empty folder: no run has been written into it yet" in text(open_page(tmp_path, monkeypatch))
    assert "No run is chosen; open one from Runs." in text(open_page(None, monkeypatch))


def test_a_run_without_samples_and_status_is_still_a_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = RunLog(tmp_path / "a", algorithm="unknown")
    log.close()
    (tmp_path / "a" / STATUS_FILE).unlink()
    assert "The run logged no samples." in text(section(open_page(tmp_path / "a", monkeypatch), "samples"))


def test_the_verdict_shows_the_samples_that_prove_it_as_plain_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "a", cut=0.94).close()
    test = open_page(tmp_path / "a", monkeypatch)
    (link,) = [link for link in worst(test)["links"] if link["to"] == "sample"]
    assert link["words"] == "step 60, sample 2"
    assert link["hint"] == "Cut off at the length limit."
    assert link["more"] == "<script>alert(1)</script> **x** ![](http://localhost/y) second line"
    assert not any("<script>" in str(part.value) for part in test.markdown)


def test_settings_worth_a_look_are_folded_apart_from_the_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = {"max_completion_length": 8, "temperature": 0.1, "num_generations": 8}
    with RunLog(tmp_path / "a", algorithm="grpo", task="addition", config=config, total=60) as log:
        for step in range(1, 61):
            log.log(step, {"reward": step / 100, "reward_std": 0.3, "completions/clipped_ratio": 0.05, **HEALTHY})
    test = section(open_page(tmp_path / "a", monkeypatch), "config")
    (folded,) = [item for item in test.expander if item.label.startswith("Settings worth a look")]
    assert "1 critical" in folded.label
    assert "temperature is 0" in "".join(item.value for item in folded.markdown)
    assert "does not count for the verdict" in folded.caption[0].value
    assert worst(test)["severity"] != "critical"


def test_a_run_that_has_only_begun_reproaches_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = write(tmp_path / "a", steps=0)
    test = section(open_page(tmp_path / "a", monkeypatch), "samples")
    shown = text(test)
    log.close()
    assert "**]\n" in f"{shown}\n"  # the state, without a separator after it
    assert "could not run" not in worst(test)["cause"]
    assert "No samples yet." in shown


def test_other_causes_that_would_explain_it_are_named_with_what_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    card = worst(open_page(SAMPLES / "ratio-far-from-one", monkeypatch, read_only=True))
    assert card["rivals"].startswith(("Less likely: ", "Not decided: "))
    assert len(card["deciders"]) >= 1


def test_a_muted_finding_is_no_verdict_and_stands_among_the_checks_with_its_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "a", cut=0.94).close()
    mute = '[[muted]]\nfinding = "truncation-high"\nreason = "short answers are meant"\n'
    (tmp_path / "rlvitals.toml").write_text(mute)
    test = section(open_page(tmp_path / "a", monkeypatch), "checks")
    assert worst(test)["severity"] not in ("critical", "warning")
    muted = [group for group in drawn(test, "checks")["groups"] if group["title"] == "Fired, and muted"]
    assert [(row["rule"], row["more"]) for row in muted[0]["rows"]] == [("truncation-high", "short answers are meant")]
