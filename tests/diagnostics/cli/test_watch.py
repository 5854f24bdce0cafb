"""Tests of `rlvitals watch`: one look, a run to its end, and the stop of a sick training."""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from diagnostics.cli import main
from diagnostics.runlog import RunLog
from tests.published_schemas import published

COMMAND = Path(sys.executable).with_name("rlvitals")
Rlvitals = Callable[..., "subprocess.CompletedProcess[str]"]


def rows(done: "subprocess.CompletedProcess[str]") -> list[dict[str, Any]]:
    return [published(line, "watch") for line in done.stdout.splitlines()]


def test_one_look_tells_what_is_wrong_and_the_next_one_tells_nothing_twice(
    rlvitals: Rlvitals, cut_off_run: Path, healthy_run: Path, tmp_path: Path
) -> None:
    kept, alerts = tmp_path / "kept.jsonl", tmp_path / "alerts.toml"
    keep = f"import sys; open({str(kept)!r}, 'a').write(sys.stdin.read() + chr(10))"
    alerts.write_text(f"[[send]]\ncommand = {json.dumps([sys.executable, '-c', keep])}\n[[send]]\nterminal = true\n")
    alerts.chmod(0o600)
    once = ("watch", "runs", "--once", "--alerts", alerts)
    looks = [rlvitals(*once, RLVITALS_LANG="zh") for _ in range(2)]  # into a pipe: JSON, which is English
    (bad, good), again = rows(looks[0]), rows(looks[1])
    assert [look.returncode for look in looks] == [1, 1]
    assert (bad["name"], bad["verdict"], bad["state"], bad["step"]) == ("cut-off", "critical", "finished", 40)
    assert (good["name"], [found for found in good["findings"] if found["severity"] == "critical"]) == ("healthy", [])
    assert bad["alerts"] == [
        {"kind": "ended", "title": f"ENDED cut-off: finished with the verdict critical: {bad['headline']}"}
    ]
    assert [row["alerts"] for row in again] == [[], []]
    sent = [json.loads(line) for line in kept.read_text().splitlines()]
    assert sorted(row["run"]["name"] for row in sent) == ["cut-off", "healthy"]

    text = rlvitals("watch", healthy_run, "--format", "text").stdout  # a run that has ended, looked at once by itself
    assert "✓ healthy  finished · step 40 of 40  healthy: No sign of trouble" in text


def test_what_cannot_be_watched_is_said_in_a_sentence(rlvitals: Rlvitals, healthy_run: Path, tmp_path: Path) -> None:
    missing = rlvitals("watch", "nowhere", "--once")
    assert (missing.returncode, missing.stderr) == (2, "rlvitals: nowhere holds no known run\n")
    wrong = rlvitals("watch", healthy_run, "--stop-on", "kl-runaways")
    assert (wrong.returncode, "did you mean 'kl-runaway'?" in wrong.stderr) == (2, True)
    (tmp_path / "alerts.toml").write_text("[[send]]\nfax = 1")
    refused = rlvitals("watch", healthy_run, "--alerts", "alerts.toml")
    assert (refused.returncode, "one names none" in refused.stderr) == (2, True)


@pytest.mark.parametrize("interval", ["0", "-1", "nan", "inf", "soon"])
def test_an_interval_that_cannot_be_waited_for_is_refused(interval: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["watch", "a", f"--interval={interval}"]) == 2
    assert f"'{interval}' is no interval; give a number of seconds from 0.01 to 3600" in capsys.readouterr().err


@pytest.mark.process
def test_a_growing_run_is_watched_to_its_end_and_an_alarm_is_told_as_it_opens(tmp_path: Path) -> None:
    with RunLog(tmp_path / "a", algorithm="ppo", total=100) as log:
        log.log(1, {"loss/value_avg": 0.5, "objective/scores": 0.1})
        words = [COMMAND, "watch", "a", "--interval", "0.05"]
        watch = subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE, text=True)
        assert watch.stdout is not None
        first = json.loads(watch.stdout.readline())
        for step in range(2, 41):
            log.log(step, {"loss/value_avg": float("nan"), "objective/scores": 0.1})
        seen = [json.loads(watch.stdout.readline())]
        while not seen[-1]["alerts"]:
            seen.append(json.loads(watch.stdout.readline()))
    rest = [json.loads(line) for line in watch.stdout]
    assert watch.wait(30) == 1
    assert (first["step"], first["alerts"]) == (1, [])
    assert {alert["kind"] for alert in seen[-1]["alerts"]} == {"opened"}
    assert "CRITICAL a: " in seen[-1]["alerts"][0]["title"]
    assert (rest[-1]["state"], [alert["kind"] for alert in rest[-1]["alerts"]]) == ("finished", ["ended"])


@pytest.mark.process
def test_a_sick_training_is_stopped_with_a_checkpoint_and_no_browser_open(rlvitals: Rlvitals, tmp_path: Path) -> None:
    words = ("train", "grpo", "--max_steps", "5000", "--max_completion_length", "3", "--report_to", "none")
    training = subprocess.Popen([COMMAND, *words, "--run_dir", "a"], cwd=tmp_path, stderr=subprocess.DEVNULL)
    try:
        while not (tmp_path / "a" / "events.jsonl").exists():
            assert training.poll() is None
            time.sleep(0.05)
        done = rlvitals("watch", "a", "--stop-on", "truncation-high", "--fail-on", "warning")
        assert training.wait(60) == 0
    finally:
        training.kill()
    assert done.returncode == 1
    assert ": a finishes its step, saves a checkpoint and ends" in done.stderr
    assert rows(done)[-1]["state"] == "stopped"
    assert list((tmp_path / "a" / "checkpoints").iterdir())
