"""The table of public logs is whole, logs are fetched at their commit, and agreement is counted as the page says."""

import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks.public_logs.agreement import Judged, judge
from benchmarks.public_logs.diagnosing import Alarm, Said, said
from benchmarks.public_logs.fetching import fetch_missing
from benchmarks.public_logs.readers import agreement_of_readers
from benchmarks.public_logs.report import tables
from benchmarks.public_logs.table import PARTS, PublicLog, Reading, read_table
from benchmarks.real_logs import INTRODUCTION, PAGE
from diagnostics.causes.catalog import CATALOG
from diagnostics.rules.run.catalog import RUN_RULES
from diagnostics.rules.samples.catalog import SAMPLE_RULES

TABLE = read_table()
SICK = PublicLog(
    repository="someone/trainings",
    commit="0" * 40,
    path="logs/grpo.log",
    part="known",
    producer="trl",
    format="console",
    judged="sick",
    why="everything is cut off",
    causes=("completion-limit-too-short",),
    rules=("truncation-high",),
    since=1,
)
HEALTHY = replace(SICK, path="logs/quiet.log", judged="healthy", causes=(), rules=(), since=None)
CUT_OFF = Alarm("truncation-high", "critical", 3)
NOISE = Alarm("reward-regression", "warning", 9)


def test_every_row_of_the_table_names_one_log_at_one_commit() -> None:
    places = [(log.repository, log.path) for log in TABLE]
    assert len(places) == len(set(places)) >= 90
    assert [log.commit for log in TABLE if not re.fullmatch("[0-9a-f]{40}", log.commit)] == []
    assert [log.path for log in TABLE if ".." in Path(log.path).parts or Path(log.path).is_absolute()] == []
    assert {log.part for log in TABLE} == set(PARTS)


def test_answers_at_the_limit_stand_for_answers_that_are_cut_off() -> None:
    found = {
        rule: Judged(SICK, Said("critical", alarms=(Alarm(rule, "critical", 3),))).is_found
        for rule in ("truncation-high", "length-at-limit", "length-explosion")
    }
    assert found == {"truncation-high": True, "length-at-limit": True, "length-explosion": False}


def test_no_repository_is_in_both_parts() -> None:
    known, apart = ({log.repository for log in TABLE if log.part == part} for part in PARTS)
    assert known & apart == set()


def test_only_sick_logs_have_right_answers_and_all_of_them_exist() -> None:
    rules = {rule.name for rule in (*RUN_RULES, *SAMPLE_RULES)}
    causes = {entry.name for entry in CATALOG}
    for log in TABLE:
        assert set(log.rules) | set(log.allowed) <= rules, log.name
        assert set(log.causes) <= causes, log.name
        assert bool(log.rules) == (log.judged == "sick") == (log.since is not None), log.name
        assert not log.allowed or log.judged == "healthy", log.name


def test_the_second_reader_names_causes_of_sick_logs_that_exist() -> None:
    causes = {entry.name for entry in CATALOG}
    second = [log.second for log in TABLE if log.second]
    assert len(second) >= 90
    assert [reading for reading in second if not set(reading.causes) <= causes] == []
    assert [reading for reading in second if reading.causes and reading.judged != "sick"] == []


def test_a_log_on_which_the_two_readers_differ_counts_as_unclear() -> None:
    disputed = Judged(replace(SICK, second=Reading("healthy")), Said("healthy"))
    agreed = Judged(
        replace(SICK, path="b", second=Reading("sick", ("length-bias",))), Said("info", cause="length-bias")
    )
    assert (disputed.disagreement, agreed.disagreement) == ("", "missed")
    page = tables([disputed.log, agreed.log], [disputed, agreed])
    assert "| count as sick · healthy · no-rl · unclear | 1 · 0 · 0 · 1 |" in page
    assert "| cause: the first one is right | 0.00 [0.00, 0.79] (0/1) |" in page
    assert "| cause: right for one of the two readers | 1.00 [0.21, 1.00] (1/1) |" in page
    assert "everything is cut off (to the second reader healthy)" in page


def test_the_agreement_of_the_two_readers_is_counted_and_held_against_chance() -> None:
    said_by_both = ["sick"] * 4 + ["healthy"] * 4
    logs = [replace(SICK, judged=judged, second=Reading(judged, SICK.causes)) for judged in said_by_both]
    logs += [replace(SICK, second=Reading("healthy")), replace(HEALTHY, second=Reading("sick", ("length-bias",)))]
    section = agreement_of_readers([*logs, SICK])
    assert "| logs that both have read | 10 | 0 | 10 |" in section
    assert "| judged alike | 0.80 [0.49, 0.94] (8/10) | – |" in section
    assert "| Cohen's kappa | 0.60 | – | 0.60 |" in section  # 0.8 where chance gives 0.5
    assert "| of those one calls sick, the other calls healthy | 0.33 [0.10, 0.70] (2/6) |" in section
    assert "| sick | 4 | 1 | 0 | 0 |" in section
    assert agreement_of_readers([SICK]) == ""


def test_a_judgement_is_one_short_line_of_ones_own() -> None:
    assert [log.why for log in TABLE if not 0 < len(log.why) <= 200 or "\n" in log.why] == []


def test_a_field_that_no_log_has_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "logs.toml"
    path.write_text('[[log]]\nrepository = "a/b"\njudgement = "sick"\n', "utf-8")
    with pytest.raises(ValueError, match="log 1 of the table has judgement"):
        read_table(path)
    path.write_text('[[log]]\nrepository = "a/b"\n', "utf-8")
    with pytest.raises(ValueError, match=r"log 1 of the table .* is not whole"):
        read_table(path)


@pytest.mark.parametrize(
    ("log", "answer", "expected"),
    [
        (SICK, Said("critical", cause="completion-limit-too-short", alarms=(CUT_OFF,)), ""),
        (SICK, Said("critical", cause="length-bias", alarms=(CUT_OFF,)), "another cause first"),
        (replace(SICK, causes=()), Said("critical", cause="length-bias", alarms=(CUT_OFF,)), ""),
        (SICK, Said("warning", cause="completion-limit-too-short", alarms=(NOISE,)), "missed"),
        (SICK, Said("unreadable", error="a file of no known format"), "not opened"),
        (HEALTHY, Said("healthy"), ""),
        (HEALTHY, Said("critical", alarms=(NOISE, CUT_OFF)), "false critical"),
        (HEALTHY, Said("warning", alarms=(NOISE,)), "false warning"),
        (replace(HEALTHY, allowed=("reward-regression",)), Said("warning", alarms=(NOISE,)), ""),
        (HEALTHY, Said("critical", alarms=(Alarm("run-died", "critical", 9),)), ""),
        (replace(HEALTHY, judged="no-rl"), Said("healthy"), "called healthy"),
        (replace(HEALTHY, judged="no-rl"), Said("not-rl"), ""),
        (replace(HEALTHY, judged="unclear"), Said("critical", alarms=(CUT_OFF,)), ""),
    ],
)
def test_a_disagreement_is_named(log: PublicLog, answer: Said, expected: str) -> None:
    assert expected == Judged(log, answer).disagreement


def run(verdict: str, *alarms: Alarm) -> Mapping[str, Any]:
    """One run of a JSON report."""
    fired = [{"rule": a.rule, "severity": a.severity, "first_step": a.first_step, "verdict": "fired"} for a in alarms]
    gaps = [{"check": "the entropy, or samples", "rules": [], "enable": "Log the entropy."}] if alarms else []
    return {"verdict": verdict, "producer": "trl", "causes": [], "outcomes": fired, "vital_missing": gaps}


def test_the_gravest_of_several_trainings_in_one_log_speaks() -> None:
    report = {"runs": [run("healthy"), run("critical", CUT_OFF), run("warning", NOISE)], "errors": []}
    expected = Said("critical", "trl", 3, alarms=(CUT_OFF, NOISE), missing=("the entropy, or samples",))
    assert expected == said(report, Path("grpo.log"))


def test_the_page_counts_which_vital_checks_the_logs_of_healthy_runs_do_not_allow() -> None:
    lacking = Said("no-problem-found", missing=("the entropy, or samples",))
    page = tables([HEALTHY], [Judged(HEALTHY, lacking), Judged(HEALTHY, Said("healthy"))])
    assert "| healthy runs whose log lacks a vital check | 0.50 [0.09, 0.91] (1/2) |" in page
    assert f"| vital check | {HEALTHY.producer} |" in page
    assert "| the entropy, or samples | 1 |" in page


def test_the_apart_part_is_shown_in_sums_alone() -> None:
    apart = replace(SICK, repository="other/trainings", part="apart")
    results = [Judged(SICK, Said("critical", alarms=(CUT_OFF,))), Judged(apart, Said("info")), quiet()]
    page = tables([SICK, HEALTHY, apart, replace(apart, path="b")], results)
    assert "1 of the 4 logs were not at hand." in page
    assert "| recall: a right rule at warning or above | 1.00 [0.21, 1.00] (1/1) | 0.00 [0.00, 0.79] (0/1) |" in page
    assert "| false warnings per healthy run | 1.00 (< 4.74) | – |" in page
    assert "someone/trainings `logs/grpo.log`" in page
    assert "other/trainings" not in page


def quiet() -> Judged:
    """A healthy log with a false warning."""
    return Judged(HEALTHY, Said("warning", alarms=(NOISE,)))


def test_the_page_opens_with_what_the_command_writes() -> None:
    assert PAGE.read_text("utf-8").startswith(f"{INTRODUCTION}\n## Agreement\n")


def test_the_page_has_a_row_for_each_known_log_and_none_for_the_others() -> None:
    rows = PAGE.read_text("utf-8").partition("log by log")[2]
    assert [log.name for log in TABLE if (f"| {log.name} |" in rows) != (log.part == "known")] == []


@pytest.mark.process
def test_a_log_is_fetched_at_its_commit_and_a_missing_one_is_told(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    host = tmp_path / "host" / "someone" / "trainings"
    (host / "logs").mkdir(parents=True)
    git(host, "init", "--quiet")
    git(host, "config", "uploadpack.allowFilter", "true")
    (host / "logs" / "grpo.log").write_text("as it was\n", "utf-8")
    commit = commit_all(host)
    (host / "logs" / "grpo.log").write_text("as it is now\n", "utf-8")
    commit_all(host)
    there, gone = replace(SICK, commit=commit), replace(SICK, commit=commit, path="logs/gone.log")

    missing = fetch_missing(tmp_path / "logs", [there, gone], f"file://{tmp_path / 'host'}")

    assert [gone] == missing
    assert (tmp_path / "logs" / there.place).read_text("utf-8") == "as it was\n"
    assert "logs/gone.log of someone/trainings cannot be had" in capfd.readouterr().err
    assert fetch_missing(tmp_path / "logs", [there], "file:///nowhere") == []


@pytest.mark.process
def test_logs_are_judged_by_what_the_command_line_says_of_them(tmp_path: Path) -> None:
    write(tmp_path, SICK, "".join(f"{row(step, clipped=1.0)}\n" for step in range(60)))
    write(tmp_path, HEALTHY, "nothing of a training\n")

    found, unopened = judge(tmp_path, [SICK, HEALTHY, replace(SICK, path="gone.log")], seconds=100, processes=2)

    assert (found.is_found, found.is_named, found.said.producer) == (True, True, "trl")
    assert unopened.disagreement == "not opened"
    assert unopened.said.error.startswith("quiet.log is a file of no known format")


@pytest.mark.process
def test_a_log_that_takes_too_long_is_not_opened(tmp_path: Path) -> None:
    write(tmp_path, SICK, f"{row(1, clipped=0.0)}\n")
    (result,) = judge(tmp_path, [SICK], seconds=0.001, processes=1)
    assert Said("unreadable", error="gave no answer within 0.001 s") == result.said


@pytest.mark.process
def test_an_empty_folder_is_told_what_to_do(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "benchmarks.real_logs", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"holds none of the {len(TABLE)} logs; add --fetch to bring them" in done.stderr


def row(step: int, clipped: float) -> dict[str, float]:
    """A row as TRL prints it: a run that learns, if its answers are not cut off."""
    rising = step / 60
    return {
        "loss": 0.01,
        "grad_norm": 0.5 + 0.01 * (step % 7),
        "learning_rate": 1e-6,
        "completions/mean_length": 200.0,
        "completions/clipped_ratio": clipped,
        "reward": 0.2 + 0.5 * rising + 0.02 * (step % 3),
        "reward_std": 0.3 + 0.01 * (step % 5),
        "frac_reward_zero_std": 0.1,
        "kl": 0.01,
        "epoch": round(rising, 3),
    }


def write(folder: Path, log: PublicLog, text: str) -> None:
    path = folder / log.place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


def git(folder: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=someone", "-c", "user.email=someone@example.org")
    command = ["git", "-C", str(folder), *identity, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def commit_all(folder: Path) -> str:
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "Add logs")
    return git(folder, "rev-parse", "HEAD")
