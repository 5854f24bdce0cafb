"""Tests of `rlvitals diagnose`: its exit codes, its three forms, its limits, and bad input."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from diagnostics.api import open_run
from diagnostics.rules import CATALOG
from diagnostics.runlog import RunLog

RUN_KEYS = {
    "path", "run_id", "name", "sources", "producer", "producer_version", "algorithm", "state", "steps", "data_health",
    "verdict", "vital_missing", "cost", "limits", "muted", "causes", "outcomes", "preflight", "parent", "since_parent",
    "standstill", "time_budget",
}  # fmt: skip
FIRED_KEYS = {
    "code", "rule", "verdict", "severity", "grade", "first_step", "last_step", "measured", "limit", "limit_is_default",
    "unit", "metric", "message", "source", "evidence", "still", "episodes",
}  # fmt: skip


def test_a_healthy_run_exits_with_zero_and_says_what_was_checked(rlvitals, healthy_run: Path) -> None:
    shown = rlvitals("diagnose", healthy_run)
    assert shown.returncode == 0
    assert "HEALTHY   No sign of trouble in " in shown.stdout


def test_the_worst_finding_stands_in_the_first_lines(rlvitals, cut_off_run: Path) -> None:
    shown = rlvitals("diagnose", cut_off_run)
    first_screen = shown.stdout.splitlines()[:10]
    assert shown.returncode == 1
    assert first_screen[0] == "cut-off  grpo · rlvitals 0.1.0 · finished · step 40 of 40"
    assert first_screen[3] == "CRITICAL  The completions are cut off before they end. (since step 1, still so)"
    assert any(line.strip().startswith("try       max_completion_length 8 → ") for line in first_screen)


@pytest.mark.parametrize(("fail_on", "code"), [("info", 1), ("warning", 1), ("critical", 0)])
def test_the_exit_code_follows_fail_on(rlvitals, grpo_run, tmp_path: Path, fail_on: str, code: int) -> None:
    warned = grpo_run(tmp_path / "warned", truncated=0.5)
    assert rlvitals("diagnose", warned, "--fail-on", fail_on).returncode == code


def test_an_unreadable_path_wins_over_a_finding_and_hides_nothing(rlvitals, cut_off_run: Path) -> None:
    shown = rlvitals("diagnose", "nowhere", cut_off_run)
    assert (shown.returncode, shown.stderr) == (2, "rlvitals: nowhere does not exist\n")
    assert "CRITICAL" in shown.stdout


def test_every_run_below_a_path_is_reported(rlvitals, healthy_run: Path, cut_off_run: Path, nan_run: Path) -> None:
    report = json.loads(rlvitals("diagnose", "runs", "--format", "json").stdout)
    assert {run["name"]: run["verdict"] for run in report["runs"]} == {
        "healthy": "healthy",
        "cut-off": "critical",
        "nan": "critical",
    }


def test_the_json_report_has_the_public_keys(rlvitals, cut_off_run: Path) -> None:
    report = json.loads(rlvitals("diagnose", "runs/cut-off", "missing", "--format", "json").stdout)
    (run,) = report["runs"]
    assert (set(report), report["schema_version"]) == ({"schema_version", "runs", "errors"}, 1)
    assert report["errors"] == [{"path": "missing", "error": "missing does not exist"}]
    assert set(run) == RUN_KEYS
    assert run["sources"] == [{"format": "rlvitals", "path": "runs/cut-off"}]
    assert run["steps"] == {"first": 1, "last": 40, "logged": 40}
    assert set(run["data_health"]) == {
        "points", "nan", "inf", "duplicates", "rewinds", "gaps", "malformed", "unmapped_tags",
        "understood_tags",
    }  # fmt: skip
    assert [finding["rule"] for finding in run["preflight"]] == ["pf-on-policy-note", "pf-eval-missing"]


def test_each_verdict_of_the_json_report_has_its_fields(rlvitals, cut_off_run: Path) -> None:
    (run,) = json.loads(rlvitals("diagnose", cut_off_run, "--format", "json").stdout)["runs"]
    outcomes = {outcome["rule"]: outcome for outcome in run["outcomes"]}
    fired = outcomes["truncation-high"]
    assert set(fired) >= FIRED_KEYS
    assert (fired["code"], fired["severity"], fired["metric"]) == ("RV601", "critical", "completions/clipped_ratio")
    assert set(fired["evidence"]) == {"steps", "values", "samples"}
    quiet = [outcome for outcome in run["outcomes"] if outcome["verdict"] == "quiet"]
    assert all({"measured", "limit"} <= set(outcome) for outcome in quiet)
    skipped = [outcome for outcome in run["outcomes"] if outcome["verdict"] == "skipped"]
    assert all({"code", "rule", "verdict", "applies", "reason", "enable"} == set(outcome) for outcome in skipped)


def test_a_cause_names_its_outcomes_and_its_fixes(rlvitals, cut_off_run: Path) -> None:
    (run,) = json.loads(rlvitals("diagnose", cut_off_run, "--format", "json").stdout)["runs"]
    cause = run["causes"][0]
    assert set(cause) == {
        "cause", "severity", "first_step", "last_step", "summary", "outcomes", "signs", "decided", "against", "fixes",
        "rivals", "track_record",
    }  # fmt: skip
    assert (cause["cause"], cause["outcomes"]) == ("completion-limit-too-short", ["truncation-high"])
    assert set(cause["fixes"][0]) == {"parameter", "current", "suggested", "why", "source"}


def test_a_nan_is_a_string_so_that_any_parser_reads_the_report(rlvitals, nan_run: Path) -> None:
    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is no JSON")

    report = json.loads(rlvitals("diagnose", nan_run, "--format", "json").stdout, parse_constant=refuse)
    outcomes = {outcome["rule"]: outcome for outcome in report["runs"][0]["outcomes"]}
    assert "NaN" in outcomes["nonfinite-metric"]["evidence"]["values"]


def test_the_markdown_report_is_a_table_under_a_heading(rlvitals, cut_off_run: Path) -> None:
    lines = rlvitals("diagnose", cut_off_run, "--format", "markdown").stdout.splitlines()
    assert lines[0] == "### cut-off: critical"
    assert "| Severity | Finding | When | Measured | Try | Source |" in lines
    assert any(line.startswith("| **critical** | The completions are cut off before they end.") for line in lines)


def test_a_pipe_gets_no_colour(rlvitals, cut_off_run: Path) -> None:
    assert "\x1b" not in rlvitals("diagnose", cut_off_run).stdout


def test_a_limit_of_ones_own_changes_the_verdict_and_is_said_to_be_one(
    rlvitals, cut_off_run: Path, tmp_path: Path
) -> None:
    (tmp_path / "mine.toml").write_text("[truncation-high]\ninfo = 0.97\nwarning = 0.98\ncritical = 0.99\n")
    shown = rlvitals("diagnose", cut_off_run, "--limits", "mine.toml", "--format", "json")
    outcomes = {outcome["rule"]: outcome for outcome in json.loads(shown.stdout)["runs"][0]["outcomes"]}
    assert shown.returncode == 0
    assert (outcomes["truncation-high"]["verdict"], outcomes["truncation-high"]["limit_is_default"]) == ("quiet", False)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("[truncation-hihg]\nwarning = 1\n", "there is no rule called truncation-hihg (did you mean truncation-high?)"),
        ("[truncation-high]\nwarnin = 1\n", "truncation-high has no limit called warnin"),
        ("[truncation-high]\nwarning = 'high'\n", "truncation-high.warning must be a number"),
        ("warning = 1\n", "warning stands outside a rule; write [rule-name] above it"),
        ("[truncation-high\n", "is not TOML"),
    ],
)
def test_a_limits_file_that_does_not_fit_gets_one_sentence(
    rlvitals, cut_off_run: Path, tmp_path: Path, content: str, said: str
) -> None:
    (tmp_path / "mine.toml").write_text(content)
    refused = rlvitals("diagnose", cut_off_run, "--limits", "mine.toml")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert len(refused.stderr.splitlines()) == 1
    assert said in refused.stderr


def test_every_limit_of_every_rule_and_check_can_be_set(rlvitals, cut_off_run: Path, tmp_path: Path) -> None:
    tables = {rule.name: {item.name: item.value for item in rule.limit_docs} for rule in CATALOG}
    lines = [
        [f"[{name}]", *(f"{key} = {2 * value!r}" for key, value in table.items())] for name, table in tables.items()
    ]
    (tmp_path / "mine.toml").write_text("\n".join(line for table in lines for line in table))
    shown = rlvitals("diagnose", cut_off_run, "--limits", "mine.toml", "--format", "json")
    (run,) = json.loads(shown.stdout)["runs"]
    assert set(run["limits"]) == set(tables)
    assert not any(o["limit_is_default"] for o in run["outcomes"] if o["verdict"] == "quiet" and tables[o["rule"]])
    assert "broken" not in {o["verdict"] for o in run["outcomes"]}


def test_bad_input_gets_one_sentence_each(rlvitals, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "notes.txt").write_text("not a log")
    (tmp_path / "torn").mkdir()
    (tmp_path / "torn" / "events.out.tfevents.1700000000.host.1.0").write_bytes(b"\x18\x00\x00")
    refused = rlvitals("diagnose", "empty", "notes.txt", "missing", "torn")
    sentences = refused.stderr.splitlines()
    assert (refused.returncode, refused.stdout) == (2, "")
    assert len(sentences) == 4
    assert all(
        path in sentence for path, sentence in zip(("empty", "notes.txt", "missing", "torn"), sentences, strict=True)
    )


@pytest.mark.process
@pytest.mark.parametrize(("environment", "is_coloured"), [({}, True), ({"NO_COLOR": "1"}, False)])
def test_a_terminal_gets_colour_unless_it_wants_none(
    cut_off_run: Path, environment: dict[str, str], is_coloured: bool
) -> None:
    ours, theirs = pty.openpty()
    kept = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    command = [Path(sys.executable).with_name("rlvitals"), "diagnose", cut_off_run]
    subprocess.run(command, stdout=theirs, env={**kept, **environment}, timeout=60, check=False)
    os.close(theirs)
    assert (b"\x1b[1;31mCRITICAL" in os.read(ours, 10_000)) == is_coloured
    os.close(ours)


def test_a_relaunched_run_tells_what_became_of_the_findings_before(rlvitals, tmp_path: Path, cut_off_run: Path) -> None:
    with RunLog(tmp_path / "child", algorithm="grpo", parent=open_run(cut_off_run).run_id, total=40) as log:
        for step in range(1, 41):
            log.log(step, {"reward": step / 40, "completions/clipped_ratio": 0.02})
    child = tmp_path / "child"
    assert "gone      The completions are cut off before they end." in rlvitals("diagnose", child, cut_off_run).stdout
    child.rename(cut_off_run.parent / "beside")
    assert "gone      The completions are cut off" in rlvitals("diagnose", cut_off_run.parent / "beside").stdout
