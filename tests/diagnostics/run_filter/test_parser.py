"""A filter reads as it is written, and what cannot be read is told in a sentence."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnostics.run_filter.filter import Filter, Term
from diagnostics.run_filter.parser import LONGEST_FILTER, FilterError, parse
from tests.hostile_text import EVERYTHING

TEXT = st.text(st.characters(codec="utf-8"), max_size=12)
TERMS = st.builds(
    Term,
    values=st.lists(TEXT.filter(bool), min_size=1, max_size=3).map(tuple),
    field=st.sampled_from(["name", "state", "verdict", "learning_rate", "actor.optim.lr", "seed_3"]),
    operator=st.sampled_from([":", "="]),
    is_excluded=st.booleans(),
)
WORDS = st.builds(Term, values=st.tuples(TEXT.filter(bool)), is_excluded=st.booleans())


def test_a_filter_is_terms_with_fields_operators_and_values() -> None:
    assert parse('verdict:critical learning_rate>1e-4 cause:kl -state:failed "free text"').terms == (
        Term(("critical",), "verdict"),
        Term(("1e-4",), "learning_rate", ">"),
        Term(("kl",), "cause"),
        Term(("failed",), "state", is_excluded=True),
        Term(("free text",)),
    )


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("verdict:critical,warning", Term(("critical", "warning"), "verdict")),
        ("Verdict:critical", Term(("critical",), "verdict")),
        ('tag:"two words",one', Term(("two words", "one"), "tag")),
        ("kl<=-0.5", Term(("-0.5",), "kl", "<=")),
        ("step>=100", Term(("100",), "step", ">=")),
        ("model=org/name-7b", Term(("org/name-7b",), "model", "=")),
        ("actor.optim.lr<1e-5", Term(("1e-5",), "actor.optim.lr", "<")),
        ("-beta", Term(("beta",), is_excluded=True)),
        ('"-beta"', Term(("-beta",))),
        ('"lr=1"', Term(("lr=1",))),
        ("a,b", Term(("a,b",))),
        (r'"say \"no\" \\"', Term(('say "no" \\',))),
        ("奖励:高", Term(("高",), "奖励")),
        ("1e-4", Term(("1e-4",))),
    ],
)
def test_one_term(text: str, term: Term) -> None:
    assert parse(text).terms == (term,)


@pytest.mark.parametrize("text", ["", "   ", "\t\n"])
def test_blank_text_is_a_filter_that_all_runs_pass(text: str) -> None:
    assert parse(text) == Filter()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("verdict:", "“verdict:” lacks a value; write one after “verdict:”."),
        ("verdict:critical,", "lacks a value"),
        ("is:", "lacks a value; write one after “is:”, archived or sample."),
        ("is:gone", "“is” knows archived and sample, not “gone”."),
        ("learning_rate>much", "“learning_rate>” compares numbers, and “much” is none."),
        ("step>nan", "compares numbers"),
        ('name:"cut off', "The quote at character 6 is not closed"),
        ('a "', "The quote at character 3 is not closed"),
        ("-", "“-” names nothing"),
        ('""', "names nothing"),
        ("a" * (LONGEST_FILTER + 1), "A filter has at most 2,000 characters"),
        ("x" * 1_000_000, "A filter has at most 2,000 characters"),
    ],
)
def test_what_cannot_be_read_is_told_in_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(FilterError) as error:
        parse(text)
    assert sentence in str(error.value)
    assert len(str(error.value)) < 300


@given(st.lists(TERMS | WORDS, max_size=5).map(tuple))
def test_a_filter_as_text_is_read_back_as_the_same(terms: tuple[Term, ...]) -> None:
    assert parse(str(Filter(terms))) == Filter(terms)


@given(st.text(max_size=60))
def test_any_text_is_a_filter_or_an_error(text: str) -> None:
    try:
        read = parse(text)
    except FilterError:
        return
    assert parse(str(read)) == read


def test_hostile_text_is_found_as_it_is_written() -> None:
    read = parse(EVERYTHING)
    assert parse(str(read)) == read
    quoted = str(Filter((Term((EVERYTHING,)),)))
    assert parse(quoted).terms[0].values == (EVERYTHING,)
