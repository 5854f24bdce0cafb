"""Addresses where commands take them: read from a copy, named as they were typed, refused where they cannot serve."""

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from mcp import Client, StdioServerParameters, stdio_client

from diagnostics.addresses import cache_folder
from diagnostics.cli import main
from diagnostics.runlog.parent import SAMPLE_RUNS
from tests.event_loop import run_apart
from tests.s3_store import Store

COMMAND = Path(sys.executable).with_name("rlvitals")
CONFIG = '{"learning_rate": 1e-3, "beta": 0.0, "num_generations": 4, "max_completion_length": 64, "loss_type": "grpo"}'
CUT_OFF, HEALTHY = SAMPLE_RUNS / "cut-off", SAMPLE_RUNS / "healthy-grpo"
PATIENCE = 20.0


def rlvitals(*words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([str(COMMAND), *words], capture_output=True, text=True, timeout=120, check=False)


def test_a_gate_and_its_runs_may_lie_elsewhere(
    store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store.put_folder(HEALTHY, "gated/base")
    store.put_folder(CUT_OFF, "gated/new")
    base, new, gate = (f"{store.address}/gated/{name}" for name in ("base", "new", "GATE.toml"))
    assert main(["gate", "--write", str(tmp_path / "GATE.toml"), "--baseline", base]) == 0
    store.put("gated/GATE.toml", (tmp_path / "GATE.toml").read_bytes())
    capsys.readouterr()
    words = ["--format", "json", "--sarif", str(tmp_path / "gate.sarif"), "--junit", str(tmp_path / "gate.xml")]
    assert main(["gate", gate, new, *words]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["candidates"] == [new]
    written = (tmp_path / "gate.sarif").read_text() + (tmp_path / "gate.xml").read_text() + json.dumps(document)
    assert str(cache_folder()) not in written
    assert (gate in written, f"of {new}" in written) == (True, True)
    assert store.writes() == []


def test_a_gate_that_is_not_there_is_refused_in_a_sentence(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    store.put_folder(CUT_OFF, "ungated/new")
    assert main(["gate", f"{store.address}/ungated/GATE.toml", f"{store.address}/ungated/new"]) == 2
    assert f"there is nothing at {store.address}/ungated/GATE.toml; check the address" in capsys.readouterr().err


def test_settings_that_lie_elsewhere_are_looked_at(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    store.put("settings/args.json", CONFIG.encode())
    store.put_folder(CUT_OFF, "settings/run")
    file, run, missing = (f"{store.address}/settings/{name}" for name in ("args.json", "run", "no.json"))
    assert main(["preflight", file, run, "--format", "json"]) in (0, 1)
    document = json.loads(capsys.readouterr().out)
    assert [review["path"] for review in document["configurations"]] == [file, run]
    assert main(["preflight", missing]) == 2
    assert f"there is nothing at {missing}; check the address" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("mute", "kl-too-high", "{}", "--reason", "meant"), "nothing is written or stopped there"),
        (("stop", "{}/a"), "nothing is written or stopped there"),
        (
            ("mcp", "{}", "--allow-launch"),
            "writes new runs into the first folder, and {} lies elsewhere",
        ),
    ],
)
def test_what_would_write_there_is_refused(
    store: Store, words: tuple[str, ...], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    address = f"{store.address}/not-written"
    code = 0
    try:
        code = main([word.format(address) for word in words])
    except SystemExit as ended:
        code = int(ended.code or 0)
    assert (code, sentence.format(address) in capsys.readouterr().err) == (2, True)
    assert [each for each in store.asked if "not-written" in each.path] == []


@pytest.mark.process
@pytest.mark.parametrize("words", [("train", "--resume", "{}"), ("evaluate", "{}", "--judge", "longer")])
def test_what_needs_checkpoints_says_that_they_are_not_copied(store: Store, words: tuple[str, ...]) -> None:
    address = f"{store.address}/without-weights"
    done = rlvitals(*(word.format(address) for word in words))
    told = f"{address} lies elsewhere, and this needs the run's checkpoints" in done.stderr
    assert (done.returncode, told) == (2, True), done.stderr


@pytest.mark.process
def test_a_run_elsewhere_is_trained_again_here(store: Store, tmp_path: Path) -> None:
    store.put_folder(CUT_OFF, "parents/cut-off")
    address, child = f"{store.address}/parents/cut-off", tmp_path / "child"
    words = ("--max_steps", "1", "--num_sample_generations", "0", "--save_strategy", "no", "--run_dir", str(child))
    done = rlvitals("train", "--from", address, "--apply-fixes", *words)
    assert (done.returncode, address in done.stderr) == (0, True), done.stderr
    record = json.loads((child / "run.json").read_bytes())
    assert record["config"]["max_completion_length"] == 9
    assert store.writes() == []
    shutil.rmtree(child)
    assert rlvitals("train", "--from", address, *words).returncode == 0
    assert json.loads((child / "run.json").read_bytes())["config"]["max_completion_length"] == 3


@pytest.mark.process
def test_a_program_reads_runs_that_lie_elsewhere(store: Store) -> None:
    store.put_folder(CUT_OFF, "programs/cut-off")
    store.put_folder(HEALTHY, "programs/healthy")
    store.put("programs/args.json", CONFIG.encode())
    store.put_folder(CUT_OFF, "hidden/cut-off")
    address = f"{store.address}/programs"

    async def told() -> None:
        server = StdioServerParameters(command=str(COMMAND), args=["mcp", address], env=dict(os.environ))
        async with Client(stdio_client(server)) as client:

            async def ask(tool: str, **arguments: object) -> str:
                return str((await client.call_tool(tool, arguments)).content[0].text)

            runs = json.loads(await ask("runs"))
            assert sorted(row["run"] for row in runs["runs"]) == [f"{address}/cut-off", f"{address}/healthy"]
            diagnosis = json.loads(await ask("diagnose", path=f"{address}/cut-off"))
            assert (diagnosis["run"], diagnosis["verdict"]) == (f"{address}/cut-off", "critical")
            assert json.loads(await ask("diagnose", path="healthy"))["run"] == f"{address}/healthy"
            side = json.loads(await ask("compare", paths=["healthy", "cut-off"]))
            assert [run["run"] for run in side["runs"]] == [f"{address}/healthy", f"{address}/cut-off"]
            assert json.loads(await ask("preflight", path="args.json"))["path"] == f"{address}/args.json"
            for outside in (f"{store.address}/hidden/cut-off", str(cache_folder()), "s3://key:secret@bucket/a"):
                refused = await ask("diagnose", path=outside)
                assert "is no path below the folders shown" in refused or "is not taken" in refused
            store.is_down = True
            deadline = time.monotonic() + PATIENCE
            while "not_answering" not in runs and time.monotonic() < deadline:
                runs = json.loads(await ask("runs"))
            assert runs["not_answering"][0].startswith(f"{address} has not answered since")
            assert runs["found"] == 2

    run_apart(told())
    assert store.writes() == []
