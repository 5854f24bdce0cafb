"""Tests of smp-template-collapse."""

from diagnostics.model.outcome import Severity, Verdict

ONE = "what a wonderful film, everybody should see it at once"


def test_one_answer_to_every_prompt_is_a_warning(look, sound, mixed) -> None:
    assert look("smp-template-collapse", mixed([ONE] * 48), sound()).severity is Severity.WARNING


def test_different_answers_are_none(look, sound) -> None:
    assert look("smp-template-collapse", sound(), sound()).severity is None


def test_a_frame_that_was_there_from_the_start_is_the_task(look, mixed) -> None:
    assert look("smp-template-collapse", mixed([ONE] * 48), mixed([ONE] * 48)).severity is None


def test_short_answers_are_not_compared(look, sound, mixed) -> None:
    assert look("smp-template-collapse", mixed(["fine film"] * 48), sound()).verdict is Verdict.SKIPPED


def test_one_prompt_many_answers_is_skipped(look, sound) -> None:
    rows = [row | {"query": "Q"} for row in sound()]
    assert look("smp-template-collapse", rows, rows).verdict is Verdict.SKIPPED


NAMES = [f"{first}{second}" for first in ("mar", "tol", "vin", "kas", "bel", "dor") for second in
         ("ita", "omo", "ule", "ira", "esh", "ana", "ovo", "ish")]  # fmt: skip
FILLERS = ["calm", "bright", "narrow", "old", "windy", "steep", "green", "loud", "late", "round", "cold"]


def answers_about_places(own: int, frame: str = "", count: int = 48) -> list[dict[str, object]]:
    """Prompts about different places; so many answers name theirs, evenly spread. A frame makes all of them alike."""
    rows: list[dict[str, object]] = []
    for place, name in enumerate(NAMES[:count]):
        loose = " ".join(FILLERS[(place * step + step) % 11] for step in range(1, 7))
        told = name if place * own % count < own else "somewhere"
        rows.append({"query": f"Describe {name}", "response": f"{told} is {frame} {loose} today", "score": 0.5})
    return rows


FRAME = "a lovely place to be"


def test_answers_that_are_no_more_matched_to_their_prompt_are_a_warning(look) -> None:
    outcome = look("smp-template-collapse", answers_about_places(own=23, frame=FRAME), answers_about_places(own=48))
    assert (outcome.severity, outcome.message.template) == (Severity.WARNING, "smp-template-collapse.lost")


def test_half_of_them_matched_is_not_yet(look) -> None:
    assert (
        look("smp-template-collapse", answers_about_places(own=26, frame=FRAME), answers_about_places(own=48)).severity
        is None
    )


def test_answers_that_stop_to_repeat_the_question_and_stay_different_are_no_template(look) -> None:
    assert look("smp-template-collapse", answers_about_places(own=0), answers_about_places(own=48)).severity is None


def test_answers_that_never_named_their_prompt_have_lost_nothing(look) -> None:
    assert (
        look("smp-template-collapse", answers_about_places(own=0, frame=FRAME), answers_about_places(own=12)).severity
        is None
    )


def answers_in_groups(shared: bool) -> list[dict[str, object]]:
    """Twelve prompts with four answers each: alike within a prompt, or all of one kind."""
    rows: list[dict[str, object]] = []
    for place in range(48):
        prompt, answer = place % 12, place // 12
        frame = (
            "this is what they all say here"
            if shared
            else f"{NAMES[prompt]} {NAMES[prompt + 12]} {NAMES[prompt + 24]} as ever"
        )
        loose = " ".join(FILLERS[(place * step + answer) % 11] for step in range(1, 4))
        rows.append({"query": f"Write line {prompt}", "response": f"{frame} {frame} {loose}", "score": 0.5})
    return rows


def test_answers_as_alike_across_prompts_as_within_one_are_a_warning(look) -> None:
    outcome = look("smp-template-collapse", answers_in_groups(shared=True), answers_in_groups(shared=False))
    assert outcome.severity is Severity.WARNING


def test_answers_alike_within_a_prompt_alone_are_none(look) -> None:
    assert (
        look("smp-template-collapse", answers_in_groups(shared=False), answers_in_groups(shared=False)).severity is None
    )
