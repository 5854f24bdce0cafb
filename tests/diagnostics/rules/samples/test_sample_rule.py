"""Tests of what all checks of samples share: when they apply, what they skip, and that no text breaks them."""

import random
from collections.abc import Callable
from dataclasses import replace

import pytest

from diagnostics.model.diagnosis import Diagnosis
from diagnostics.model.messages import render
from diagnostics.model.outcome import Outcome, Verdict
from diagnostics.model.run import Run
from diagnostics.model.samples import Sample, Samples
from diagnostics.rules import evaluate
from diagnostics.rules.lasting import until
from diagnostics.rules.rule import Skipped
from diagnostics.rules.samples.sample_rule import Judgement
from diagnostics.rules.samples.smp_empty import Limits, SmpEmpty
from diagnostics.rules.samples.tables import View
from diagnostics.rules.vital import vital_checks
from diagnostics.texts import templates

MakeRun = Callable[..., Run]
PIECES = (
    "",
    " ",
    "!",
    "a",
    "the film",
    "\n",
    "\x00",
    "\ufffd",
    "电影",
    "кот",
    "<|im_end|>",
    "[PAD]",
    "🎉",
    "64",
    "“",
    "\ud800",
)
SCORES = (None, 0.0, 1.0, 0.5, -3.0, 1e30, float("nan"), float("inf"), float("-inf"))


def test_a_run_without_samples_has_no_check_of_samples(make_run: MakeRun) -> None:
    assert not [outcome for outcome in evaluate(make_run("ppo")) if outcome.code.startswith("SM")]


def test_too_few_samples_are_said_with_their_number(make_run: MakeRun) -> None:
    samples = Samples((1,), lambda step: tuple(Sample(step, "q", f"r{row}") for row in range(9)))
    outcomes = [o for o in evaluate(replace(make_run("ppo"), samples=samples)) if o.code.startswith("SM")]
    assert {outcome.verdict for outcome in outcomes} == {Verdict.SKIPPED}
    assert {outcome.message.values.get("found") for outcome in outcomes} == {9}
    assert all(outcome.enable and render(outcome.enable, templates()) for outcome in outcomes)


def test_checks_that_could_not_look_do_not_keep_a_run_from_being_healthy(make_run: MakeRun) -> None:
    run = make_run("ppo", total=100, score="0.5x3")
    judged = tuple(replace(outcome, verdict=Verdict.QUIET) for outcome in evaluate(run))
    samples = Samples((1,), lambda step: ())
    unlooked = tuple(o for o in evaluate(replace(run, samples=samples)) if o.code.startswith("SM"))
    assert Diagnosis(run, judged + unlooked, vital=vital_checks("ppo")).verdict == "healthy"


def test_a_table_is_judged_once_by_all_who_hold_its_samples(make_run: MakeRun, monkeypatch: pytest.MonkeyPatch) -> None:
    judge, looks = SmpEmpty.judge, list[int]()

    def counted(self: SmpEmpty, seen: View, limits: Limits) -> Judgement | Skipped:
        looks.append(seen.recent[-1].step)
        return judge(self, seen, limits)

    monkeypatch.setattr(SmpEmpty, "judge", counted)
    rows = [Sample(1, f"q{row}", "") for row in range(16)]
    held = Samples(tuple(range(1, 13)), lambda step: tuple(replace(row, step=step) for row in rows)).cached()
    run = make_run("ppo", total=12, score="0.5x12")
    found = [evaluate(until(replace(run, samples=held), step)) for step in range(1, 13)]

    assert sorted(looks) == list(range(1, 13))
    assert {o.last_step for outcomes in found for o in outcomes if o.rule == "smp-empty"} == set(range(1, 13))


@pytest.mark.parametrize("algorithm", ["ppo", "grpo", "unknown"])
@pytest.mark.filterwarnings("error")
def test_no_check_breaks_on_whatever_a_model_wrote(make_run: MakeRun, algorithm: str) -> None:
    chance = random.Random(11)
    for _ in range(25):
        tables = {step: _table(chance, step) for step in range(1, chance.randint(2, 14))}
        run = replace(make_run(algorithm), samples=Samples(tuple(tables), tables.__getitem__))
        broken = [outcome.message.values for outcome in evaluate(run) if outcome.verdict is Verdict.BROKEN]
        assert broken == []


def _table(chance: random.Random, step: int) -> tuple[Sample, ...]:
    pieces, scores = chance.sample(PIECES, 3), chance.sample(SCORES, chance.randint(1, 5))
    return tuple(
        Sample(
            step,
            query=chance.choice(("", "q", "a longer prompt about films")),
            response="".join(chance.choices(pieces, k=chance.randint(0, 60))),
            score=chance.choice(scores),
            advantage=chance.choice(SCORES),
            terminated=chance.choice((True, False, None)),
            length=chance.choice((None, 0, 7)),
            group=chance.choice((None, 1, 2)),
        )
        for _ in range(chance.choice((0, 1, 16, 40)))
    )


def run_with_empty_answers(make_run: MakeRun, sick: Callable[[int], bool], tables: int) -> Run:
    """A run with so many tables of 16 answers, all of them empty in the sick ones."""

    def load(step: int) -> tuple[Sample, ...]:
        text = "" if sick(step) else "a sound answer of some more words than ten to begin with"
        return tuple(Sample(step, f"q{row}", f"{text}{row if text else ''}") for row in range(16))

    return replace(make_run("ppo"), samples=Samples(tuple(range(1, tables + 1)), load))


def empty(run: Run) -> Outcome:
    return next(outcome for outcome in evaluate(run) if outcome.rule == "smp-empty")


def test_a_finding_stands_until_it_was_absent_for_nine_tables(make_run: MakeRun) -> None:
    looks = {
        tables: empty(run_with_empty_answers(make_run, lambda step: step == 5, tables)) for tables in (4, 5, 7, 15, 16)
    }
    assert [look.verdict for look in looks.values()] == [
        Verdict.QUIET,
        Verdict.FIRED,
        Verdict.FIRED,
        Verdict.FIRED,
        Verdict.QUIET,
    ]
    assert (looks[15].first_step, looks[15].last_step, looks[15].still) == (5, 7, True)


def test_a_finding_that_comes_and_goes_is_one(make_run: MakeRun) -> None:
    sick = [
        empty(run_with_empty_answers(make_run, lambda step: step % 6 == 5, tables)).verdict for tables in range(5, 40)
    ]
    assert set(sick) == {Verdict.FIRED}
