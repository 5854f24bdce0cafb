"""Configuration files and runs as pre-flight reads them, from files as the programs write them."""

import json
import sys
from pathlib import Path

import pytest

from diagnostics.api import diagnose, open_run
from diagnostics.configs.config_files import (
    UnreadableConfigurationError,
    Wishes,
    setup_of_file,
    setup_of_run,
    unread_settings,
)
from diagnostics.runlog import RunLog
from trainer.tasks import TASKS


def written(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("name", "text", "algorithm", "producer"),
    [
        ("a.toml", 'num_generations = 8\ntask = "addition"', "grpo", "rlvitals"),
        ("a.toml", "num_ppo_epochs = 4", "ppo", "rlvitals"),
        ("a.json", '{"output_dir": "out", "num_generations": 8, "beta": 0.0}', "grpo", "trl"),
        ("a.json", '{"output_dir": "out", "num_ppo_epochs": 4, "response_length": 53}', "ppo", "trl"),
        ("a.json", '{"ppo_epochs": 4, "init_kl_coef": 0.2, "adap_kl_ctrl": true}', "ppo-legacy", "trl"),
        ("a.yaml", "actor_rollout_ref:\n  rollout: {n: 8}\nalgorithm: {adv_estimator: grpo}", "grpo", "verl"),
        ("a.yaml", "actor_rollout_ref:\n  rollout: {n: 1}\nalgorithm: {adv_estimator: gae}", "ppo", "verl"),
        ("a.yml", "actor_learning_rate: 5e-7\nadvantage_estimator: group_norm", "grpo", "openrlhf"),
        ("a.toml", 'something = "else"', "unknown", "rlvitals"),
        ("run.json", '{"algorithm": "ppo", "config": {"task": "remarks"}, "run_id": "x"}', "ppo", "rlvitals"),
    ],
)
def test_whom_a_configuration_is_for_is_told_by_its_names(tmp_path, name, text, algorithm, producer) -> None:
    setup = setup_of_file(written(tmp_path / name, text))
    assert (setup.algorithm, setup.producer) == (algorithm, producer)


def test_the_user_knows_better(tmp_path: Path) -> None:
    path = written(tmp_path / "a.json", '{"beta": 0.04}')
    setup = setup_of_file(path, Wishes(algorithm="grpo", producer="trl", version="0.18.2", device_gib=80))
    assert (setup.algorithm, setup.version, setup.device_gib) == ("grpo", (0, 18, 2), 80)


def test_a_configuration_of_wandb_is_unwrapped(tmp_path: Path) -> None:
    text = "_wandb:\n  value: {cli_version: x}\nnum_generations:\n  value: 8\n  desc: null\n"
    assert setup_of_file(written(tmp_path / "config.yaml", text)).config == {"num_generations": 8}


def test_settings_that_no_check_reads_are_kept_and_said(tmp_path: Path) -> None:
    setup = setup_of_file(written(tmp_path / "a.toml", 'beta = 0.04\nmy_own = 1\n[nested]\ndeep = "x"'))
    assert unread_settings(setup) == ("my_own", "nested.deep")
    assert setup.config["nested.deep"] == "x"


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("training_args.bin", b"\x80\x04", "is a pickle, and reading one runs what it holds"),
        ("notes.txt", b"hello", "is no configuration that is understood"),
        ("a.toml", b"= 1", "is not TOML"),
        ("a.json", b"{", "is not JSON"),
        ("a.yaml", b"a: [", "is not YAML"),
        ("a.json", b"[1]", "holds no settings"),
        ("a.json", b"\xff\xfe", "is not JSON"),
    ],
)
def test_what_is_no_configuration_is_refused_in_one_sentence(tmp_path, name, content, said) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(UnreadableConfigurationError, match=said) as refusal:
        setup_of_file(tmp_path / name)
    assert "\n" not in str(refusal.value)


def test_a_missing_file_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(UnreadableConfigurationError, match=r"cannot read .*No such file"):
        setup_of_file(tmp_path / "nowhere.toml")


def test_without_pyyaml_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(UnreadableConfigurationError, match="pip install PyYAML, or give TOML or JSON"):
        setup_of_file(written(tmp_path / "a.yaml", "a: 1"))


def test_the_model_of_a_demo_task_is_known_and_one_of_the_hub_is_not(tmp_path: Path) -> None:
    demo = setup_of_file(written(tmp_path / "a.toml", 'task = "remarks"\nnum_ppo_epochs = 4'))
    assert 3e5 < demo.model.parameters < 5e5
    hub = setup_of_file(written(tmp_path / "b.toml", 'model_name_or_path = "openai-community/gpt2"'))
    assert hub.model.parameters is None


def test_a_named_model_folder_wins(tmp_path: Path) -> None:
    folder = TASKS["addition"].checkpoint
    path = written(tmp_path / "a.json", json.dumps({"output_dir": "x", "model_name_or_path": "some/model"}))
    assert setup_of_file(path).model.generation is None
    assert setup_of_file(path, Wishes(model=str(folder))).model.generation["top_k"] == 0


def test_a_run_tells_how_many_answers_were_cut_off_lately(tmp_path: Path) -> None:
    with RunLog(tmp_path / "a", algorithm="grpo", config={"task": "addition"}, total=90) as log:
        for step in range(1, 91):
            log.log(step, {"reward": 0.5, "completions/clipped_ratio": 1.0 if step <= 40 else 0.25})
    with RunLog(tmp_path / "b", algorithm="grpo", config={"task": "addition"}, total=1) as log:
        log.log(1, {"reward": 0.5})
    assert [setup_of_run(open_run(tmp_path / name)).cut_off for name in ("a", "b")] == [0.25, None]


def test_the_settings_of_a_run_stand_beside_its_verdict_and_do_not_change_it(tmp_path: Path) -> None:
    config = {"temperature": 0.1, "num_generations": 8, "learning_rate": 1e-4, "task": "addition"}
    with RunLog(tmp_path / "a", algorithm="grpo", config=config, total=2) as log:
        log.log(1, {"reward": 0.5})
    run = open_run(tmp_path / "a")
    assert setup_of_run(run).algorithm == "grpo"
    diagnosis = diagnose(run)
    assert [outcome.rule for outcome in diagnosis.preflight if outcome.severity == "critical"] == ["pf-greedy"]
    assert diagnosis.verdict != "critical"
    assert all(not outcome.rule.startswith("pf-") for outcome in diagnosis.outcomes)


def test_of_a_run_that_logs_no_settings_nothing_is_assumed(tmp_path: Path) -> None:
    with RunLog(tmp_path / "a", algorithm="grpo", config={}, total=2) as log:
        log.log(1, {"reward": 0.5})
    outcomes = diagnose(open_run(tmp_path / "a")).preflight
    assert {outcome.verdict for outcome in outcomes if outcome.rule in ("pf-greedy", "pf-lr-range")} == {"skipped"}
    assert not [outcome.rule for outcome in outcomes if outcome.severity in ("warning", "critical")]
