"""Tests of launch recipes: what the file may hold, what a value may be, and the command that comes of both."""

import json
import re
import sys
from pathlib import Path

import pytest

from trainer.launch import LaunchError
from trainer.launch.recipes import LaunchRecipe, load_recipes, recipe_named

RECIPE = """
[recipe.mine]
command = [
  "{{python}}", "train.py", "--lr={{learning_rate}}", "--note", "{{note}}",
  "{{run_dir}}", "{{data}}", "{{fast}}", "{{n}}",
]
environment = {{ OMP_NUM_THREADS = "1" }}
[recipe.mine.parameters]
learning_rate = {{ type = "float", min = 0, max = 0.1, default = 1e-5, help = "Step size." }}
note = {{ type = "str", pattern = "[a-z $;]+", default = "none" }}
data = {{ type = "path", roots = ["data"], default = "{data}" }}
fast = {{ type = "bool", default = true }}
n = {{ type = "choice", choices = ["1", "2"] }}
"""


@pytest.fixture
def recipe(tmp_path: Path) -> LaunchRecipe:
    return load_recipes(written(tmp_path, RECIPE.format(data=tmp_path / "data" / "a.jsonl")))["mine"]


def written(folder: Path, text: str) -> Path:
    file = folder / "recipes.toml"
    file.write_text(text)
    return file


def test_values_become_whole_words_that_no_shell_reads(recipe: LaunchRecipe, tmp_path: Path) -> None:
    given = {"n": "2", "note": "a; rm $x", "learning_rate": "0.001", "fast": "False"}
    assert recipe.argv(given, tmp_path / "run") == (
        *(sys.executable, "train.py", "--lr=0.001", "--note", "a; rm $x"),
        *(str(tmp_path / "run"), str(tmp_path / "data" / "a.jsonl"), "false", "2"),
    )
    spec = recipe.spec(given, tmp_path / "run", "cpu")
    assert (spec.cwd, spec.run_dir, spec.recipe, spec.given) == (tmp_path, tmp_path / "run", "mine", given)
    assert spec.environment["OMP_NUM_THREADS"] == "1"


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({}, "the recipe mine needs n: one of 1, 2"),
        ({"n": "3"}, "n must be one of 1, 2, but is '3'"),
        ({"n": "1", "learning_rate": "1"}, "learning_rate must be a number from 0 to 0.1, but is '1'"),
        ({"n": "1", "learning_rate": "nan"}, "learning_rate must be a number from 0 to 0.1, but is 'nan'"),
        ({"n": "1", "note": "--flag"}, "note must be text that fits"),
        ({"n": "1", "note": "a\n"}, "note must be at most 1000 printable characters"),
        ({"n": "1", "note": "-a"}, "note must be text that fits"),
        ({"n": "1", "data": "/etc/passwd"}, "data must be a path below"),
        ({"n": "1", "data": "data/../../x"}, "data must be a path below"),
        ({"n": "1", "fast": "maybe"}, "fast must be true or false, but is 'maybe'"),
        ({"n": "1", "learning_rates": "1"}, "has no parameter 'learning_rates'; did you mean 'learning_rate'?"),
        ({"n": "1", "run_dir": "/"}, "has no parameter 'run_dir'"),
    ],
)
def test_a_value_out_of_bounds_is_refused_in_a_sentence(
    recipe: LaunchRecipe, given: dict[str, str], why: str, tmp_path: Path
) -> None:
    with pytest.raises(LaunchError) as refusal:
        recipe.argv(given, tmp_path)
    assert why in str(refusal.value)


def test_a_link_that_leads_out_of_the_roots_is_refused(recipe: LaunchRecipe, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "out").symlink_to("/etc")
    with pytest.raises(LaunchError, match="data must be a path below"):
        recipe.argv({"n": "1", "data": str(tmp_path / "data" / "out" / "passwd")}, tmp_path)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "it names no recipe"),
        ("x = 1", "the file has no 'x'"),
        ("[recipe.a]", "recipe a: command is no list of words"),
        ('[recipe.a]\ncommand = "python train.py"', "recipe a: command is no list of words"),
        ('[recipe.a]\ncommand = ["x"]\ncmd = 1', "recipe a has no 'cmd'"),
        ('[recipe.a]\ncommand = ["{lr}"]', "recipe a: nothing fills {lr}"),
        ('[recipe.a]\ncommand = ["x"]\n[recipe.a.parameters]\nlr = {type = "bool"}', "has no place {lr}"),
        ('[recipe.a]\ncommand = ["{lr}"]\n[recipe.a.parameters]\nlr = {type = "float", min = 0}', "needs its bounds"),
        (
            '[recipe.a]\ncommand = ["{lr}"]\n[recipe.a.parameters]\nlr = {type = "real"}',
            "its type is one of float, int",
        ),
        (
            '[recipe.a]\ncommand = ["{lr}"]\n[recipe.a.parameters]\nlr = {type = "int", min = 0, max = 1, default = 2}',
            "its default is out of its own bounds",
        ),
        ('[recipe.a]\ncommand = ["{x}"]\n[recipe.a.parameters]\nx = {type = "str", pattern = "("}', "no regular"),
        ('[recipe."a b"]\ncommand = ["x"]', "'a b' is no name of a recipe"),
        ('[recipe.a]\ncommand = ["x"]\nslot = "gpu"\nslurm = {}', "it runs in one place"),
        ('[recipe.a]\ncommand = ["x"]\nslurm = {gpus = 1}', "recipe a, slurm has no 'gpus'"),
        ('[recipe.a]\ncommand = ["x"]\nslurm = {nodes = true}', "nodes is neither text nor a whole number"),
        ('[recipe.a]\ncommand = ["x"]\nslurm = {time = "soon"}', "recipe a, slurm: time must be minutes"),
        ('[recipe.a]\ncommand = ["x"]\nslurm = {nodes = "{n}"}', "recipe a: nothing fills {n}"),
        ("recipe = 3", "it names no recipe"),
        ("[recipe", "is not used: "),
    ],
)
def test_a_file_that_is_wrong_says_where(text: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(LaunchError) as refusal:
        load_recipes(written(tmp_path, text))
    assert why in str(refusal.value)


def test_what_is_asked_of_a_cluster_may_be_a_parameter_within_its_bounds(tmp_path: Path) -> None:
    text = """
    [recipe.a]
    command = ["train", "{run_dir}"]
    environment = { WANDB_MODE = "offline" }
    slurm = { nodes = "{nodes}", time = "{hours}:00:00", partition = "h100", gpus_per_node = 8 }
    [recipe.a.parameters]
    nodes = { type = "int", min = 1, max = 4, default = 1 }
    hours = { type = "str", pattern = ".*", default = "2" }
    """
    recipe = load_recipes(written(tmp_path, text))["a"]
    spec = recipe.spec({"nodes": "2"}, tmp_path / "run", "cpu")
    assert (spec.executor, spec.words) == ("slurm", ("train", str(tmp_path / "run")))
    asked, folder, *command = spec.argv[-4:]
    resources = {"nodes": "2", "time": "2:00:00", "partition": "h100", "gpus_per_node": "8"}
    environment = {"WANDB_MODE": "offline"}
    assert json.loads(asked) == {"resources": resources, "environment": environment, "again": [], "begun": None}
    assert (folder, tuple(command)) == (str(tmp_path / "run"), spec.words)
    with pytest.raises(LaunchError, match="nodes must be a whole number from 1 to 4, but is '9'"):
        recipe.spec({"nodes": "9"}, tmp_path / "run", "cpu")
    with pytest.raises(LaunchError, match="the recipe a: time must be minutes, or D-HH:MM:SS, not 'x:00:00'"):
        recipe.spec({"hours": "x"}, tmp_path / "run", "cpu")


def test_a_file_that_others_can_change_is_not_used(tmp_path: Path) -> None:
    file = written(tmp_path, '[recipe.a]\ncommand = ["x"]')
    assert list(load_recipes(file)) == ["a"]
    file.chmod(0o666)
    with pytest.raises(LaunchError, match="others can change it, and it says what may be started"):
        load_recipes(file)


def test_without_a_file_there_are_none_and_a_named_one_must_be_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert load_recipes() == {}
    monkeypatch.setenv("RLVITALS_RECIPES", str(tmp_path / "none.toml"))
    with pytest.raises(LaunchError, match=r"none\.toml cannot be read"):
        load_recipes()
    with pytest.raises(LaunchError, match="has no recipe 'b'"):
        recipe_named("b", written(tmp_path, '[recipe.a]\ncommand = ["x"]'))


def test_the_ready_recipes_are_complete() -> None:
    ready = Path(load_recipes.__globals__["__file__"]).parent / "ready"
    recipes = load_recipes(ready / "recipes.toml")
    assert list(recipes) == ["trl-grpo", "trl-rloo", "trl-ppo"]
    for recipe in recipes.values():
        given = {"dataset": str(Path.home() / "prompts.jsonl"), "reward_model_path": "some/model"}
        own = {name: value for name, value in given.items() if name in recipe.parameters}
        script = recipe.argv(own, Path("run"))[1]
        assert Path(script).exists()


def test_the_recipe_of_the_guide_is_one(tmp_path: Path) -> None:
    guide = Path(__file__).parents[4] / "docs" / "guide" / "recipes.md"
    text, _on_a_cluster = re.findall(r"```toml\n(.*?)```", guide.read_text("utf-8"), re.S)
    recipe = load_recipes(written(tmp_path, text))["mine"]
    assert recipe.argv({"learning_rate": "1e-5"}, tmp_path / "run")[:5] == (
        *("accelerate", "launch", "train_grpo.py", "--learning_rate", "1e-05"),
    )
    assert recipe.slot == "gpu"
