"""Tests of the commands that list and explain: rules, metrics, causes, formats, explain, runs and export."""

import csv
import io
import json
import math
from pathlib import Path
from xml.etree import ElementTree

import pytest

from diagnostics.annotations import Annotations
from diagnostics.catalogue import pages_about
from diagnostics.causes import CATALOG as CAUSES
from diagnostics.causes import FORMER_NAMES
from diagnostics.model.vocabulary import METRICS
from diagnostics.rules import CATALOG, RUN_RULES, SAMPLE_RULES
from diagnostics.runlog import EVENTS_FILE, RunLog

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


@pytest.mark.parametrize("name", sorted({rule.name for rule in CATALOG} | {entry.name for entry in CAUSES}))
def test_every_rule_and_cause_has_a_page_with_its_source(name: str) -> None:
    """A cause may be called like the rule that shows it."""
    pages = pages_about(name)
    assert len({page.kind for page in pages}) == len(pages) > 0
    for page in pages:
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


def broken_run(folder: Path, broken_from: int, seconds: int) -> None:
    """A run of 40 steps, each of which takes so many seconds, whose value loss is NaN from one of them on."""
    with RunLog(folder, algorithm="ppo") as log:
        for step in range(1, 41):
            loss = math.nan if step >= broken_from else 0.1
            log.log(step, {"objective/scores": step / 40, "loss/value_avg": loss})
    events = folder / EVENTS_FILE
    rows = [json.loads(line) | {"time": 1e9 + seconds * step} for step, line in enumerate(events.open(), start=1)]
    events.write_text("".join(json.dumps(row) + "\n" for row in rows))


def test_runs_are_sorted_by_what_they_cost_after_the_onset(rlvitals, tmp_path: Path) -> None:
    broken_run(tmp_path / "runs" / "a-healthy", broken_from=99, seconds=600)
    broken_run(tmp_path / "runs" / "b-quick", broken_from=11, seconds=60)
    broken_run(tmp_path / "runs" / "c-slow", broken_from=31, seconds=600)
    plain = json.loads(rlvitals("runs", "runs", "--format", "json").stdout)["runs"]
    by_cost = json.loads(rlvitals("runs", "runs", "--sort", "cost", "--format", "json").stdout)["runs"]

    assert [run["name"] for run in plain] == ["a-healthy", "b-quick", "c-slow"]
    assert [run["name"] for run in by_cost] == ["c-slow", "b-quick", "a-healthy"]
    assert [run["cost"] and (run["cost"]["steps"], run["cost"]["hours"]) for run in by_cost] == [
        (9, 1.5),
        (29, 29 / 60),
        None,
    ]
    shown = rlvitals("runs", "runs", "--sort", "cost").stdout.splitlines()
    assert shown[0].split()[:2] == ["Cost", "State"]
    assert "cost" not in plain[0]


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


def test_runs_that_are_called_alike_are_told_apart_by_their_folders(rlvitals, grpo_run, tmp_path: Path) -> None:
    for seed in ("seed-1", "seed-2"):
        grpo_run(tmp_path / "runs" / seed / "out", truncated=0.02)
    shown = rlvitals("runs", "runs", "--format", "json")
    rows = json.loads(shown.stdout)["runs"]
    assert [(row["name"], row["distinct_name"]) for row in rows] == [("out", "seed-1/out"), ("out", "seed-2/out")]
    assert "seed-1/out" in rlvitals("runs", "runs").stdout


def test_a_filter_lists_the_runs_that_fit_and_says_what_would_where_none_does(
    rlvitals, healthy_run: Path, cut_off_run: Path
) -> None:
    def names(*words: str) -> list[str]:
        return [row["name"] for row in json.loads(rlvitals("runs", "runs", *words, "--format", "json").stdout)["runs"]]

    assert names("--filter", "verdict:critical learning_rate>=1e-4") == ["cut-off"]
    assert names("--filter=-verdict:critical") == ["healthy"]
    assert names("--filter", "learning_rate>1") == []
    shown = rlvitals("runs", "runs", "--filter", "learning_rat>0")
    assert (shown.returncode, shown.stdout) == (0, "")
    assert shown.stderr == "No run has a setting learning_rat; did you mean learning_rate?\n"


def test_a_filter_that_cannot_be_read_is_told(rlvitals, healthy_run: Path) -> None:
    shown = rlvitals("runs", "runs", "--filter", "verdict:")
    assert (shown.returncode, shown.stdout) == (2, "")
    assert "--filter: “verdict:” lacks a value" in shown.stderr


def test_tags_are_listed_and_archived_runs_fit_a_filter_that_asks_for_them(
    rlvitals, healthy_run: Path, cut_off_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    Annotations.of_user().tag([healthy_run], "paper")
    Annotations.of_user().archive([cut_off_run])

    def rows(*words: str) -> dict[str, tuple[list[str], bool]]:
        shown = json.loads(rlvitals("runs", "runs", *words, "--format", "json").stdout)["runs"]
        return {row["name"]: (row["tags"], row["is_archived"]) for row in shown}

    assert rows() == {"cut-off": ([], True), "healthy": (["paper"], False)}
    assert rows("--filter", "grpo") == {"healthy": (["paper"], False)}
    assert rows("--filter", "is:archived") == {"cut-off": ([], True)}


def test_export_writes_samples_and_a_chart_as_a_picture_of_its_own(rlvitals, nan_run: Path, tmp_path: Path) -> None:
    (nan_run / "samples.jsonl").write_text('{"step": 1, "query": "=q", "response": "r", "score": NaN}\n')
    sample = json.loads(rlvitals("export", nan_run, "--samples").stdout)
    assert (sample["step"], sample["query"], sample["score"]) == (1, "=q", "NaN")
    assert "their text is none for a spreadsheet" in rlvitals("export", nan_run, "--samples", "--format", "csv").stderr

    assert rlvitals("export", nan_run, "--chart", "loss/value_avg", "--output", "loss.svg").returncode == 0
    picture = ElementTree.parse(tmp_path / "loss.svg").getroot()
    words = [element.text for element in picture.iter() if element.text]
    assert any("NaN ×21" in text for text in words)
    assert picture.tag == "{http://www.w3.org/2000/svg}svg"
    assert not [element for element in picture.iter() if element.tag.endswith("script")]
    assert "did you mean 'loss/value_avg'?" in rlvitals("export", nan_run, "--chart", "loss/value_av").stderr
