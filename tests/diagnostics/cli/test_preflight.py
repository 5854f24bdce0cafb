"""`rlvitals preflight` as a user types it."""

import json
from pathlib import Path

import pytest

from tests.published_schemas import published
from tests.trainer.tiny_tokenizers import BOS, FORGETS_THOUGHTS, REFUSES, SOUND, write_tokenizer

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
    (found,) = published(rlvitals("preflight", config, "--format", "json").stdout, "preflight")["configurations"]
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
    assert "of 256 answers of the untrained policy are longer" in found.stdout  # eight to each of 32 prompts


def test_rows_worth_training_on_are_kept_and_can_be_trained_on(rlvitals, tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text('algorithm = "grpo"\ntask = "addition"\n')
    words = ("--probe", "--probe-prompts", "24", "--probe-generations", "6", "--keep-list", "keep.jsonl")
    found = rlvitals("preflight", "a.toml", *words, "--format", "json")
    (report,) = published(found.stdout, "preflight")["configurations"]
    rates = report["pass_rates"]
    assert (rates["prompts"], rates["generations"], rates["pass_at"]) == (24, 6, 0.5)
    assert sum(band["prompts"] for band in rates["histogram"]) == 24
    kept = [json.loads(line) for line in (tmp_path / "keep.jsonl").read_text().splitlines()]
    assert [row["pass_rate"] for row in kept] == [rate for rate in rates["rates"] if 0.2 <= rate <= 0.8]
    assert {"prompt", "answer"} <= kept[0].keys()

    trained_on_them = 'algorithm = "grpo"\ndataset = "keep.jsonl"\nreward_funcs = ["exact_match"]\n'
    (tmp_path / "b.toml").write_text(trained_on_them)
    assert "exact_match" in rlvitals("preflight", "b.toml", "--smoke").stdout


@pytest.mark.parametrize("words", [("keep.jsonl",), ("nowhere/keep.jsonl", "--probe")])
def test_a_keep_list_that_cannot_be_written_is_refused_before_anything_is_tried(rlvitals, config: Path, words) -> None:
    found = rlvitals("preflight", config, "--keep-list", *words)
    assert (found.returncode, found.stdout) == (2, "")
    assert "add --probe" in found.stderr or "its folder does not exist" in found.stderr


def test_where_no_answer_passes_the_report_stands_and_the_keep_list_is_refused(rlvitals, tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text('algorithm = "grpo"\ntask = "addition"\nreward_funcs = ["constant"]\n')
    words = ("--probe", "--probe-prompts", "4", "--probe-generations", "2", "--keep-list", "keep.jsonl")
    found = rlvitals("preflight", "a.toml", *words)
    assert found.returncode == 2
    assert "To 4 of 4 prompts the untrained policy's 2 answers all earn the same" in " ".join(found.stdout.split())
    assert "say what passes (--pass-at)" in found.stderr
    assert not (tmp_path / "keep.jsonl").exists()


def test_what_reward_functions_pay_and_how_long_they_take_is_in_every_form(rlvitals, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "def contains(completions, answer, **columns):\n"
        "    return [float(a in c) for c, a in zip(completions, answer)]\n"
    )
    (tmp_path / "a.toml").write_text('algorithm = "grpo"\ntask = "addition"\nreward_funcs = ["mine.py:contains"]\n')
    text = rlvitals("preflight", "a.toml", "--smoke", "--trust").stdout
    assert "Answers that are not right are paid: contains gives 1 for" in " ".join(text.split())
    assert "for a step's" in " ".join(text.split())
    (report,) = published(rlvitals("preflight", "a.toml", "--smoke", "--format", "json").stdout, "preflight")[
        "configurations"
    ]
    (grader,) = report["graders"]
    assert "every-option" in {paid["policy"] for paid in grader["paid"]}
    assert grader["step_seconds"] == pytest.approx(grader["mean_seconds"] * grader["completions_per_step"])
    assert "| `contains` |" in rlvitals("preflight", "a.toml", "--smoke", "--format", "markdown").stdout


def test_the_policy_of_another_program_cannot_be_asked(rlvitals, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"output_dir": "x", "num_generations": 8}')
    found = rlvitals("preflight", "a.json", "--probe")
    assert found.returncode == 2
    assert "name model and data in a TOML file" in found.stderr


@pytest.fixture
def rendered_texts(tmp_path: Path) -> Path:
    """A configuration whose prompts were rendered before, for a tokenizer that adds a BOS to every text."""
    write_tokenizer(tmp_path / "model", FORGETS_THOUGHTS, adds_bos=True)
    rows = [{"prompt": f"{BOS}[user]\n{number}?"} for number in range(5)]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    path = tmp_path / "a.toml"
    data = 'dataset = "rows.jsonl"\nreward_funcs = ["constant"]\n'
    path.write_text(f'algorithm = "grpo"\nmodel_name_or_path = "model"\n{data}')
    return path


def test_two_bos_and_a_forgetful_template_are_found_before_the_start(rlvitals, rendered_texts: Path) -> None:
    found = " ".join(rlvitals("preflight", rendered_texts, "--tokens", "--fail-on", "warning").stdout.split())
    assert "5 of 5 prompts begin with 2 BOS tokens: their text begins with <s>, and the tokenizer adds another" in found
    assert "dataset: Take it out of the prompts' text" in found
    assert "With turn 3 of the thinking conversation, “" in found
    assert "⏎" in found
    assert "begins with 2 BOS · 0 0 " in found


def test_the_tokenizer_of_another_programs_model_is_tried(rlvitals, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"output_dir": "x", "num_generations": 8}')
    refused = rlvitals("preflight", "a.json", "--tokens")
    assert refused.returncode == 2
    assert "--model FOLDER" in refused.stderr
    write_tokenizer(tmp_path / "model", SOUND, adds_bos=True)
    found = rlvitals("preflight", "a.json", "--tokens", "--model", "model", "--format", "json")
    (report,) = published(found.stdout, "preflight")["configurations"]
    assert "pf-template-not-prefix" in report["quiet"]
    assert "pf-double-bos" in {item["rule"] for item in report["skipped"]}


def test_the_python_of_a_models_folder_does_not_run_for_its_tokenizer_until_it_is_trusted(
    rlvitals, tmp_path: Path
) -> None:
    write_tokenizer(tmp_path / "model", SOUND)
    (tmp_path / "model" / "modeling.py").write_text("raise SystemExit('it ran')\n")
    (tmp_path / "a.toml").write_text('algorithm = "grpo"\nmodel_name_or_path = "model"\ntrust_remote_code = true\n')
    found = rlvitals("preflight", "a.toml", "--tokens", XDG_DATA_HOME=str(tmp_path / "data"))
    assert found.returncode == 2
    assert "Python code of a model" in found.stderr
    assert "--trust" in found.stderr


def test_messages_for_a_tokenizer_without_a_template_are_told_in_the_trainers_words(rlvitals, tmp_path: Path) -> None:
    write_tokenizer(tmp_path / "model", None)
    (tmp_path / "rows.jsonl").write_text('{"prompt": [{"role": "user", "content": "Hi"}]}\n')
    (tmp_path / "a.toml").write_text('algorithm = "grpo"\nmodel_name_or_path = "model"\ndataset = "rows.jsonl"\n')
    found = rlvitals("preflight", "a.toml", "--tokens")
    assert found.returncode == 2
    assert "has no chat template; give prompts as plain text" in found.stderr


def test_what_a_template_raises_cannot_command_a_terminal(rlvitals, tmp_path: Path) -> None:
    write_tokenizer(tmp_path / "model", REFUSES)
    (tmp_path / "a.json").write_text('{"output_dir": "x", "num_generations": 8}')
    found = rlvitals("preflight", "a.json", "--tokens", "--model", "model").stdout
    assert "\x1b" not in found
    assert "only for ␛[31mfriends" in " ".join(found.split())


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
