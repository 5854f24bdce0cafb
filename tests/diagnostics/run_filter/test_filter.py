"""Which runs fit a filter, what a chip makes of it, and what is said where no run fits."""

from dataclasses import replace

import pytest

from diagnostics.run_filter.facts import FIELDS, RunFacts
from diagnostics.run_filter.filter import Filter
from diagnostics.run_filter.hint import hint
from diagnostics.run_filter.parser import parse

SICK = RunFacts(
    name="seed-1/tb/trl",
    path="/logs/seed-1/tb/trl",
    state="finished",
    verdict=("critical",),
    headline="Each update changes the policy too much.",
    causes=("drastic-updates", "kl-penalty-too-weak"),
    algorithm="grpo",
    producer="trl 1.16.0",
    step=60,
    settings={"learning_rate": "0.001", "actor.optim.lr": "0.001", "bf16": "True", "model": "Qwen2.5-0.5B"},
    tags=("paper", "two words"),
    note="try again with beta",
)
WELL = RunFacts(
    name="b",
    state="running",
    verdict=("info", "note"),
    algorithm="ppo",
    producer="verl",
    step=7,
    settings={"learning_rate": "1e-06"},
)


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ("verdict:critical", True),
        ("verdict:warning", False),
        ("verdict:warning,critical", True),
        ("-verdict:critical", False),
        ("-state:failed", True),
        ("name:SEED-1", True),
        ("name:/logs/", True),
        ("name=seed-1", False),
        ("cause:kl", True),
        ("cause=kl", False),
        ("algorithm:grpo producer:trl", True),
        ("algorithm:grpo producer:verl", False),
        ('tag:"two words"', True),
        ("tag:words", True),
        ("tag=words", False),
        ("note:beta", True),
        ("learning_rate>1e-4", True),
        ("learning_rate>=0.001", True),
        ("learning_rate>0.001", False),
        ("learning_rate<1", True),
        ("learning_rate:1e-3", True),
        ("learning_rate=.001", True),
        ("learning_rate:1e-30", False),
        ("actor.optim.lr<=1e-3", True),
        ("bf16:true", True),
        ("model:qwen", True),
        ("model>1", False),
        ("beta:0.04", False),
        ("-beta:0.04", True),
        ("step>=60", True),
        ("step<60", False),
        ("too much", True),
        ("drastic", True),
        ("-drastic", False),
        ("qwen", False),
    ],
)
def test_a_run_fits_what_holds_of_it(text: str, fits: bool) -> None:
    assert parse(text).matches(SICK) is fits


def test_a_note_is_found_by_its_word_and_by_its_id() -> None:
    assert parse("verdict:note").matches(WELL)
    assert parse("verdict:info").matches(WELL)


def test_archived_runs_and_samples_are_shown_to_those_who_ask() -> None:
    archived = replace(SICK, is_archived=True)
    assert [parse(text).matches(archived) for text in ("", "is:archived", "-is:archived", "is:sample")] == [
        False, True, False, False,
    ]  # fmt: skip
    assert parse("is:archived,sample").matches(replace(archived, is_sample=True))
    assert not parse("is:archived").matches(WELL)


def test_a_chip_adds_a_value_to_the_filter_and_takes_it_out_again() -> None:
    start = parse('learning_rate>1e-4 "free text"')
    one = start.toggled("verdict", "critical")
    two = one.toggled("verdict", "warning")
    assert str(two) == 'learning_rate>1e-4 "free text" verdict:critical,warning'
    assert two.chosen("verdict") == {"critical", "warning"}
    assert two.toggled("verdict", "warning").toggled("verdict", "critical") == start
    assert str(parse("-verdict:critical").toggled("verdict", "info")) == "-verdict:critical verdict:info"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", ""),
        ("verdict:critical", ""),
        (
            "verdict:criticla",
            "No run has verdict:criticla; there are critical (1), info (1), note (1). Did you mean verdict:critical?",
        ),
        ("learning_rate>1", "No run has learning_rate>1; learning_rate goes from 1e-06 to 0.001."),
        ("learning_rat>0", "No run has a setting learning_rat; did you mean learning_rate?"),
        ("lr>0", "No run has a setting lr; did you mean actor.optim.lr?"),
        ("verdit:critical", "No run has a setting verdit; did you mean verdict?"),
        ("zzzz:1", f"No run has a setting zzzz; the fields are {', '.join(FIELDS)} and any setting."),
        ("nowhere", "No run has “nowhere” in its name, verdict, causes, tags or note."),
        ("state:running verdict:critical", "No run has all of it; without state:running 1 run matches."),
        ("is:archived", "No run is archived."),
        ("-step>0", "Every run has step>0."),
    ],
)
def test_where_nothing_matches_a_sentence_says_what_would(text: str, sentence: str) -> None:
    assert hint(parse(text), [SICK, WELL]) == sentence


def test_that_all_that_match_are_archived_is_said() -> None:
    runs = [replace(SICK, is_archived=True), WELL]
    assert (
        hint(parse("verdict:critical"), runs) == "What matches is left out of lists unless asked for: add is:archived."
    )


def test_no_run_at_all_needs_no_hint() -> None:
    assert hint(Filter(), []) == ""


def test_a_hint_stays_short_whatever_a_log_holds() -> None:
    huge = replace(SICK, settings={"a" * 100_000: "b" * 100_000, "model": "c" * 100_000})
    assert len(hint(parse("model:x"), [huge])) < 500
    assert len(hint(parse("zzz:x"), [huge])) < 500
