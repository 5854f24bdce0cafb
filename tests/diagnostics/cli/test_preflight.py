"""`rlvitals preflight` as a user types it."""

import json
from pathlib import Path

import pytest

GREEDY = 'algorithm = "grpo"\ntask = "addition"\ntemperature = 0.1\nmy_own = 3\n'


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "grpo.toml"
    path.write_text(GREEDY)
    return path


def test_a_configuration_is_judged_and_what_is_critical_shows_in_the_exit_code(rlvitals, config: Path) -> None:
    found = rlvitals("preflight", config)
    assert found.returncode == 1
    assert found.stdout.index("CRITICAL") < found.stdout.index("INFO")
    assert "temperature is 0.1, below 0.3" in found.stdout
    assert "temperature 0.1 → 1" in found.stdout
    assert "2 settings that no check looks at: algorithm, my_own" in found.stdout


def test_fail_on_and_limits_are_the_users(rlvitals, config: Path, tmp_path: Path) -> None:
    limits = tmp_path / "limits.toml"
    limits.write_text("[pf-greedy]\ntemperature = 0.05\n")
    assert rlvitals("preflight", config, "--limits", limits).returncode == 0
    assert rlvitals("preflight", config, "--limits", limits, "--fail-on", "info").returncode == 1


def test_json_holds_findings_blind_spots_and_what_was_not_read(rlvitals, config: Path) -> None:
    (found,) = json.loads(rlvitals("preflight", config, "--format", "json").stdout)["configurations"]
    assert (found["algorithm"], found["producer"]) == ("grpo", "rlvitals")
    assert found["preflight"][0]["rule"] == "pf-greedy"
    assert found["preflight"][0]["fixes"][0]["suggested"] == 1.0
    assert "my_own" in found["unread_settings"]
    assert {spot["rule"] for spot in found["skipped"]} >= {"pf-reward-smoke"}


def test_markdown_is_written_to_a_file(rlvitals, config: Path, tmp_path: Path) -> None:
    assert rlvitals("preflight", config, "--format", "markdown", "--output", "found.md").returncode == 1
    assert "| **critical** |" in (tmp_path / "found.md").read_text()


def test_a_run_is_judged_like_a_configuration(rlvitals, healthy_run: Path) -> None:
    found = rlvitals("preflight", healthy_run)
    assert found.returncode == 0
    assert "grpo · rlvitals" in found.stdout


def test_one_path_that_cannot_be_read_hides_no_other(rlvitals, config: Path, tmp_path: Path) -> None:
    (tmp_path / "training_args.bin").write_bytes(b"\x80\x04")
    found = rlvitals("preflight", "training_args.bin", config)
    assert found.returncode == 2
    assert "is a pickle" in found.stderr
    assert "CRITICAL" in found.stdout


def test_the_rewards_are_tried_in_a_process_of_the_trainer(rlvitals, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "def zero(completions, **columns):\n    print('hello')\n    return [0.0] * len(completions)\n"
    )
    (tmp_path / "a.toml").write_text('algorithm = "grpo"\ntask = "addition"\nreward_funcs = ["mine.py:zero"]\n')
    found = rlvitals("preflight", "a.toml", "--smoke", "--trust")
    assert found.returncode == 1
    assert "The rewards gave 0 to every answer" in found.stdout


def test_a_reward_that_raises_is_told_in_the_trainers_words(rlvitals, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def broken(completions, **columns):\n    raise KeyError('gold')\n")
    (tmp_path / "a.toml").write_text('algorithm = "grpo"\nreward_funcs = ["mine.py:broken"]\n')
    found = rlvitals("preflight", "a.toml", "--smoke", "--trust")
    assert found.returncode == 2
    assert "reward function broken raised KeyError" in found.stderr


def test_the_rewards_of_another_program_cannot_be_tried(rlvitals, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"output_dir": "x", "num_generations": 8}')
    found = rlvitals("preflight", "a.json", "--smoke")
    assert found.returncode == 2
    assert "name them in a TOML file" in found.stderr


def test_the_untrained_policy_is_asked_how_long_its_answers_get(rlvitals, tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text('algorithm = "grpo"\ntask = "addition"\nmax_completion_length = 6\n')
    found = rlvitals("preflight", "a.toml", "--probe")
    assert "of 32 answers of the untrained policy are longer" in found.stdout


def test_the_policy_of_another_program_cannot_be_asked(rlvitals, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"output_dir": "x", "num_generations": 8}')
    found = rlvitals("preflight", "a.json", "--probe")
    assert found.returncode == 2
    assert "name model and data in a TOML file" in found.stderr


def test_diagnose_tells_the_settings_apart_from_the_verdict(rlvitals, tmp_path: Path, grpo_run) -> None:
    run = grpo_run(tmp_path / "run", truncated=0.02)
    found = rlvitals("diagnose", run)
    assert "they do not count for the verdict" in found.stdout
    (report,) = json.loads(rlvitals("diagnose", run, "--format", "json").stdout)["runs"]
    assert report["verdict"] == "healthy"
    assert {"rule", "severity", "message", "parameters"} <= report["preflight"][0].keys()


@pytest.mark.parametrize("name", ["pf-top-k", "PF301"])
def test_a_check_is_explained_by_name_and_by_code(rlvitals, name: str) -> None:
    found = rlvitals("explain", name)
    assert found.returncode == 0
    assert "pf-top-k (pre-flight check)" in found.stdout
    assert "actor_rollout_ref.rollout.top_k" in found.stdout


def test_checks_are_listed_apart_from_the_rules(rlvitals) -> None:
    listed = json.loads(rlvitals("rules", "--format", "json").stdout)
    assert all(row["code"].startswith("PF") for row in listed["preflight"])
    assert not any(row["code"].startswith("PF") for row in listed["rules"])


def test_of_an_unknown_version_it_says_whose_defaults_count(rlvitals, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"output_dir": "x", "num_generations": 8}')
    assert "The version of TRL is not known" in rlvitals("preflight", "a.json").stdout
    assert "The version of TRL" not in rlvitals("preflight", "a.json", "--producer-version", "0.16").stdout
