"""The detection benchmark counts what it says it counts, and its committed page matches its committed results."""

import json
import math
import os
import re
import shutil
from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from benchmarks.detecting.averaging import average
from benchmarks.detecting.cells import PARTS, Cell, cells, controls_of, read_corpus
from benchmarks.detecting.expected import read_expected
from benchmarks.detecting.intervals import poisson_upper, t_test, wilson
from benchmarks.detecting.missed_faults import with_reasons
from benchmarks.detecting.pages import ENGINE_PAGE, FAULTS_PAGE, PAGES, RESULTS
from benchmarks.detecting.prompts import rows_around_switch
from benchmarks.detecting.replay import Episode, episodes, outcomes_by_step, up_to
from benchmarks.detecting.result_cache import JUDGING, judge_runs, sources_of
from benchmarks.detecting.scores import early_alarms, false_alarms, score_sick_runs
from benchmarks.detecting.training import is_trained, run_folder, train_missing
from benchmarks.detection import judged_before, write
from benchmarks.trl_runs.faults import FAULTS as FAULTS_OF_TRL
from diagnostics.api import diagnose, open_run
from diagnostics.causes.catalog import CATALOG as CAUSES
from diagnostics.model.outcome import Severity, Verdict
from diagnostics.rules import CATALOG as RULES
from trainer.config.options.rollout_engine import CORRECTIONS
from trainer.faults import FAULTS
from trainer.faults import engine as engine_faults
from trainer.launch.arguments import read_plan

ROOT = Path(__file__).resolve().parents[2]
SICK = ROOT / "sample_runs" / "negative-kl"
ALL = [cell for part in PARTS for cell in cells(part)]
INFO, WARNING, CRITICAL = Severity


def test_every_fault_has_its_right_answers_and_they_exist() -> None:
    assert set(read_expected()) == {*FAULTS, *FAULTS_OF_TRL}
    named = {rule for expected in read_expected().values() for rule in expected.rules}
    assert named - {rule.name for rule in RULES} == set()
    assert {cause for e in read_expected().values() for cause in e.causes} - {c.name for c in CAUSES} == set()


def test_the_true_cause_that_the_library_of_faults_names_is_right() -> None:
    assert [name for name, fault in FAULTS.items() if fault.cause not in read_expected()[name].causes] == []


def test_the_parts_share_no_seed_and_no_run() -> None:
    parts = [read_corpus()["parts"][part] for part in PARTS]
    seeds = [seed for part in parts for seed in (*part["seeds"], *part.get("healthy_seeds", ()))]
    assert len(set(seeds)) == len(seeds)
    assert len({cell.name for cell in ALL}) == len(ALL)


def test_every_cell_describes_a_training_that_the_trainer_accepts() -> None:
    one_seed = [cell for cell in ALL if cell.seed in (42, 101, 201)]
    plans = [read_plan([cell.algorithm, "--recipe", f"{cell.algorithm}-{cell.task}", *cell.words]) for cell in one_seed]
    assert [(plan.config.total_steps, plan.config.task) for plan in plans] == [(c.steps, c.task) for c in one_seed]


def test_a_run_of_another_task_does_not_count_as_trained(tmp_path: Path) -> None:
    cell = cells("tune")[0]
    run_folder(tmp_path, cell).mkdir(parents=True)
    for task, counts in ((cell.task, True), ("another", False)):
        (run_folder(tmp_path, cell) / "run.json").write_text(json.dumps({"config": {"task": task}}), "utf-8")
        assert is_trained(tmp_path, cell) is counts


def test_a_part_of_the_runs_trains_another_model_and_more_controls() -> None:
    by_size = {size: {cell.seed for cell in ALL if cell.size == size} for size in ("", "wide")}
    assert by_size == {
        "": {
            *range(42, 52),
            101,
            102,
            103,
            106,
            108,
            110,
            111,
            114,
            115,
            117,
            *range(118, 122),
            *range(123, 127),
            129,
            130,
            132,
            133,
            135,
            *range(209, 213),
        },
        "wide": {104, 105, 107, 109, 113, 116, 128, 131, 134, 136},
    }
    known = cells("known")
    later = {cell.control for cell in known if cell.seed >= 104} - {cell.control for cell in known if cell.seed < 104}
    assert later == {"switched-prompts", "logged-rarely"}


def test_the_learning_rate_of_a_control_is_made_for_its_model() -> None:
    brisk = {cell.seed: cell.words for cell in cells("known") if cell.name.startswith("ppo-addition-brisk")}
    rates = {seed: words[words.index("--learning_rate") + 1] for seed, words in brisk.items()}
    assert (rates[103], rates[104]) == ("0.0005", "0.00034")


def test_some_seeds_of_the_tune_part_are_healthy_alone_and_have_every_control() -> None:
    alone = [cell for cell in cells("tune") if cell.seed > 43]
    assert all(cell.is_healthy for cell in alone)
    assert {cell.control for cell in alone} == set(controls_of("tune"))


def test_the_engines_faults_and_controls_are_of_its_part_alone() -> None:
    engine, others = cells("engine"), [cell for cell in ALL if cell.part != "engine"]
    assert {cell.fault for cell in engine} - {None} == {fault.name for fault in engine_faults.FAULTS}
    assert {cell.fault for cell in engine} & {cell.fault for cell in others} == {None}
    assert {cell.control for cell in engine} & {cell.control for cell in others} == {None}


def test_every_fault_of_the_engine_meets_every_correction_of_trl_from_the_start_and_later() -> None:
    met = {(cell.fault, _word(cell, "vllm_importance_sampling_mode"), cell.onset > 1) for cell in cells("engine")}
    faults = [fault.name for fault in engine_faults.FAULTS]
    assert met == {*product(faults, CORRECTIONS, (False, True)), *product([None], CORRECTIONS, (False,))}


def test_a_control_of_the_engine_has_an_engine_and_weights_that_arrive() -> None:
    plans = [
        read_plan([cell.algorithm, "--recipe", f"{cell.algorithm}-{cell.task}", *cell.words])
        for cell in cells("engine")
        if cell.is_healthy
    ]
    engines = {plan.config.separate_engine for plan in plans}
    assert {(engine.is_synced, engine.staleness, engine.rounding) for engine in engines if engine} == {
        (True, 0, None),
        (True, 1, None),
        (True, 4, None),
        (True, 0, "bfloat16"),
    }
    assert all(plan.config.vllm_importance_sampling_correction for plan in plans)


def test_the_other_parts_are_those_that_were_trained_before_there_was_an_engine() -> None:
    names = {json.loads(line)["name"] for line in RESULTS.read_text("utf-8").splitlines()}
    assert names - {cell.name for cell in ALL} == set()
    assert {cell.name for cell in cells("measured")} - names == set()


def test_the_measured_part_has_a_hundred_healthy_runs() -> None:
    assert sum(cell.is_healthy for cell in cells("measured")) >= 100


def test_the_committed_results_name_no_place_of_a_machine() -> None:
    assert re.findall(r'(?<=[ "])/[a-zA-Z]\S*', RESULTS.read_text("utf-8")) == []


def test_a_run_that_the_cache_does_not_hold_keeps_its_line_and_the_page_says_so(tmp_path: Path) -> None:
    lines = [json.loads(line) for line in RESULTS.read_text("utf-8").splitlines()]
    here, *_, elsewhere = [line for line in lines if line["cell"]["part"] == "known"]
    of_no_seed = {**here, "name": "ppo-remarks-standard-7"}
    moved = {**elsewhere, "cell": {**elsewhere["cell"], "part": "measured"}}
    file = tmp_path / "results.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in (here, moved, of_no_seed)), "utf-8")
    (before,) = judged_before([here], file)
    assert before == {**elsewhere, "judged_before": True}
    assert "by an earlier version of rules and causes: 1 of these" in FAULTS_PAGE.text([before])
    assert judged_before([here], tmp_path / "none.jsonl") == []


def test_a_case_that_the_library_got_later_is_of_later_seeds_alone() -> None:
    cases = {f"{fault.name} {case.algorithm} {case.task}" for fault in FAULTS.values() for case in fault.cases}
    later, without = read_corpus()["later_cases"], read_corpus()["parts"]["engine"]["without"]
    sound = {case for case in without if case.partition(" ")[0] in FAULTS}
    assert later.keys() | sound <= cases
    trained = {f"{cell.fault} {cell.algorithm} {cell.task}": cell.seed for cell in sorted(ALL, key=lambda c: c.seed)}
    assert [case for case, seed in later.items() if trained.get(case, seed) < seed] == []
    assert cases - trained.keys() == sound


def _word(cell: Cell, option: str) -> str:
    return cell.words[cell.words.index(f"--{option}") + 1]


def test_a_rarely_logged_run_holds_means(tmp_path: Path) -> None:
    rows = [
        {"step": step, "time": step, "metrics": {"a": float(step), **({"b": 1.0} if step == 1 else {})}}
        for step in range(1, 8)
    ]
    (tmp_path / "events.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    average(tmp_path, 3)
    rows = [json.loads(line) for line in (tmp_path / "events.jsonl").read_text("utf-8").splitlines()]
    assert [(row["step"], row["metrics"]) for row in rows] == [(3, {"a": 2.0, "b": 1.0}), (6, {"a": 5.0})]


@pytest.mark.parametrize("task", ["remarks", "addition"])
def test_switched_prompts_are_two_sets_of_one_size(task: str) -> None:
    first, then = ({row["prompt"] for row in rows} for rows in rows_around_switch(task))
    assert len(first) == len(then) > 50
    assert first & then == set()


def test_a_fault_that_is_switched_on_later_has_time_to_show() -> None:
    later = [cell for cell in ALL if not cell.is_healthy and cell.onset > 1]
    assert [cell.name for cell in later if cell.steps - cell.onset < cell.case.steps] == []


@pytest.mark.process
def test_a_cell_is_trained_once_and_counts_only_when_it_is_whole(tmp_path: Path) -> None:
    cell = replace(cells("tune", "documents")[0], steps=2, onset=1)
    run_folder(tmp_path, cell).with_name(f"{cell.name}.unfinished").mkdir(parents=True)
    assert not is_trained(tmp_path, cell)
    assert [train_missing(tmp_path, [cell], deadline=math.inf) for _ in range(2)] == [1, 0]
    assert open_run(run_folder(tmp_path, cell)).status.state == "finished"
    first, second = (list(judge_runs(tmp_path, [cell], processes=1)) for _ in range(2))
    assert first == second
    assert {room.name for room in tmp_path.iterdir()} == {"runs", "watched", "judged"}


@pytest.mark.process
def test_a_result_is_cached_until_the_run_or_the_sources_change(tmp_path: Path) -> None:
    cell = cells("tune")[0]
    shutil.copytree(SICK, run_folder(tmp_path, cell))
    (run_folder(tmp_path, cell) / "cpu_seconds").write_text("1.0", "utf-8")
    (result,) = judge_runs(tmp_path, [cell], processes=1)
    assert "kl-negative" in result["fired"]
    file = tmp_path / "judged" / f"{cell.name}.json"
    forged = json.loads(file.read_text("utf-8"))
    file.write_text(json.dumps({**forged, "found": {"known": "from before"}}), "utf-8")
    assert list(judge_runs(tmp_path, [cell], processes=1)) == [{"known": "from before"}]
    os.utime(run_folder(tmp_path, cell))
    assert list(judge_runs(tmp_path, [cell], processes=1)) == [result]


def test_a_cached_result_depends_on_every_source_that_judging_uses() -> None:
    judging = [path for name in JUDGING for path in sources_of(name)]
    sources = "".join(path.read_text("utf-8") for path in judging)
    used = set(re.findall(r"^from diagnostics\.(\w+)", sources, re.MULTILINE))
    assert used <= set(JUDGING)


def test_intervals_agree_with_their_closed_forms() -> None:
    assert wilson(9, 10) == pytest.approx((0.5958, 0.9821), abs=1e-4)
    assert poisson_upper(0, 100) == pytest.approx(-math.log(0.05) / 100)
    assert t_test([2.776], [math.sqrt(0.3) * x for x in (-1.0, -1.0, 0.0, 1.0, 1.0)]) < 0.05  # 4 degrees of freedom
    assert t_test([1.0], [1.0, 1.0]) == 1.0
    assert t_test([1.1], [1.0, 1.0]) == 0.0
    assert math.isnan(t_test([1.0], [1.0]))


@pytest.mark.slow
def test_the_last_look_at_a_growing_run_sees_what_the_finished_run_shows() -> None:
    run = open_run(SICK)
    *_, (step, last) = outcomes_by_step(run)
    assert step == run.steps[-1]
    fired = {outcome.rule for outcome in last if outcome.verdict is Verdict.FIRED}
    assert fired == {outcome.rule for outcome in diagnose(run).fired}


def test_the_last_look_knows_that_the_run_has_ended() -> None:
    run = open_run(Path(__file__).parents[1] / "fixtures" / "trl_corpus" / "warm-up-never-ends")
    *growing, (_, ended) = outcomes_by_step(run, 4)
    fired = [
        {outcome.rule for outcome in found if outcome.is_alarm} for found in (*(found for _, found in growing), ended)
    ]
    assert fired == [*[set()] * 3, {"policy-hardly-moves"}]  # a warm-up may still end until then


def test_a_run_as_it_stood_holds_nothing_of_later_steps() -> None:
    early = up_to(open_run(SICK), 7)
    assert max(early.steps) == 7
    assert max(early.samples.steps) <= 7
    assert early.status.state == "running"


def test_a_rule_that_pauses_makes_two_episodes() -> None:
    looked = [(1, {"a": WARNING}), (2, {"a": CRITICAL}), (3, {}), (4, {"a": INFO})]
    assert episodes(looked) == [Episode("a", 1, 2, CRITICAL), Episode("a", 4, 4, INFO)]


def result(fault: str | None, onset: int = 11, **changes: Any) -> Mapping[str, Any]:
    cell = Cell("measured", "ppo", "remarks", 101, fault, None if fault else "standard", onset, steps=40)
    plain = {"name": cell.name, "verdict": "", "fired": {}, "causes": (), "episodes": (), "means": {"score": 1.0}}
    spent = {"cpu_seconds": 90.0, "machine": "a processor", "documents": False}
    return {"cell": {**{name: getattr(cell, name) for name in cell.__slots__}}, **plain, **spent, **changes}


def shown(rule: str, first_step: int, severity: str = "warning") -> dict[str, Any]:
    return {"rule": rule, "first_step": first_step, "last_step": first_step, "severity": severity}


@pytest.mark.parametrize(
    ("episode", "delay"),
    [
        (shown("kl-negative", 14), 3),
        (shown("kl-negative", 14, "info"), None),  # a note is not an alarm
        (shown("kl-negative", 10), None),  # before the onset it cannot be the fault
        (shown("value-loss-spike", 14), None),  # an alarm, but not a correct one
    ],
)
def test_a_fault_is_found_by_a_right_alarm_from_its_onset_on(episode: Mapping[str, Any], delay: int | None) -> None:
    (found,) = score_sick_runs([result("min-new-tokens", episodes=[episode])])
    assert (found.is_found, found.delay) == (delay is not None, delay)


def test_a_cause_has_its_place_in_the_ranking() -> None:
    causes = [
        {"cause": name, "severity": "warning", "outcomes": []} for name in ("length-bias", "sampling-unlike-policy")
    ]
    (found,) = score_sick_runs(
        [result("min-new-tokens", causes=causes, fired={"kl-negative": "critical", "oom": "info"})]
    )
    assert (found.cause_rank, found.alarms) == (2, 3)


def test_what_else_the_first_cause_may_mean_comes_before_the_next_cause() -> None:
    first = {"cause": "drastic-updates", "rivals": ["sampling-unlike-policy"], "severity": "critical", "outcomes": []}
    causes = [first, {"cause": "length-bias", "severity": "warning", "outcomes": []}]
    (found,) = score_sick_runs([result("min-new-tokens", causes=causes)])
    assert (found.cause_rank, found.alarms) == (2, 2)


@pytest.mark.parametrize(("algorithm", "rank"), [("ppo", 1), ("grpo", None)])
def test_a_fault_that_is_two_things_is_right_only_with_its_own(algorithm: str, rank: int | None) -> None:
    sick = result("never-stops", causes=[{"cause": "wrong-stop-token", "severity": "warning", "outcomes": []}])
    assert score_sick_runs([{**sick, "cell": {**sick["cell"], "algorithm": algorithm}}])[0].cause_rank == rank


def test_a_note_is_right_where_a_note_is_all_there_is_to_say() -> None:
    assert score_sick_runs([result("too-easy-data", episodes=[shown("reward-saturated", 14, "info")])])[0].is_found


def test_a_fault_is_silent_only_when_no_metric_differs_from_enough_healthy_runs() -> None:
    healthy = [result(None, 1, means={"score": value}) for value in (1.0, 1.1, 0.9, 1.05)]
    silent = {
        score: score_sick_runs([*healthy, result("top-k", means={"score": score})])[0].is_silent
        for score in (1.02, 9.0, math.nan)
    }
    assert silent == {1.02: True, 9.0: False, math.nan: False}
    assert score_sick_runs([*healthy[:3], result("top-k")])[0].is_silent is None


def test_alarms_on_healthy_steps_are_false_in_healthy_runs_and_before_an_onset() -> None:
    runs = [
        result(None, 1, episodes=[shown("kl-too-high", 30, "critical"), shown("oom", 3, "info")]),
        result("top-k", 11, episodes=[shown("kl-negative", 10), shown("kl-negative", 11)]),
        result("top-k", 1, episodes=[shown("kl-negative", 1)]),
    ]
    healthy, early = false_alarms(runs), early_alarms(runs)
    assert (healthy.runs, healthy.steps, len(healthy.warnings), len(healthy.criticals)) == (1, 40, 0, 1)
    assert (early.runs, early.steps, len(early.warnings), len(early.criticals)) == (1, 10, 1, 0)


def test_of_a_missed_fault_each_right_rule_says_what_it_saw(tmp_path: Path) -> None:
    tight = [cell for cell in cells("tune") if cell.fault == "clip-range-too-tight" and cell.algorithm == "ppo"]
    results = [result("clip-range-too-tight", name=cell.name) for cell in tight]
    shutil.copytree(SICK, run_folder(tmp_path, tight[0]))

    explained, *_ = with_reasons(tmp_path, tight[:1], results[:1])

    assert set(explained["why"]) == {"clipfrac-high"}
    assert explained["why"]["clipfrac-high"].startswith("Nothing found: ")


def test_the_committed_pages_are_those_of_the_committed_results(tmp_path: Path) -> None:
    results = [json.loads(line) for line in RESULTS.read_text("utf-8").splitlines()]
    write(results, tmp_path / RESULTS.name)
    for page in PAGES:
        assert page.file().read_text("utf-8") == page.file(tmp_path / RESULTS.name).read_text("utf-8")


def test_a_page_shows_its_own_parts_and_is_left_out_without_results(tmp_path: Path) -> None:
    file = tmp_path / "mine.jsonl"
    write([result("top-k")], file)
    assert [page.file(file).exists() for page in PAGES] == [True, False]
    assert ENGINE_PAGE.file(file).name == "mine-engine.md"


def test_the_page_counts_each_correction_apart_and_names_the_machine() -> None:
    found = result("engine-stale", episodes=[shown("samples-stale", 14)])
    missed = result("engine-stale")
    runs = [
        {**run, "cell": {**run["cell"], "part": "engine", "seed": seed}} for run, seed in ((found, 210), (missed, 212))
    ]
    text = ENGINE_PAGE.text(runs)
    columns, recall = (
        next(row.removesuffix(" |").split(" | ") for row in text.splitlines() if row.startswith(start))
        for start in ("| | ", "| recall: ")
    )
    counts = {column: share.split()[-1] for column, share in zip(columns, recall, strict=True)}
    assert (counts["all faults"], counts["`token_mask`"]) == ("(1/2)", "(1/1)")
    assert "Training took 3 CPU minutes (a processor)." in text
