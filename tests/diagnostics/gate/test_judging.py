"""A gate on real run directories: what fails it, what leaves it unsure, and what it writes for CI."""

import json
import math
import random
from pathlib import Path
from xml.etree import ElementTree

import pytest
from jsonschema import Draft202012Validator

from diagnostics.cli import main
from diagnostics.gate.gate_file import read_gate
from diagnostics.runlog import RunLog
from tests.hostile_text import COMMANDS, DANGEROUS
from tests.published_schemas import published

SARIF = {
    "type": "object",
    "required": ["version", "runs"],
    "properties": {
        "version": {"const": "2.1.0"},
        "runs": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["tool", "results"],
                "properties": {
                    "tool": {
                        "type": "object",
                        "required": ["driver"],
                        "properties": {
                            "driver": {
                                "type": "object",
                                "required": ["name"],
                                "properties": {
                                    "rules": {"type": "array", "uniqueItems": True, "items": {"required": ["id"]}}
                                },
                            }
                        },
                    },
                    "results": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "required": ["ruleId", "message", "locations"],
                            "properties": {
                                "level": {"enum": ["none", "note", "warning", "error"]},
                                "message": {"required": ["text"], "properties": {"text": {"type": "string"}}},
                                "ruleIndex": {"type": "integer", "minimum": 0},
                                "locations": {
                                    "minItems": 1,
                                    "items": {
                                        "required": ["physicalLocation"],
                                        "properties": {
                                            "physicalLocation": {
                                                "required": ["artifactLocation"],
                                                "properties": {
                                                    "artifactLocation": {"required": ["uri"]},
                                                    "region": {
                                                        "properties": {"startLine": {"type": "integer", "minimum": 1}}
                                                    },
                                                },
                                            }
                                        },
                                    },
                                },
                            },
                        },
                    },
                },
            },
        },
    },
}
"""The parts of the SARIF 2.1.0 schema that a log of ours uses, and those that code hosts ask for."""


def write_run(folder: Path, seed: int, reward: float = 0.8, steps: int = 40, **others: float) -> Path:
    """A GRPO run that learns up to a reward, with noise of its own and a level of its own."""
    chance = random.Random(seed)
    level = reward + chance.gauss(0, 0.01)
    with RunLog(folder, algorithm="grpo", total=steps) as log:
        for step in range(1, steps + 1):
            learned = 1 - math.exp(-step / 8)
            metrics = {
                "reward": level * learned + chance.gauss(0, 0.02),
                "reward_std": 0.3 + chance.gauss(0, 0.02),
                "kl": 0.0 if step == 1 else 0.02 * learned * math.exp(chance.gauss(0, 0.1)),
                "entropy": 1.0 - 0.3 * learned + chance.gauss(0, 0.01),
                "step_time": 0.5 * math.exp(chance.gauss(0, 0.05)),
            }
            log.log(step, {**metrics, **(others if step > 1 or "kl" in others else {})})
    return folder


@pytest.fixture(scope="module")
def gate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A gate that was written from six runs, with these beside it."""
    folder = tmp_path_factory.mktemp("gate")
    for seed in range(6):
        write_run(folder / "base" / f"seed-{seed}", seed)
    assert main(["gate", "--write", str(folder / "GATE.toml"), "--baseline", str(folder / "base")]) == 0
    return folder / "GATE.toml"


def judged(capsys: pytest.CaptureFixture[str], *words: str | Path) -> tuple[int, dict[str, list[dict[str, object]]]]:
    """The exit code, and the checks by what became of them."""
    capsys.readouterr()
    code = main(["gate", *map(str, words), "--format", "json"])
    checks = published(capsys.readouterr().out, "gate")["checks"]
    return code, {state: [c for c in checks if c["state"] == state] for state in ("passed", "failed", "unsure")}


def named(checks: list[dict[str, object]]) -> list[str]:
    return [f"{check['group']} {check['name']}" for check in checks]


def test_the_written_gate_says_what_the_baseline_measured(gate: Path) -> None:
    written = read_gate(gate)
    assert written.steps == (31, 40)
    assert [*written.metrics] == ["reward", "kl_per_token", "entropy_per_token"]
    assert [*written.ratios] == ["step_time"]
    assert [*written.first_step] == ["kl_per_token"]
    assert len(written.metrics["reward"].baseline.values) == 6
    assert written.rate == pytest.approx(0.05 / 5)


def test_further_seeds_of_the_same_training_pass(gate: Path, tmp_path: Path, capsys) -> None:
    runs = [write_run(tmp_path / f"seed-{seed}", seed) for seed in (11, 12, 13)]
    code, checks = judged(capsys, gate, *runs)
    assert (code, named(checks["failed"]), named(checks["unsure"])) == (0, [], [])
    for seed in (11, 12, 13):
        assert judged(capsys, gate, tmp_path / f"seed-{seed}")[0] == 0


def test_a_training_that_learns_less_fails_by_its_reward_alone(gate: Path, tmp_path: Path, capsys) -> None:
    code, checks = judged(capsys, gate, write_run(tmp_path / "a", 21, 0.7), write_run(tmp_path / "b", 22, 0.7))
    assert (code, named(checks["failed"])) == (1, ["metric reward"])
    (found,) = checks["failed"]
    assert found["interval"]["high"] < 0
    assert found["interval"]["basis"] == "seeds of the baseline"


@pytest.mark.parametrize(
    ("others", "failed"),
    [
        ({"kl": 0.9}, ["metric kl_per_token", "first step kl_per_token"]),
        ({"entropy": 0.2}, ["metric entropy_per_token"]),
        ({"step_time": 1.5}, ["ratio step_time"]),
        ({"reward": math.nan}, ["metric reward", "finding numerical-breakdown"]),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_each_thing_that_is_demanded_can_fail(gate: Path, tmp_path: Path, capsys, others, failed: list[str]) -> None:
    code, checks = judged(capsys, gate, write_run(tmp_path / "a", 31, **others))
    assert code == 1
    assert {*failed} <= {*named(checks["failed"])}


def test_a_run_that_did_not_get_to_the_window_fails_and_says_why(gate: Path, tmp_path: Path, capsys) -> None:
    code, checks = judged(capsys, gate, write_run(tmp_path / "a", 41, steps=20))
    assert code == 1
    assert "it got to step 20, and the window is steps 31 to 40" in [check["message"] for check in checks["failed"]]


def test_one_run_on_each_side_is_never_conclusive(gate: Path, tmp_path: Path, capsys) -> None:
    worse, base = write_run(tmp_path / "a", 51, 0.5), gate.parent / "base" / "seed-1"
    code, checks = judged(capsys, worse, "--baseline", base)
    assert (code, named(checks["failed"]), "metric reward" in named(checks["unsure"])) == (0, [], True)
    assert "no difference between the two is conclusive" in checks["unsure"][0]["message"]
    assert judged(capsys, worse, "--baseline", base, "--strict")[0] == 1
    code, checks = judged(capsys, worse, "--baseline", gate.parent / "base")
    assert (code, named(checks["failed"])[:1]) == (1, ["metric reward"])


def test_bounds_allowances_and_allowed_findings_are_heeded(tmp_path: Path, capsys) -> None:
    run = write_run(tmp_path / "a", 61, 0.7, kl=0.9)
    _, checks = judged(capsys, run, "--baseline", *(write_run(tmp_path / f"b{i}", i) for i in range(4)))
    found = [check["name"] for check in checks["failed"] if check["group"] == "finding"]
    (tmp_path / "G.toml").write_text(
        "steps = [31, 40]\n[metrics.reward]\nworse = 'lower'\nallowed = 0.3\nbaseline = [0.8, 0.81, 0.79]\nmin = 0.9\n"
        f"[metrics.kl_per_token]\nmax = 2\n[findings]\nallow = {json.dumps(found)}\n"
    )
    code, checks = judged(capsys, tmp_path / "G.toml", run)
    assert (code, named(checks["failed"])) == (1, ["metric reward"])
    assert "at least 0.9 is due" in checks["failed"][0]["message"]
    assert "metric kl_per_token" in named(checks["passed"])


def test_what_ci_shows_is_well_formed_and_harmless(gate: Path, tmp_path: Path, capsys) -> None:
    run = write_run(tmp_path / f"a{COMMANDS.replace(chr(0), '').replace('/', '')}<&>", 71, 0.5)
    (tmp_path / "G.toml").write_text(gate.read_text() + "\n[metrics.nothing]\nmax = 1\n[ratios.memory]\nmax = 2\n")
    files = {name: tmp_path / name for name in ("junit", "sarif", "summary")}
    assert main(["gate", str(tmp_path / "G.toml"), str(run), *(f"--{n}={path}" for n, path in files.items())]) == 1
    capsys.readouterr()

    suite = ElementTree.parse(files["junit"]).getroot().find("testsuite")
    cases = suite.findall("testcase")
    assert int(suite.get("tests")) == len(cases)
    assert int(suite.get("failures")) == len(suite.findall("testcase/failure")) > 1
    assert int(suite.get("skipped")) == len(suite.findall("testcase/skipped")) == 1
    assert {"name", "classname"} == {*cases[0].keys()}

    log = json.loads(files["sarif"].read_text())
    Draft202012Validator(SARIF).validate(log)
    (told,) = log["runs"]
    assert [result["level"] for result in told["results"]].count("error") == int(suite.get("failures"))
    assert {result["ruleId"] for result in told["results"]} == {rule["id"] for rule in told["tool"]["driver"]["rules"]}
    for path in files.values():
        assert DANGEROUS & set(path.read_text()) == set()
    summary = files["summary"].read_text()
    assert summary.startswith("### Training gate failed: ")
    assert "| **FAILED** | metric nothing" in summary


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("steps = [1", "is not TOML"),
        ("", "steps must name the first and the last step"),
        ("steps = [5, 2]", "steps must name the first and the last step"),
        ("steps = [1, 2]\nmetric = 1", "the file has 'metric', which nothing reads"),
        ("steps = [1, 2]\n[metrics.reward]\nworse = 'down'", 'worse is "lower", "higher" or "either"'),
        ("steps = [1, 2]\n[metrics.reward]\nallowed = 1", "demands nothing"),
        ("steps = [1, 2]\n[metrics.reward]\nmin = nan", "min is a number"),
        ("steps = [1, 2]\n[ratios.speed]\nmax = 1", "there is no ratio speed"),
        ("steps = [1, 2]\n[findings]\nfail_on = 'bad'", "fail_on is info, warning or critical"),
        ("steps = [1, 2]\n[findings]\nallow = ['kl-negativ']", "did you mean 'kl-negative'?"),
        ("steps = [1, 2]\n[first_step]\nkl = 0", "the expected value and a tolerance"),
        ("steps = [1, 2]\nfalse_fail_rate = 5", "a share between 0 and 1"),
    ],
)
def test_a_gate_that_says_something_unknown_is_refused(tmp_path: Path, capsys, text: str, sentence: str) -> None:
    (tmp_path / "G.toml").write_text(text)
    assert main(["gate", str(tmp_path / "G.toml"), str(tmp_path)]) == 2
    assert sentence in capsys.readouterr().err


def test_what_cannot_be_judged_is_refused_in_a_sentence(gate: Path, tmp_path: Path, capsys) -> None:
    run = write_run(tmp_path / "a", 81)
    short = write_run(tmp_path / "short", 82, steps=5)
    for words, sentence in (
        ((str(gate),), "name the runs to judge"),
        ((str(run),), "a gate needs a GATE.toml, or the runs to compare with"),
        ((str(gate), str(tmp_path / "nowhere")), "nowhere does not exist"),
        ((str(gate), str(run), "--baseline", str(short)), "short cannot serve for reward: it got to step 5"),
        (("--write", str(gate), "--baseline", str(run)), "exists; name another file, or replace it with --force"),
        (("--write", str(tmp_path / "G.toml")), "--write FILE takes the runs to write it from"),
    ):
        assert main(["gate", *words]) == 2
        assert sentence in capsys.readouterr().err
