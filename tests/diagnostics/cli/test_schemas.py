"""Tests that what each command prints for programs is what its published schema says."""

import json
import math
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from diagnostics.cli import main
from diagnostics.cli.command import COMMANDS
from diagnostics.report.schemas import SCHEMAS
from diagnostics.runlog import RunLog
from tests.hostile_text import EVERYTHING
from tests.published_schemas import published

SAMPLES = Path(__file__).resolve().parents[3] / "sample_runs"
WITHOUT_A_DOCUMENT = {"ui", "train", "schema", "mcp"}
"""A server each, a process that is handed over to, and the schemas themselves."""

Printed = Callable[..., tuple[int, str]]


@pytest.fixture
def printed(capsys: pytest.CaptureFixture[str]) -> Printed:
    """Runs a command with `--format json` in this process: its exit code, and what it printed."""

    def run(*words: str | Path) -> tuple[int, str]:
        code = main([*map(str, words), "--format", "json"])
        return code, capsys.readouterr().out

    return run


def test_every_command_that_prints_has_a_schema() -> None:
    assert {*COMMANDS} - WITHOUT_A_DOCUMENT == {*SCHEMAS} - {"error"}


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_schema_is_one_by_its_own_dialect_and_is_printed_as_it_is_published(name: str, capsys) -> None:
    assert main(["schema", name]) == 0
    schema = json.loads(capsys.readouterr().out)
    Draft202012Validator.check_schema(schema)
    assert schema["title"] == f"rlvitals {name}"


def test_the_schemas_are_listed_and_an_unknown_one_is_refused(capsys) -> None:
    assert main(["schema"]) == 0
    assert capsys.readouterr().out.split() == [*SCHEMAS]
    assert main(["schema", "diagnos"]) == 2
    assert "no schema is called 'diagnos'; did you mean 'diagnose'?" in capsys.readouterr().err


def test_all_sample_runs_are_told_as_published(printed: Printed) -> None:
    for command, code in (("diagnose", 1), ("status", 0), ("runs", 0), ("preflight", 0), ("compare", 0)):
        runs = sorted(path for path in SAMPLES.iterdir() if path.is_dir())
        found, text = printed(command, *runs)
        document = published(text, command)
        assert (command, found) == (command, code)
        assert len(next(value for value in document.values() if isinstance(value, list))) == len(runs)
    assert published(printed("runs", SAMPLES, "--sort", "cost")[1], "runs")["runs"][0]["cost"]["steps"] > 0


def test_the_guide_shows_a_status_as_it_is_printed(capsys, monkeypatch) -> None:
    monkeypatch.chdir(SAMPLES.parent)
    assert main(["status", "sample_runs/cut-off"]) == 0
    assert capsys.readouterr().out in (SAMPLES.parent / "docs" / "guide" / "programs.md").read_text("utf-8")


def test_a_hostile_a_broken_and_a_relaunched_run_are_told_as_published(
    printed: Printed, tmp_path: Path, nan_run
) -> None:
    child = tmp_path / "runs" / "child"
    shutil.copytree(nan_run, child)
    told = json.loads((child / "run.json").read_text())
    parent = told["run_id"]
    (child / "run.json").write_text(json.dumps(told | {"run_id": "c1", "parent": parent}))
    with RunLog(tmp_path / "runs" / "hostile", name=EVERYTHING, algorithm="grpo", config={"a": EVERYTHING}) as log:
        log.log(1, {"reward": math.inf, EVERYTHING: math.nan})
        log.close("failed", EVERYTHING)
    assert published(printed("mute", "nonfinite-metric", tmp_path / "runs", "--reason", "known")[1], "mute")
    for command in ("diagnose", "status", "runs", "compare"):
        document = published(printed(command, tmp_path / "runs", tmp_path / "nowhere")[1], command)
        assert (len(document["runs"]), len(document["errors"])) == (3, 1)
    (of_child,) = [
        run for run in published(printed("diagnose", tmp_path / "runs")[1], "diagnose")["runs"] if run["parent"]
    ]
    assert of_child["since_parent"]["path"].endswith("nan")


def test_the_catalogues_are_told_as_published(printed: Printed) -> None:
    for command in ("rules", "metrics", "causes", "formats"):
        assert published(printed(command)[1], command)[command]
    for name in ("kl-negative", "pf-top-k", "smp-truncated", "drastic-updates", "kl_per_token", "objective/kl"):
        assert published(printed("explain", name)[1], "explain")["pages"]


def test_what_is_done_is_told_as_published(printed: Printed, healthy_run: Path, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    code, text = printed("mute", "kl-too-high", healthy_run.parent, "--reason", "meant")
    assert (code, published(text, "mute")["message"][:24]) == (0, "kl-too-high is muted in ")
    code, text = printed("import", f"file://{healthy_run}", "--to", tmp_path / "copy")
    assert [published(line, "import")["message"].partition(":")[0] for line in text.splitlines()] == [
        str(tmp_path / "copy"),
        "open it with",
    ]
    code, text = printed("skill", "--to", tmp_path / "skills")
    assert (code, published(text, "skill")["message"]) == (0, f"{tmp_path}/skills/rlvitals/SKILL.md is written")
    assert main(["export", str(healthy_run), "--format", "jsonl", "--output", str(tmp_path / "a.jsonl")]) == 0
    lines = (tmp_path / "a.jsonl").read_text().splitlines()
    assert {published(line, "export")["metric"] for line in lines[:50]} <= {"approx_kl", *_metrics(lines)}


def _metrics(lines: list[str]) -> set[str]:
    return {json.loads(line)["metric"] for line in lines}


@pytest.mark.parametrize(
    "words",
    [
        ("diagnose",),
        ("explain", "kl-negativ"),
        ("compare", "nowhere"),
        ("mute", "nothing"),
        ("status", "--nonsense"),
        ("runs", ".", "--filter", "verdict:"),
        ("import", "file:///no/such/folder", "--to", "x"),
        ("frobnicate",),
    ],
    ids=lambda words: words[0],
)
def test_a_command_that_cannot_do_what_was_asked_says_so_in_a_document(
    printed: Printed, words: tuple[str, ...], tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, text = printed(*words)
    assert (code, bool(published(text, "error")["error"])) == (2, True)


def test_a_configuration_that_cannot_be_read_stands_among_the_errors(printed: Printed, tmp_path: Path) -> None:
    code, text = printed("preflight", tmp_path / "none.toml")
    document = published(text, "preflight")
    assert (code, document["configurations"], len(document["errors"])) == (2, [], 1)
