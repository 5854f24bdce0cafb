"""A producer is one file: no other module names one, and adding one touches its file and its row alone."""

import ast
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import diagnostics
from diagnostics.producers.table import PRODUCERS

ROOT = Path(diagnostics.__file__).parents[1]
ROOMS = ("assemble", "causes", "configs", "detectors", "model", "readers", "report", "rules")
NAMED_FOR_A_REASON = {
    "model/vocabulary/sources.py": "the pages that define the metrics",
    "readers/base.py": "file formats are called after the programs that write them, and say what to install",
    "readers/run_folder.py": "folder names that tell nothing about a run, `trl` among them",
    "readers/samples/completions.py": "a column that AReaL alone writes",
    "readers/samples/trajectories.py": "a file format that ART alone writes",
    "readers/tables/rl4lms.py": "a file format that RL4LMs alone writes",
    "readers/tables/torchtune.py": "a file format that torchtune alone writes",
    "readers/run_directory/reader.py": "our own run directory says who wrote it",
    "readers/cache.py": "the folder of our own cache",
    "readers/run_parts.py": "the format of our own run directory",
    "report/html/page.py": "our own name in a page's title",
    "report/sarif.py": "our own name as the tool's",
}
"""Files whose code names a producer, and why."""

SAID_FOR_A_REASON = {
    "rules/not_judged.py": "cites the issues behind a check that was left out",
    "rules/run/legacy_batches_skipped.py": "is about what TRL's first PPOTrainer alone does",
    "rules/config/pf_completion_length.py": "names our own command",
    "rules/config/pf_double_bos.py": "names our own command",
    "rules/config/pf_reward_smoke.py": "names our own command",
    "rules/config/pf_stop_unsupported.py": "says whose trainer cannot be stopped",
    "rules/config/pf_template_not_prefix.py": "names our own command",
    "rules/config/pf_value_clip.py": "names our own command",
    "causes/remedies/infrastructure.py": "names the release in which a logged number was corrected, and its definition",
}
"""Rules and causes with sentences that name a producer other than as a source, and why."""

NAMES = {producer.name.lower() for producer in PRODUCERS} - {"unknown"} | {"nemo", "swift", "sb3"}
NAMED = re.compile(rf"(?<![a-z])({'|'.join(sorted(map(re.escape, NAMES), key=len, reverse=True))})(?![a-z])", re.I)


def modules() -> Iterator[tuple[str, ast.Module]]:
    for room in ROOMS:
        for path in sorted((ROOT / "diagnostics" / room).rglob("*.py")):
            yield path.relative_to(ROOT / "diagnostics").as_posix(), ast.parse(path.read_text("utf-8"))


def identifiers(tree: ast.Module) -> Iterator[str]:
    """Every name in the code, but for those that cite where a metric is defined: `source=…`."""
    cited = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.keyword) and node.arg == "source"}
    for node in ast.walk(tree):
        if id(node) in cited:
            continue
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name


def compared_texts(tree: ast.Module) -> Iterator[str]:
    """Every text without a space, as names in code are: sentences and citations are read by people, not compared."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and not re.search(r"\s", node.value):
            yield node.value


def cited_expressions(tree: ast.Module) -> Iterator[ast.expr]:
    """Where sources are cited: `source = …`, the third argument of a limit, the fifth of a remedy."""
    places = {"limit": 2, "Limit": 2, "Remedy": 4}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and any(isinstance(name, ast.Name) for name in node.targets):
            if node.targets[0].id in {"source", "FAQ"}:
                yield node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in places:
            yield from node.args[places[node.func.id] :]


def sentences(tree: ast.Module) -> Iterator[str]:
    """The texts of rules and causes that are neither documents nor citations."""
    documents = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    citations = {id(part) for place in cited_expressions(tree) for part in ast.walk(place)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documents | citations:
            yield node.value


def test_what_rules_and_causes_say_names_a_producer_for_a_reason_only() -> None:
    found = {
        name
        for name, tree in modules()
        if name.startswith(("rules/", "causes/")) and any(NAMED.search(text) for text in sentences(tree))
    }
    assert found == set(SAID_FOR_A_REASON)


def test_no_other_module_names_a_producer() -> None:
    found = {
        name
        for name, tree in modules()
        if any(NAMED.search(text) for text in compared_texts(tree))
        or any(set(identifier.lower().split("_")) & NAMES for identifier in identifiers(tree))
    }
    assert found == set(NAMED_FOR_A_REASON)


MADE_UP = """
from diagnostics.producers.producer import Producer
from diagnostics.producers.trainer import Caveat, Trainer, recognised_by, trains_only

TAGS = {"acme/kl": "kl_per_token", "acme/reward": "reward", "acme/update": "approx_kl", "acme/lr": "learning_rate"}
CAVEATS = (Caveat(("acme/kl",), "Acme counts in bits."),)
TRAINER = Trainer("acme-grpo", TAGS, recognised_by("acme/kl"), trains_only("grpo"), caveats=CAVEATS)
PRODUCER = Producer(
    "acme",
    (TRAINER,),
    settings={
        "learning_rate": ("hyper.speed",),
        "kl_weight": ("hyper.tether",),
        "num_generations": ("hyper.siblings",),
    },
    defaults={"grpo": (((), {"num_generations": 2, "temperature": 1.0}),)},
    recognise_config=lambda config, path: 1.0 if "hyper.speed" in config else 0.0,
    algorithm_marks={"grpo": frozenset({"hyper.siblings"})},
)
"""


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package with one more producer: its file, and its row in the table."""
    copy = tmp_path_factory.mktemp("house")
    shutil.copytree(ROOT / "diagnostics", copy / "diagnostics", ignore=shutil.ignore_patterns("__pycache__"))
    producers = copy / "diagnostics" / "producers"
    (producers / "acme.py").write_text(MADE_UP)
    table = producers / "table.py"
    row = table.read_text("utf-8").replace("    unknown.PRODUCER,\n", "    acme.PRODUCER,\n    unknown.PRODUCER,\n")
    table.write_text(row.replace("import (\n", "import (\n    acme,\n", 1), "utf-8")
    return copy


def rlvitals(house: Path, *words: str) -> Any:
    code = f"import sys; sys.path.insert(0, {str(house)!r}); from diagnostics.cli import main; main(sys.argv[1:])"
    command = [sys.executable, "-P", "-c", code, *words, "--format", "json"]
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)


@pytest.mark.process
def test_a_made_up_producers_log_is_understood_and_its_fix_is_in_its_own_words(house: Path, tmp_path: Path) -> None:
    log = tmp_path / "metrics.jsonl"
    rows = [
        {"step": step, "acme/kl": 0.01 * step, "acme/update": 3.0, "acme/reward": 0.01 * step, "acme/lr": 1e-3}
        for step in range(1, 40)
    ]
    log.write_text("".join(json.dumps(row) + "\n" for row in rows))
    (run,) = rlvitals(house, "diagnose", str(log))["runs"]

    assert (run["producer"], run["algorithm"]) == ("acme", "grpo")
    assert run["data_health"]["unmapped_tags"] == []
    parameters = {fix["parameter"] for cause in run["causes"] for fix in cause["fixes"]}
    assert "hyper.speed" in parameters
    assert "learning_rate" not in parameters


@pytest.mark.process
def test_a_made_up_producers_configuration_is_judged_in_its_own_words(house: Path, tmp_path: Path) -> None:
    config = tmp_path / "run.json"
    config.write_text(json.dumps({"hyper": {"speed": 0.1, "tether": 0.0}}))
    (review,) = rlvitals(house, "preflight", str(config), "--algorithm", "grpo")["configurations"]

    assert review["producer"] == "acme"
    fired = {outcome["rule"]: outcome for outcome in review["preflight"]}
    assert fired["pf-lr-range"]["parameters"] == ["hyper.speed"]
    assert fired["pf-group-size"]["parameters"] == ["hyper.siblings"]
    assert fired["pf-kl-off"]["fixes"][0]["parameter"] == "hyper.tether"


@pytest.mark.process
def test_a_made_up_producers_names_and_caveats_are_listed(house: Path) -> None:
    listed = {row["name"]: row for row in rlvitals(house, "formats")["formats"]}
    assert listed["acme-grpo"]["title"] == "4 names of acme"
