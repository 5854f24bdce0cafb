"""Tests of the commands that list and explain: rules, metrics, causes, formats, explain, runs and export."""

import csv
import io
import json
from pathlib import Path

import pytest

from diagnostics.causes import CATALOG as CAUSES
from diagnostics.causes import FORMER_NAMES
from diagnostics.model.vocabulary import METRICS
from diagnostics.report.catalogue import pages_about
from diagnostics.rules import CATALOG, RUN_RULES, SAMPLE_RULES

FIXTURES = Path(__file__).parents[2] / "fixtures" / "trl"


def test_rules_lists_every_rule_by_its_code(rlvitals) -> None:
    rows = json.loads(rlvitals("rules", "--format", "json").stdout)["rules"]
    rules = (*RUN_RULES, *SAMPLE_RULES)
    assert [row["code"] for row in rows] == sorted(rule.code for rule in rules)
    assert {row["rule"] for row in rows} == {rule.name for rule in rules}


def test_metrics_and_causes_list_their_whole_catalogue(rlvitals) -> None:
    metrics = json.loads(rlvitals("metrics", "--format", "json").stdout)["metrics"]
    causes = json.loads(rlvitals("causes", "--format", "json").stdout)["causes"]
    assert [row["name"] for row in metrics] == [metric.name for metric in METRICS]
    assert [row["cause"] for row in causes] == [entry.name for entry in CAUSES]


def test_formats_names_both_axes(rlvitals) -> None:
    rows = json.loads(rlvitals("formats", "--format", "json").stdout)["formats"]
    assert {"rlvitals", "tensorboard"} <= {row["name"] for row in rows if row["kind"] == "file format"}
    assert {"trl-grpo", "trl-legacy"} <= {row["name"] for row in rows if row["kind"] == "producer"}


@pytest.mark.parametrize(
    ("name", "kind", "said"),
    [
        ("kl-negative", "rule", "RV301"),
        ("rv301", "rule", "kl-negative"),
        ("drastic-updates", "cause", "ratio-far-from-one"),
        ("kl", "metric", "kl_per_token"),
        ("train/objective/kl", "metric", "kl_per_sequence"),
        ("ppo/policy/clipfrac", "metric", "clip_fraction"),
        ("rewards/accuracy/mean", "metric", "reward_func_mean"),
        ("kl_per_token", "metric", "nats/token"),
    ],
)
def test_explain_finds_rules_causes_and_metrics_by_any_of_their_names(
    rlvitals, name: str, kind: str, said: str
) -> None:
    shown = rlvitals("explain", name)
    assert shown.returncode == 0
    assert f"({kind})" in shown.stdout.splitlines()[0]
    assert said in shown.stdout


@pytest.mark.parametrize(("former", "present"), FORMER_NAMES.items())
def test_explain_knows_the_former_names_of_causes(rlvitals, former: str, present: str) -> None:
    (page,) = json.loads(rlvitals("explain", former, "--format", "json").stdout)["pages"]
    assert (page["name"], page["formerly"]) == (present, [former])


def test_explain_names_the_slip_of_the_documents(rlvitals) -> None:
    (page,) = json.loads(rlvitals("explain", "objective/rlhf_reward", "--format", "json").stdout)["pages"]
    assert page["formula"] == "score + non_score_reward"
    assert "score - non_score_reward" in page["documents_slip"]


@pytest.mark.parametrize("name", [*(rule.name for rule in CATALOG), *(entry.name for entry in CAUSES)])
def test_every_rule_and_cause_has_a_page_with_its_source(name: str) -> None:
    (page,) = pages_about(name)
    assert page.sentence
    assert page.facts["Source"]
    assert all(page.sections.values())


def test_an_unknown_name_gets_the_nearest_one(rlvitals) -> None:
    refused = rlvitals("explain", "kl-negativ")
    assert refused.returncode == 2
    assert "there is no rule, cause or metric called 'kl-negativ'; did you mean 'kl-negative'?" in refused.stderr


def test_runs_lists_what_it_finds_and_says_what_it_cannot_read(rlvitals, healthy_run: Path, nan_run: Path) -> None:
    shown = rlvitals("runs", "runs", "nowhere", "--format", "json")
    report = json.loads(shown.stdout)
    assert shown.returncode == 2
    assert [(run["name"], run["algorithm"], run["state"]) for run in report["runs"]] == [
        ("healthy", "grpo", "finished"),
        ("nan", "ppo", "finished"),
    ]
    assert report["errors"] == [{"path": "nowhere", "error": "nowhere does not exist"}]


def test_two_trainings_in_one_trl_folder_are_two_runs(rlvitals) -> None:
    runs = json.loads(rlvitals("runs", FIXTURES / "grpo116", "--format", "json").stdout)["runs"]
    assert [(run["producer"], run["producer_version"], run["algorithm"]) for run in runs] == [
        ("trl", "1.16.0", "grpo")
    ] * 2


def test_export_writes_every_point_with_nan_kept(rlvitals, nan_run: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(rlvitals("export", nan_run).stdout)))
    losses = [row for row in rows if row["tag"] == "loss/value_avg"]
    assert [int(row["step"]) for row in losses] == list(range(1, 41))
    assert {row["value"] for row in losses[19:]} == {"NaN"}
    assert [float(row["value"]) for row in losses[:19]] == [1 / step for step in range(1, 20)]


def test_export_as_jsonl_and_parquet_holds_the_same_records(rlvitals, nan_run: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    lines = [json.loads(line) for line in rlvitals("export", nan_run, "--format", "jsonl").stdout.splitlines()]
    assert rlvitals("export", nan_run, "--format", "parquet", "--output", "run.parquet").returncode == 0
    table = parquet.read_table(tmp_path / "run.parquet").to_pylist()
    keys = ("metric", "tag", "step", "replaced")
    assert [[row[key] for key in keys] for row in table] == [[line[key] for key in keys] for line in lines]


def test_export_of_several_runs_asks_for_one(rlvitals, healthy_run: Path, nan_run: Path) -> None:
    refused = rlvitals("export", "runs")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "runs/nan" in refused.stderr
