"""What a report says of reward functions that were tried: what they pay, what cannot be told, how long they take."""

from dataclasses import replace

import pytest

from diagnostics.configs.setups import make_setup
from diagnostics.model.setup import Trial
from diagnostics.report.graders import grader_document, grader_lines
from diagnostics.report.terminal import Style
from diagnostics.rules.config.grader_figures import grader_figures

RIGHT = Trial("accuracy", "gold", "1+1=", "2", 1.0, "gold", knows_answer=True, seconds=0.25)
WRONG = Trial("accuracy", "wrong", "1+1=", "3", 0.0, "wrong", seconds=0.25)
NAN = Trial("accuracy", "attack", "1+1=", "nan", 1.0, "nan-numbers", seconds=1.0)
LONG = Trial("length", "extreme", "1+1=", "word word", 9.0, "very-long")
HUNG = Trial("stuck", "extreme", "1+1=", "word word", None, "very-long", seconds=30.0, is_hung=True)
BATCH = {"per_device_train_batch_size": 4, "gradient_accumulation_steps": 2, "num_processes": 1}


def lines(*trials: Trial) -> str:
    setup = replace(make_setup("grpo", "rlvitals", BATCH), trials=trials)
    return " ".join("\n".join(grader_lines(grader_figures(setup), Style())).split())


@pytest.mark.parametrize(
    ("trials", "said"),
    [
        ((RIGHT, WRONG, NAN), "accuracy 3 answers · pays nan-numbers · 500 ms for an answer on average"),
        ((RIGHT, WRONG, NAN), "at most 1 s for nan-numbers “nan” · about 4 s for a step's 8 one after another"),
        ((RIGHT, WRONG), "pays none but right ones"),
        ((LONG,), "the data have no right answers · the highest score, 9, is for very-long “word word”"),
        ((HUNG,), "it gave no score · cut off after 30 s for very-long “word word”"),
        ((replace(RIGHT, repeats={"again": 0.0}), WRONG), "its scores depend on more than the answer"),
        ((RIGHT, replace(WRONG, score=1.0)), "it does not pay the right answer more than wrong ones"),
    ],
)
def test_a_function_is_told_in_a_paragraph(trials: tuple[Trial, ...], said: str) -> None:
    assert said in lines(*trials)


def test_where_nothing_was_tried_nothing_is_said() -> None:
    assert lines() == ""


def test_what_was_paid_is_whole_in_the_document() -> None:
    (figures,) = grader_figures(replace(make_setup("grpo", "rlvitals", BATCH), trials=(RIGHT, WRONG, NAN)))
    found = grader_document(figures)
    (paid,) = found["paid"]
    assert (paid["policy"], paid["answer"], paid["share"]) == ("nan-numbers", "nan", 1.0)
    assert (found["mean_seconds"], found["step_seconds"], found["is_cut_off"]) == (0.5, 4.0, False)
