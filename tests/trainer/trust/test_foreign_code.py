"""What a configuration would execute, found without executing it."""

import hashlib
import json
import os
from pathlib import Path

import pytest

from trainer.config.algorithms import make_config
from trainer.launch.arguments import read_plan
from trainer.launch.resuming import ENGINE_FOLDER, STATE_FILE
from trainer.trust import foreign_code
from trainer.trust.foreign_code import ForeignCode, Kind, code_in, code_of_plan, code_of_tokenizer_and_data


def code_of(**values: object) -> tuple[ForeignCode, ...]:
    return code_in(make_config("grpo", values))


def found(**values: object) -> list[tuple[Kind, str]]:
    return [(code.kind, code.place) for code in code_of(**values)]


def model(folder: Path, config: object = None, **files: str) -> Path:
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps(config or {"model_type": "gpt2"}))
    for name, content in files.items():
        (folder / name.replace("__", ".")).write_text(content)
    return folder


def test_a_demo_task_and_the_built_in_rewards_execute_nothing_foreign(tmp_path: Path) -> None:
    assert found(task="addition", reward_funcs=["addition_accuracy", r"regex:a.py:b", "random:7"]) == []
    assert found(model_name_or_path=str(model(tmp_path / "m", model__safetensors="x")), task="addition") == []


def test_a_reward_file_is_named_with_the_hash_that_sha256sum_prints_and_its_first_line(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("import os  # first\ndef f(completions, **columns): ...\n")
    (code,) = code_of(reward_funcs=[f"{file}:f"])
    assert (code.kind, code.place, code.beginning) == (Kind.REWARD_FILE, str(file), "import os  # first")
    assert (code.sha256, code.size) == (hashlib.sha256(file.read_bytes()).hexdigest(), file.stat().st_size)


def test_what_a_reward_file_imports_from_beside_it_counts_and_its_neighbours_do_not(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("def f(completions, **columns):\n    from counting.words import count\n")
    (tmp_path / "counting").mkdir()
    (tmp_path / "counting" / "words.py").write_text("import helpers\n")
    (tmp_path / "helpers.py").write_text("")
    (tmp_path / "neighbour.py").write_text("")
    name = f"{file}:f"
    (before,) = code_of(reward_funcs=[name])
    (tmp_path / "neighbour.py").write_text("changed = True\n")
    assert code_of(reward_funcs=[name]) == (before,)
    (tmp_path / "helpers.py").write_text("changed = True\n")
    assert code_of(reward_funcs=[name])[0].sha256 != before.sha256


def test_two_functions_of_one_file_are_one_piece_of_code(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("f = g = len\n")
    assert len(code_of(reward_funcs=[f"{tmp_path}/mine.py:f", f"{tmp_path}/mine.py:g"])) == 1


def test_the_python_of_a_models_folder_runs_only_with_trust_remote_code(tmp_path: Path) -> None:
    folder = model(tmp_path / "m", {"auto_map": {"AutoModelForCausalLM": "modeling.Mine"}}, modeling__py="x = 1\n")
    name = str(folder)
    assert found(model_name_or_path=name) == []
    assert found(model_name_or_path=name, trust_remote_code=True) == [(Kind.MODEL_CODE, name)]
    (before,) = code_of(model_name_or_path=name, trust_remote_code=True)
    (folder / "modeling.py").write_text("x = 2\n")
    assert code_of(model_name_or_path=name, trust_remote_code=True)[0].sha256 != before.sha256


def test_code_on_the_hub_is_named_by_model_and_revision_and_by_an_auto_map(tmp_path: Path) -> None:
    remote = {"model_name_or_path": "someone/model", "model_revision": "abc", "trust_remote_code": True}
    assert found(**remote) == [(Kind.HUB_CODE, "someone/model@abc")]
    folder = model(tmp_path / "m", {"auto_map": {"AutoModel": "other/repo--modeling.Mine", "x": [None, "a/b--c.D"]}})
    local = found(model_name_or_path=str(folder), trust_remote_code=True)
    assert local == [(Kind.HUB_CODE, "a/b"), (Kind.HUB_CODE, "other/repo")]
    assert found(attn_implementation="someone/kernel") == [(Kind.KERNEL, "someone/kernel")]


@pytest.mark.parametrize(
    ("files", "is_pickled"),
    [
        ({"pytorch_model__bin": "x"}, True),
        ({"pytorch_model__bin": "x", "model__safetensors": "y"}, False),
        ({"pytorch_model__bin__index__json": '{"weight_map": {"a": "part.pt"}}', "part__pt": "x"}, True),
        ({"model__safetensors__index__json": '{"weight_map": {"a": "part.pt"}}', "part__pt": "x"}, True),
        ({"model__safetensors__index__json": '{"weight_map": {"a": "p.safetensors"}}', "p__safetensors": "x"}, False),
        ({"training_args__bin": "x", "model__safetensors": "y"}, False),
        ({"adapter_config__json": "{}", "adapter_model__bin": "x", "model__safetensors": "y"}, True),
        ({"adapter_config__json": "{}", "adapter_model__safetensors": "x", "pytorch_model__bin": "y"}, False),
        ({"pytorch_model__bin__index__json": "[" * 100_000}, False),
    ],
)
def test_pickled_weights_are_those_that_would_be_loaded(
    tmp_path: Path, files: dict[str, str], is_pickled: bool
) -> None:
    folder = str(model(tmp_path / "m", **files))
    expected = [(Kind.PICKLED_WEIGHTS, folder)] if is_pickled else []
    assert found(model_name_or_path=folder) == expected
    assert found(reward_funcs=[f"reward_model:{folder}"]) == expected


def test_the_model_below_an_adapter_counts_too_and_a_circle_of_adapters_ends(tmp_path: Path) -> None:
    base = model(tmp_path / "base", modeling__py="x = 1\n", pytorch_model__bin="x")
    adapter = model(tmp_path / "adapter", adapter_config__json=json.dumps({"base_model_name_or_path": str(base)}))
    name = str(adapter)
    kinds = [kind for kind, place in found(model_name_or_path=name, trust_remote_code=True) if place == str(base)]
    assert kinds == [Kind.MODEL_CODE, Kind.PICKLED_WEIGHTS]
    (base / "adapter_config.json").write_text(json.dumps({"base_model_name_or_path": name}))
    assert found(model_name_or_path=name) == []


def test_a_tokenizer_needs_the_models_python_and_neither_its_weights_nor_rewards(tmp_path: Path) -> None:
    folder = model(tmp_path / "m", modeling__py="x = 1\n", pytorch_model__bin="x")
    (tmp_path / "mine.py").write_text("f = len\n")
    values = {"model_name_or_path": str(folder), "reward_funcs": [f"{tmp_path}/mine.py:f"], "trust_remote_code": True}
    config = make_config("grpo", {**values, "attn_implementation": "kernels-community/mine"})
    assert [code.kind for code in code_of_tokenizer_and_data(config)] == [Kind.MODEL_CODE]


def test_a_dataset_script_counts(tmp_path: Path) -> None:
    (tmp_path / "rows").mkdir()
    (tmp_path / "rows" / "rows.py").write_text("")
    assert found(dataset=str(tmp_path / "rows")) == [(Kind.DATASET_SCRIPT, str(tmp_path / "rows" / "rows.py"))]


def test_resuming_unpickles_deepspeeds_state_and_reads_our_own_as_plain_data(tmp_path: Path) -> None:
    run = tmp_path / "a"
    checkpoint = run / "checkpoints" / "step-4"
    checkpoint.mkdir(parents=True)
    (checkpoint / STATE_FILE).touch()
    described = {"algorithm": "grpo", "run_id": "1", "config": make_config("grpo", {}).to_dict()}
    (run / "run.json").write_text(json.dumps(described))
    assert code_of_plan(read_plan(["--resume", str(run)])) == ()
    (checkpoint / ENGINE_FOLDER).mkdir()
    (checkpoint / ENGINE_FOLDER / "zero_pp_rank_0.pt").write_text("x")
    (code,) = code_of_plan(read_plan(["--resume", str(run)]))
    assert (code.kind, code.place) == (Kind.PICKLED_STATE, str(checkpoint / ENGINE_FOLDER))


def test_special_and_endless_files_are_refused_rather_than_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(tmp_path / "mine.py")
    assert found(reward_funcs=[f"{tmp_path}/mine.py:f"]) == []  # no file: the training says so
    folder = model(tmp_path / "m", pytorch_model__bin="x" * 100)
    monkeypatch.setattr(foreign_code, "MOST_BYTES", 99)
    with pytest.raises(ValueError, match=r"pytorch_model\.bin would be run, but with 100 bytes it is too large"):
        found(model_name_or_path=str(folder))


def test_a_name_that_would_draw_on_a_terminal_is_escaped(tmp_path: Path) -> None:
    (tmp_path / "a\x1b[2Jb.py").write_text("")
    (code,) = code_of(reward_funcs=[f"{tmp_path}/a\x1b[2Jb.py:f"])
    assert "\x1b" not in str(code)
