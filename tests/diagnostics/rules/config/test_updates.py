"""Checks of the size and number of updates, at their boundaries."""

import pytest

from diagnostics.model.setup import ModelFacts

BILLION = ModelFacts(parameters=1e9)
TINY = ModelFacts(parameters=334_000.0)


@pytest.mark.parametrize(
    ("rate", "model", "word"),
    [
        (1e-5, BILLION, "quiet"),
        (1.01e-5, BILLION, "warning"),
        (3e-5, BILLION, "warning"),
        (3.01e-5, BILLION, "critical"),
        (5e-5, ModelFacts(), "warning"),  # of unknown size nothing is critical
        (3e-4, TINY, "quiet"),
        (5e-3, TINY, "critical"),
        ("1e-4", BILLION, "critical"),  # YAML reads 1e-4 as text
    ],
)
def test_the_learning_rate_is_judged_by_the_size_of_the_model(judged, rate, model, word) -> None:
    assert judged("pf-lr-range", {"learning_rate": rate}, model=model).word == word


@pytest.mark.parametrize(
    ("rate", "word"), [(1e-4, "quiet"), (1.01e-4, "warning"), (3.01e-4, "critical"), (2.9e-6, "info"), (3e-6, "quiet")]
)
def test_an_adapter_takes_ten_times_the_rate(judged, rate, word) -> None:
    config = {"learning_rate": rate, "use_peft": True}
    assert judged("pf-lr-range", config, model=BILLION).word == word


def test_the_suggested_rate_is_one_that_is_not_objected_to(judged) -> None:
    parameter, suggested = judged("pf-lr-range", {"learning_rate": 5e-5}, model=BILLION).fix
    assert judged("pf-lr-range", {parameter: suggested}, model=BILLION).word == "quiet"


def test_the_rate_that_trl_inherited_until_0_29_is_critical(judged) -> None:
    found = judged("pf-lr-range", {}, "ppo", "trl", "0.28.0", model=BILLION)
    assert (found.word, found.outcome.measured) == ("critical", 5e-5)
    assert "(the default)" in found.sentence
    assert judged("pf-lr-range", {}, "ppo", "trl", "0.29.0", model=BILLION).word == "quiet"


def test_a_rate_that_is_not_given_to_an_unknown_program_cannot_be_judged(judged) -> None:
    found = judged("pf-lr-range", {}, producer="verl")
    assert (found.word, found.enable) == ("skipped", "Give actor_rollout_ref.actor.optim.lr.")


@pytest.mark.parametrize(
    ("config", "algorithm", "word"),
    [
        ({"num_ppo_epochs": 4}, "ppo", "quiet"),
        ({"num_ppo_epochs": 5}, "ppo", "warning"),
        ({"num_iterations": 5}, "grpo", "warning"),
        ({"steps_per_generation": 16, "gradient_accumulation_steps": 1}, "grpo", "quiet"),
        ({"steps_per_generation": 17, "gradient_accumulation_steps": 1}, "grpo", "warning"),
        ({"steps_per_generation": 32, "gradient_accumulation_steps": 2}, "grpo", "quiet"),
    ],
)
def test_many_updates_of_one_generation_are_a_warning(judged, config, algorithm, word) -> None:
    assert judged("pf-epochs", config, algorithm).word == word


@pytest.mark.parametrize(
    ("config", "algorithm", "word"),
    [
        ({"num_iterations": 1}, "grpo", "info"),
        ({"num_iterations": 2}, "grpo", "quiet"),
        ({"num_iterations": 1, "steps_per_generation": 2}, "grpo", "quiet"),
        ({"num_ppo_epochs": 1, "num_mini_batches": 1}, "ppo", "info"),
        ({"num_ppo_epochs": 1, "num_mini_batches": 2}, "ppo", "quiet"),
    ],
)
def test_one_update_of_a_generation_means_that_clip_metrics_are_0(judged, config, algorithm, word) -> None:
    assert judged("pf-on-policy-note", config, algorithm).word == word


@pytest.mark.parametrize(
    ("config", "word"),
    [
        ({"importance_sampling_level": "token", "loss_type": "dapo"}, "quiet"),
        ({"importance_sampling_level": "sequence", "loss_type": "dapo"}, "warning"),
        ({"importance_sampling_level": "sequence", "loss_type": "grpo", "epsilon": 0.011}, "warning"),
        ({"importance_sampling_level": "sequence", "loss_type": "grpo", "epsilon": 0.01}, "quiet"),
    ],
)
def test_sequence_ratios_want_the_loss_and_the_clip_range_of_gspo(judged, config, word) -> None:
    assert judged("pf-gspo", config, producer="trl").word == word


@pytest.mark.parametrize(
    ("loss", "tokens", "word"), [("grpo", 1024, "info"), ("grpo", 1023, "quiet"), ("dapo", 4096, "quiet")]
)
def test_the_loss_per_answer_is_noted_for_long_answers(judged, loss, tokens, word) -> None:
    assert judged("pf-loss-type", {"loss_type": loss, "max_completion_length": tokens}).word == word


@pytest.mark.parametrize(
    ("dropout", "config", "word"),
    [
        (0.1, {"beta": 0.04}, "warning"),
        (0.1, {"beta": 0.0}, "quiet"),  # on-policy and without a reference, nothing is compared
        (0.1, {"beta": 0.0, "num_iterations": 2}, "warning"),
        (0.1, {"beta": 0.04, "disable_dropout": True}, "quiet"),
        (0.0, {"beta": 0.04}, "quiet"),
        (None, {"beta": 0.04}, "skipped"),
    ],
)
def test_dropout_is_a_warning_where_probabilities_are_compared(judged, dropout, config, word) -> None:
    assert judged("pf-dropout", config, producer="trl", model=ModelFacts(dropout=dropout)).word == word


@pytest.mark.parametrize(("model", "suggested"), [(BILLION, 3e-6), (TINY, 2e-4), (ModelFacts(), None)])
def test_a_rate_of_0_trains_nothing_and_the_usual_one_for_the_size_is_suggested(judged, model, suggested) -> None:
    found = judged("pf-lr-range", {"learning_rate": 0.0}, model=model)
    assert (found.word, found.fix) == ("warning", ("learning_rate", suggested))
    assert "no weight will move" in found.sentence
