"""The library of faults as data: complete, well formed, and buildable."""

import math
import re
import subprocess
import sys

import pytest

from trainer.config.algorithms import make_config
from trainer.config.fault_values import faulty_config
from trainer.config.recipes import demo_recipe
from trainer.faults import FAULTS, Case, Fault, Sign, engine
from trainer.faults.data import too_easy, too_hard
from trainer.faults.listing import faults_as_text, values_as_text

CASES = [(fault, case) for fault in FAULTS.values() for case in fault.cases]
CAUSES = {
    *("drastic-updates", "clip-range-too-tight", "sampling-unlike-policy", "completion-limit-too-short"),
    *("wrong-stop-token", "never-learned-to-stop", "no-reward-signal", "task-too-easy", "mode-collapse"),
    *("reward-hacking", "length-bias", "kl-penalty-too-strong", "kl-penalty-too-weak", "numerical-breakdown"),
    *("not-training", "dead-reward-function", "reward-scale", "answers-too-short", "wrong-reward-sign"),
    *("engine-mismatch", "weights-not-synced", "samples-stale", "text-tokenised-again"),
}
ROW = {"prompt": "59+63=", "answer": "122"}


def faulty(fault: Fault, case: Case, **values: object):
    recipe = demo_recipe(case.algorithm, case.task)
    return faulty_config(make_config(case.algorithm, {**recipe.values, "fault": fault.name, **values}))


@pytest.mark.parametrize(("fault", "case"), CASES, ids=lambda each: getattr(each, "name", getattr(each, "task", "")))
def test_a_fault_changes_the_values_that_it_names(fault: Fault, case: Case) -> None:
    config = faulty(fault, case).to_dict()
    as_logged = {name: list(value) if isinstance(value, tuple) else value for name, value in case.values.items()}
    assert as_logged == {name: config[name] for name in case.values}
    assert case.values or case.rows


def test_causes_are_those_that_a_diagnosis_can_name_and_rules_look_like_rules() -> None:
    assert {fault.cause for fault in FAULTS.values()} == CAUSES
    assert all(re.fullmatch(r"[a-z0-9-]+", name) for fault in FAULTS.values() for name in (fault.name, *fault.rules))


def test_no_fault_has_two_cases_for_one_algorithm_and_task() -> None:
    found = [(fault.name, case.algorithm, case.task) for fault, case in CASES]
    assert len(set(found)) == len(found)


def test_every_fault_is_there_for_both_algorithms_and_one_of_an_engine_for_the_algorithm_that_has_one() -> None:
    algorithms = {fault.name: {case.algorithm for case in fault.cases} for fault in FAULTS.values()}
    of_an_engine = {fault.name for fault in engine.FAULTS}
    assert algorithms == {name: {"grpo"} if name in of_an_engine else {"ppo", "grpo"} for name in FAULTS}


def test_a_fault_of_another_task_is_refused_with_a_way_to_find_out() -> None:
    with pytest.raises(ValueError, match="too-easy-data is not available for ppo on remarks; --list_faults shows"):
        make_config("ppo", {"fault": "too-easy-data"})


def test_a_misspelt_fault_gets_the_nearest_name() -> None:
    with pytest.raises(ValueError, match="did you mean 'nan-reward'"):
        make_config("ppo", {"fault": "nan-rewards"})


def test_easy_prompts_bring_their_scratchpad() -> None:
    assert too_easy([ROW]) == [{"prompt": "59+63=(9+3=12 5+6+1=12)", "answer": "122"}]


def test_hard_prompts_have_three_digits_and_the_right_answer() -> None:
    assert too_hard([ROW]) == [{"prompt": "159+163=", "answer": "322"}]


def test_the_list_names_every_fault_with_its_cause() -> None:
    listed = faults_as_text()
    assert all(f"{fault.name} (cause: {fault.cause})" in listed for fault in FAULTS.values())


def test_a_cases_values_are_listed_as_on_the_command_line() -> None:
    values = {"weight_sync": False, "rollout_dtype": None, "top_p": 0.8, "reward_funcs": ("length", "constant")}
    case = Case("grpo", "addition", values, Sign("m", "above", 1.0))
    assert values_as_text(case) == "weight_sync false, rollout_dtype none, top_p 0.8, reward_funcs length,constant"


@pytest.mark.parametrize(
    ("sign", "sick", "healthy", "expected"),
    [
        (Sign("m", "above", 1.0), 1.1, 0.0, True),
        (Sign("m", "above", 1.0), 1.0, 0.0, False),
        (Sign("m", "below", 1.0), 0.9, 0.0, True),
        (Sign("m", "below", -0.5, against_healthy=True), 1.0, 2.0, True),
        (Sign("m", "below", -0.5, against_healthy=True), 1.6, 2.0, False),
        (Sign("m", "nan"), math.nan, 0.0, True),
        (Sign("m", "nan"), 1.0, 0.0, False),
        (Sign("m", "above", 1.0), math.nan, 0.0, False),
    ],
)
def test_a_sign_shows_beyond_its_limit(sign: Sign, sick: float, healthy: float, expected: bool) -> None:
    assert expected is sign.is_present(sick, healthy)


@pytest.mark.process
def test_the_library_is_read_without_torch() -> None:
    check = "import sys, trainer.config.fault_values, trainer.faults.listing; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-P", "-c", check], check=False).returncode == 0
