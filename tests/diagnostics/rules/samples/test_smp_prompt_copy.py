"""Tests of smp-prompt-copy."""

from diagnostics.model.outcome import Severity

PROMPT = "Write about the old man who went to sea every morning and never caught a single fish in forty days"


def test_answers_made_of_their_prompt_are_a_warning(look, sound, mixed) -> None:
    copied = mixed([PROMPT[6:]] * 10, query=PROMPT)
    assert look("smp-prompt-copy", copied, sound()).severity is Severity.WARNING
    assert look("smp-prompt-copy", mixed([PROMPT[6:]] * 9, query=PROMPT), sound()).severity is None


def test_a_task_that_copies_from_the_start_is_left_alone(look, mixed) -> None:
    copied = mixed([PROMPT[6:]] * 40, query=PROMPT)
    assert look("smp-prompt-copy", copied, copied).severity is None


def test_a_quoted_phrase_is_no_copy(look, sound, mixed) -> None:
    quoting = mixed(
        ["the old man who went to sea was tired, and his boat was older than he was by far"] * 48, query=PROMPT
    )
    assert look("smp-prompt-copy", quoting, sound()).severity is None
