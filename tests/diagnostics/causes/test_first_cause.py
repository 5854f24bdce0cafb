"""Tests of which of several explanations comes first: what explains the others, and what merely follows."""

import math
from collections.abc import Callable
from dataclasses import replace

import pytest

from diagnostics.causes import CATALOG
from diagnostics.causes.discriminators.entropy import entropy_exceeds_its_start
from diagnostics.causes.hypothesis import hypothesis_of
from diagnostics.model.outcome import Severity, Verdict
from diagnostics.model.run import Run
from diagnostics.model.samples import Sample, Samples
from diagnostics.rules import evaluate
from tests.diagnostics.causes.explained import causes, diagnosed

MakeRun = Callable[..., Run]
ALIVE_THEN_DEAD = {"reward": "0.6x15 0x25", "reward_std": "0.3x15 0x25", "zero_std_fraction": "0.1x15 1x25"}
SHRINKING = "8x4 8..2x16 2x20"


def sampled(run: Run, answers: Callable[[int], list[tuple[str, int, float]]]) -> Run:
    """The run with samples at each of its steps: what `answers` gives as text, length in tokens and score."""

    def load(step: int) -> tuple[Sample, ...]:
        rows = enumerate(answers(step))
        return tuple(Sample(step, f"q{row}", text, score=score, length=size) for row, (text, size, score) in rows)

    return replace(run, samples=Samples(tuple(run.steps.tolist()), load))


def test_a_reward_that_died_is_explained_by_a_jump_that_shows_a_little_later(make_run: MakeRun) -> None:
    run = make_run("grpo", kl_per_token="0.01x17 3x23", **ALIVE_THEN_DEAD)
    (cause,) = diagnosed(run)
    assert (cause.cause, "zero-variance-groups" in cause.outcomes) == ("drastic-updates", True)


def test_what_escalates_in_a_cause_is_as_grave_in_its_episodes(make_run: MakeRun) -> None:
    run = make_run("grpo", kl_per_token="0.01x17 3x23", reward="0.6x40")
    (entry,) = [entry for entry in CATALOG if entry.name == "drastic-updates"]
    fired = {outcome.rule: outcome for outcome in evaluate(run) if outcome.verdict is Verdict.FIRED}
    found = hypothesis_of(entry, fired, {}, run)
    assert found is not None
    (jump,) = found.core
    assert (jump.rule, fired[jump.rule].severity, jump.severity) == ("kl-too-high", Severity.WARNING, Severity.CRITICAL)
    assert [episode.severity for episode in jump.episodes] == [Severity.CRITICAL]


def test_a_reward_that_was_always_dead_is_not_explained_by_what_shows_later(make_run: MakeRun) -> None:
    dead = {"reward": "0x40", "reward_std": "0x40", "zero_std_fraction": "1x40"}
    assert causes(make_run("grpo", kl_per_token="0.01x17 3x23", **dead))[0] == "no-reward-signal"


def test_a_reward_that_dies_alone_has_no_signal(make_run: MakeRun) -> None:
    assert causes(make_run("grpo", kl_per_token="0.01x40", **ALIVE_THEN_DEAD))[0] == "no-reward-signal"


@pytest.mark.parametrize("sound", [1, 2, 3, 5, 8])
def test_a_policy_that_its_first_updates_wrecked_had_a_signal(make_run: MakeRun, sound: int) -> None:
    gone = 200 - sound
    dead = {"reward": f"0.45x{sound} 0x{gone}", "reward_std": f"0.26x{sound} 0x{gone}"}
    dead |= {"zero_std_fraction": f"0.07x{sound} 1x{gone}", "entropy_per_token": f"1.2x{sound} 0.01x{gone}"}
    (cause,) = diagnosed(make_run("grpo", kl_per_token=f"0.001x{sound} 9 8x{gone - 1}", **dead))
    assert (cause.cause, cause.first_step) == ("drastic-updates", sound + 1)


def test_scores_that_the_first_updates_of_ppo_took_were_there(make_run: MakeRun) -> None:
    run = make_run("ppo", score="0.3 0.2 -1x198", rlhf_reward="0.3 0.2 -5x198", kl_per_sequence="0.1 0.2 90x198")
    assert "no-reward-signal" not in causes(run)


def test_equal_scores_follow_from_completions_that_may_not_end(make_run: MakeRun) -> None:
    dead = {"reward": "0x30", "reward_std": "0x30", "zero_std_fraction": "1x30", "truncated_fraction": "1x30"}
    config = {"max_completion_length": 26, "min_new_tokens": 26}
    run = sampled(
        make_run("grpo", config=config, **dead), lambda step: [(f"{step} {row}", 26, 0.0) for row in range(16)]
    )
    assert causes(run) == ["sampling-unlike-policy"]


def test_a_kl_that_rises_because_completions_shrink_is_their_consequence(make_run: MakeRun) -> None:
    run = make_run("grpo", length_mean=SHRINKING, kl_per_token="0..0.1x10 0.2..3x10 3x20", config={"beta": 0.05})
    (cause,) = diagnosed(run)
    assert (cause.cause, "kl-too-high" in cause.outcomes) == ("answers-too-short", True)


def test_a_policy_without_any_penalty_runs_away_first(make_run: MakeRun) -> None:
    run = make_run("grpo", length_mean="8x14 8..2x11 2x15", kl_per_token="0..2x14 3x26", config={"beta": 0.0})
    assert causes(run)[0] == "kl-penalty-too-weak"


def test_a_kl_that_a_wrong_sign_drives_is_its_consequence(make_run: MakeRun) -> None:
    means = [0.5 - 0.02 * step for step in range(30)]
    logged = {"reward": " ".join(str(-mean) for mean in means), "kl_per_token": "0..0.2x10 0.3..3x20"}
    functions = {"reward_func_mean/accuracy": " ".join(map(str, means))}
    run = make_run("grpo", functions=functions, config={"reward_weights": [-1.0], "beta": 0.05}, **logged)
    first = diagnosed(run)[0]
    assert (first.cause, "kl-too-high" in first.outcomes) == ("wrong-reward-sign", True)
    assert (first.fixes[0].parameter, first.fixes[0].suggested) == ("reward_weights", [1.0])


def test_a_kl_that_healthy_runs_reach_does_not_explain_truncation(make_run: MakeRun) -> None:
    run = make_run("grpo", truncated_fraction="0.05x10 0..0.9x15 0.95x20", kl_per_token="0.01x8 0.25x37")
    assert causes(run)[0] == "length-bias"


def test_an_entropy_that_falls_after_large_updates_is_their_consequence(make_run: MakeRun) -> None:
    logged = {"approx_kl": "0.001x12 8 9 20 4 0x22", "entropy_per_token": "2.6x15 0.01x23"}
    assert causes(make_run("ppo", **logged))[0] == "drastic-updates"


def test_a_kl_per_token_that_rises_because_only_the_end_is_left_shows_no_large_update(make_run: MakeRun) -> None:
    shrinking = {"length_mean": "1000x12 1000..1x3 1x25", "kl_per_token": "0.04x12 0.04..17x3 17x25"}
    assert causes(make_run("grpo", **shrinking))[0] == "answers-too-short"
    jumped = {"length_mean": "20 19 22 18 " * 10, "kl_per_token": "0.04x12 0.04..17x3 17x25"}
    assert causes(make_run("grpo", **jumped))[0] == "drastic-updates"


def test_two_updates_that_ruin_a_policy_are_too_large_even_if_brief(make_run: MakeRun) -> None:
    logged = {"kl_per_sequence": "0.5x14 22x26", "length_mean": "10x14 1x26"}
    found = causes(make_run("ppo", approx_kl="0.002x13 7 27 0x25", **logged))
    assert found[0] == "drastic-updates"
    assert "drastic-updates" not in causes(make_run("ppo", approx_kl="0.002x13 0.02x27", **logged))


@pytest.mark.parametrize(
    ("kl", "first"), [("0.005x12 0.01x28", "clip-range-too-tight"), ("0.005x12 0.4..2x28", "drastic-updates")]
)
def test_clipping_without_movement_shows_a_clip_range_other_than_stated(make_run: MakeRun, kl: str, first: str) -> None:
    run = make_run("grpo", clip_ratio_region_mean="0x12 0.5x28", kl_per_token=kl, config={"epsilon": 0.2})
    assert causes(run)[0] == first


def test_noise_that_shows_in_the_kl_at_once_is_not_a_tight_clip_range(make_run: MakeRun) -> None:
    run = make_run(
        "grpo", clip_ratio_region_mean="0x12 0.5x28", kl_per_token="0.005x12 0.03x28", config={"epsilon": 0.2}
    )
    assert "clip-range-too-tight" not in causes(run)


def test_an_entropy_over_fewer_tokens_is_not_noise(make_run: MakeRun) -> None:
    lengths = {"length_max": "14 13 16 14 15 13 14 16 15 14 " * 2 + "3x25", "length_mean": "7x20 3x25"}
    logged = {"entropy_per_token": "0.12x20 0.4x25", "truncated_fraction": "0x20 0.7x25"}
    run = make_run("grpo", config={"max_completion_length": 16}, **lengths, **logged)
    assert causes(run)[0] == "completion-limit-too-short"
    later = make_run("grpo", config={"max_completion_length": 16}, **lengths, entropy_per_token="0.12x30 0.9x15")
    exploded = [next(found for found in evaluate(item) if found.rule == "entropy-explosion") for item in (run, later)]
    assert [entropy_exceeds_its_start(*pair) for pair in zip(exploded, (run, later), strict=True)] == [False, True]


def test_a_hard_limit_below_the_stated_one_is_not_an_unknown_end_token(make_run: MakeRun) -> None:
    lengths = {"length_max": "14 13 14 14 13 14 14 13 14 14 12x30", "length_mean": "7x10 7..12x20 12x10"}
    run = make_run("grpo", truncated_fraction="0.03x10 0..1x20 1x10", config={"max_completion_length": 14}, **lengths)
    assert causes(run)[0] == "length-bias"


def _soon_at_the_limit(step: int) -> list[tuple[str, int, float]]:
    if step < 3:
        return [(f"{step} {row} " + "word " * (3 + row), 3 + row, 0.1 * row) for row in range(8)] * 2
    return [(f"{step} {row} " + "word " * 12, 11 if row < 4 else 12, 1.2 - 0.05 * (row % 5)) for row in range(16)]


def test_whether_length_pays_is_read_from_tables_with_different_lengths(make_run: MakeRun) -> None:
    logged = {"truncated_fraction": "0.05 0.1 0.1 0.2 0.2 0.25x4 0.9x31", "length_mean": "7 8 9 10 11x36"}
    run = sampled(make_run("grpo", config={"max_completion_length": 12}, **logged), _soon_at_the_limit)
    assert causes(run) == ["length-bias"]


def test_a_vocabulary_narrowed_by_near_greedy_sampling_is_not_a_hack(make_run: MakeRun) -> None:
    words = [f"word{number}" for number in range(16)]

    def answers(step: int) -> list[tuple[str, int, float]]:
        if step > 15:
            return [(f"{words[row % 3]} {words[0]} {words[1]} {words[2]}", 4, 0.8) for row in range(32)]
        texts = [" ".join(f"{words[(row + place) % 16]}{row % 4}{place}" for place in range(5)) for row in range(32)]
        return [(text, 5, 0.5 + 0.01 * row) for row, text in enumerate(texts)]

    logged = {"score": "0.5 0.51 0.49x13 0.8x25", "approx_kl": "0.001x15 0.02x25"}
    cold = sampled(make_run("ppo", entropy_per_token="3x15 0.2x25", **logged), answers)
    warm = sampled(make_run("ppo", entropy_per_token="3x40", **logged), answers)
    assert (causes(cold)[0], causes(warm)[0]) == ("mode-collapse", "reward-hacking")


def test_a_value_loss_may_jump_a_little_later_than_the_reward(make_run: MakeRun) -> None:
    assert causes(make_run("ppo", value_loss="1x26 9x9", score="3x25 1x10")) == []
    assert causes(make_run("ppo", value_loss="1x30 9x9", score="3x20 1x19")) == ["critic-broken"]


def test_completions_that_miss_a_custom_stop_token_are_not_the_limits_fault(make_run: MakeRun) -> None:
    run = make_run(
        "ppo",
        eos_tokens="60x10 160x30",
        length_max="14x40",
        config={"response_length": 14, "local_batch_size": 64, "stop_token": "eos", "stop_token_id": 2},
    )
    cut = Samples(
        tuple(range(1, 41)),
        lambda step: tuple(
            Sample(step, f"q{row}", f"a film {step} {row}", score=math.sin(step * row), terminated=False)
            for row in range(16)
        ),
    )
    assert causes(replace(run, samples=cut))[0] == "wrong-stop-token"


def test_a_length_that_fell_within_the_baseline_began_before_the_kl(make_run: MakeRun) -> None:
    run = make_run("grpo", length_mean="8 7 6 5..3x6 2.5x31", kl_per_token="0..0.4x12 2x28", config={"beta": 0.05})
    assert causes(run)[0] == "answers-too-short"


def test_what_escalates_after_a_critical_cause_does_not_come_first(make_run: MakeRun) -> None:
    logged = {"kl_per_sequence": "0x12 60x28", "eos_tokens": "60x10 20x5 0x25", "length_mean": "7x10 12x5 14x25"}
    config = {"kl_coef": 0.0, "response_length": 14, "local_batch_size": 64}
    run = make_run("ppo", config=config, **logged)

    def answers(step: int) -> tuple[Sample, ...]:
        cut = 0 if step < 10 else 8
        rows = range(16)
        return tuple(
            Sample(step, f"q{row}", f"{step} {row}", score=row / 16, length=7 + row // 3, terminated=row >= cut)
            for row in rows
        )

    found = causes(replace(run, samples=Samples(tuple(range(1, 41)), answers)))
    assert (found[0], "length-bias" in found) == ("kl-penalty-too-weak", False)


@pytest.mark.parametrize(("spread", "is_sampling"), [("0.3x40", True), ("0.3x20 0x20", False)])
def test_a_kl_that_rises_by_chance_is_no_sampling_change_where_scores_are_equal(
    make_run: MakeRun, spread: str, *, is_sampling: bool
) -> None:
    run = make_run(
        "ppo",
        score="0.5 0.52 0.48 0.51 0.49 " * 4 + "-0.05 -0.03 -0.07 -0.04 -0.06 " * 4,
        kl_per_sequence="0.1 0.12 0.08 0.11 0.09 " * 4 + "0.3 0.32 0.28 0.31 0.29 " * 4,
        functions={"reward_func_std/constant": spread},
    )
    found = causes(sampled(run, lambda step: [(f"{step} {row}", 5, 0.1 * row) for row in range(16)]))
    assert ("sampling-unlike-policy" in found) is is_sampling


def test_held_out_scores_do_not_show_what_training_pays_for(make_run: MakeRun) -> None:
    run = make_run("grpo", config={"max_completion_length": 12}, truncated_fraction="0.02x10 0.1..0.9x10 0.95x20")

    def answers(step: int) -> tuple[Sample, ...]:
        rows = [Sample(step, f"q{step}", "word " * size, score=0.1 * size, length=size) for size in range(4, 12)] * 2
        held_out = [Sample(step, "h", "word " * size, score=50.0 - size, length=size, split="eval") for size in (2, 12)]
        return (*rows, *held_out * 8)

    assert causes(replace(run, samples=Samples(tuple(run.steps.tolist()), answers))) == ["length-bias"]


@pytest.mark.parametrize(("garbage", "first"), [(0.0, "length-bias"), (3.0, "reward-hacking")])
def test_repetition_that_earns_by_its_length_alone_is_no_hack_of_its_own(
    make_run: MakeRun, garbage: float, first: str
) -> None:
    """Answers run into their limit and are filled up; what is repeated pays by the token, or more than any other."""
    run = make_run(
        "grpo",
        reward=f"1.0x10 1.0..{2.2 + garbage}x10 {2.2 + garbage}x20",
        truncated_fraction="0.02x10 0.1..0.9x10 0.95x20",
        config={"max_completion_length": 24},
    )

    def answers(step: int) -> list[tuple[str, int, float]]:
        late = step > 20
        sizes = [22 + row % 3 if late or row % 3 == 0 else 4 + row % 16 for row in range(32)]
        texts = [
            "fog " * size if late else " ".join(f"{row}w{n}{step}" for n in range(size))
            for row, size in enumerate(sizes)
        ]
        return [(text, size, 0.1 * size + late * garbage) for text, size in zip(texts, sizes, strict=True)]

    assert causes(sampled(run, answers))[0] == first
