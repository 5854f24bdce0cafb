"""Tests of smp-vocabulary-collapse."""

from diagnostics.model.outcome import Severity, Verdict


def rows(distinct: int) -> list[dict[str, object]]:
    words = [f"w{chr(97 + place % 26)}{chr(97 + place // 26)}" for place in range(distinct)]
    return [
        {"response": " ".join(words[(4 * row + n) % distinct] for n in range(4)), "score": 0.5} for row in range(48)
    ]


def test_half_of_the_words_are_a_warning(look) -> None:
    assert look("smp-vocabulary-collapse", rows(60), rows(120)).severity is Severity.WARNING
    assert look("smp-vocabulary-collapse", rows(61), rows(120)).severity is None


def test_numbers_are_no_vocabulary(look) -> None:
    sums = [{"response": f"(2+2=4 1+5=6){place}", "score": 1.0} for place in range(48)]
    assert look("smp-vocabulary-collapse", sums, sums).verdict is Verdict.SKIPPED


def test_without_first_tables_it_is_skipped(look) -> None:
    assert look("smp-vocabulary-collapse", rows(60)).verdict is Verdict.SKIPPED


def test_an_answer_of_one_form_is_compared_with_those_that_scored_as_well(look) -> None:
    right, wrong = rows(30), [{**row, "score": 0.0} for row in rows(120)]
    assert look("smp-vocabulary-collapse", right, [*right, *wrong]).severity is None
    assert look("smp-vocabulary-collapse", right, wrong).severity is Severity.WARNING


def test_of_single_words_there_need_be_no_more_than_prompts(look) -> None:
    def answers(different: int) -> list[dict[str, object]]:
        words = [f"w{chr(97 + place % 26)}{chr(97 + place // 26)}" for place in range(different)]
        return [{"query": f"q{row % 12}", "response": words[row % different], "score": 1.0} for row in range(48)]

    fewer = {"words": 48}
    assert look("smp-vocabulary-collapse", answers(12), answers(40), limits=fewer).severity is None
    assert look("smp-vocabulary-collapse", answers(11), answers(40), limits=fewer).severity is Severity.WARNING


def test_answers_that_depend_on_their_prompts_have_lost_what_none_asked_for(look) -> None:
    """A translation with a toy dictionary, and a policy that says the same few words to any prompt."""
    few = rows(60)

    def asked(prompts: list[str]) -> list[dict[str, object]]:
        return [{**row, "query": prompt} for row, prompt in zip(few, prompts, strict=True)]

    by_answer = [str(row["response"]) for row in few]
    any_prompt = [f"q{place % 12}" for place in range(len(few))]
    assert look("smp-vocabulary-collapse", asked(by_answer), rows(120)).severity is None
    assert look("smp-vocabulary-collapse", asked(any_prompt), rows(120)).severity is Severity.WARNING


def test_of_yes_and_no_nothing_was_lost_but_what_was_wrong(look) -> None:
    """A question with two right answers, beside which two wrong ones were given at the start."""

    def answers(words: str, scores: list[float]) -> list[dict[str, object]]:
        said = words.split()
        return [{"response": f"{said[row % len(said)]} " * 4, "score": scores[row % len(said)]} for row in range(48)]

    right = answers("yes no", [1.0, 1.0])
    assert look("smp-vocabulary-collapse", right, answers("yes no maybe never", [1.0, 1.0, 0.0, 0.0])).severity is None
    one_is_left = answers("yes", [1.0])
    assert look("smp-vocabulary-collapse", one_is_left, right).severity is Severity.WARNING
