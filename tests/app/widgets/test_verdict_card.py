"""The verdict card as data: no fact twice, evidence that leads somewhere, a change that can be copied."""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from app.widgets.verdict_card import Card, cards
from diagnostics.api import diagnose, find_runs, open_run
from diagnostics.runlog import RunLog
from tests.hostile_text import DANGEROUS, EVERYTHING

SAMPLES = Path(__file__).resolve().parents[3] / "sample_runs"
TRL = Path(__file__).resolve().parents[2] / "fixtures" / "trl" / "ppo112_min"


def cards_of(name: str) -> tuple[Card, ...]:
    return cards(diagnose(open_run(SAMPLES / name)))


def words_of(value: Any) -> Iterator[str]:
    """Every text in a card, but the names by which a link finds its target."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from (word for key, part in value.items() if key != "name" for word in words_of(part))
    elif isinstance(value, list | tuple):
        yield from (word for part in value for word in words_of(part))


def test_the_cause_is_the_headline_and_its_first_sign_stands_beneath() -> None:
    card = cards_of("ratio-far-from-one")[0]
    assert (card.severity, card.word) == ("critical", "Critical")
    assert card.cause != card.first_sign
    assert card.evidence


@pytest.mark.parametrize("name", ["cut-off", "negative-kl", "ratio-far-from-one", "value-loss-nan", "healthy-ppo"])
def test_no_sentence_stands_on_a_card_twice(name: str) -> None:
    for card in cards_of(name):
        why = card.proposal.why if card.proposal else ""
        said = [words for words in (card.cause, card.first_sign, card.evidence, why, card.rivals) if words]
        assert len(said) == len(set(said))
        assert card.evidence not in card.signs


def test_evidence_leads_to_the_step_the_metric_and_the_sample() -> None:
    links = {link.to: link for link in cards_of("cut-off")[0].links}
    assert links["step"].words == "step 1"
    assert links["metric"].name == "truncated_fraction"
    assert "→" in links["metric"].more or "." in links["metric"].more
    assert links["sample"].step in open_run(SAMPLES / "cut-off").samples.steps
    assert links["sample"].is_model_text


def test_the_change_is_a_difference_that_can_be_copied_in_the_producers_notation(tmp_path: Path) -> None:
    proposal = cards_of("cut-off")[0].proposal
    assert proposal is not None
    assert proposal.change is not None
    assert (proposal.change.old, proposal.change.new) == ("--max_completion_length 3", "--max_completion_length 9")
    assert proposal.copied == "--max_completion_length 9"


def test_the_change_of_a_run_of_trl_is_a_line_of_its_config() -> None:
    (run,) = find_runs(TRL)
    proposal = cards(diagnose(open_run(run.path)))[0].proposal
    assert proposal is not None
    assert proposal.copied == "response_length=36,"


def test_a_healthy_run_says_how_many_checks_ran_and_where_the_others_are() -> None:
    (card,) = cards_of("healthy-grpo")
    assert card.severity == "healthy"
    assert card.cause.startswith("No sign of trouble in ")
    assert "could not run" in card.cause
    assert [link.to for link in card.links] == ["checks"]
    assert card.proposal is None


def test_what_a_hostile_log_says_is_one_visible_line(tmp_path: Path) -> None:
    with RunLog(tmp_path / "a", name=EVERYTHING, algorithm="grpo", config={EVERYTHING: EVERYTHING}, total=40) as log:
        for step in range(1, 41):
            sample = {"query": EVERYTHING, "response": EVERYTHING, "score": 1.0, "terminated": False, "group": 0}
            log.log(step, {"reward": 1.0, "completions/clipped_ratio": 0.95, EVERYTHING: 1.0}, [sample] * 4)
        log.close("failed", EVERYTHING)
    found = cards(diagnose(open_run(tmp_path / "a")))
    assert DANGEROUS & set("".join(words_of([asdict(card) for card in found]))) == set()


def test_the_step_of_an_older_diagnosis_is_said_once() -> None:
    card = cards(diagnose(open_run(SAMPLES / "cut-off")), "diagnosed at step 40")[0]
    assert card.when.count("diagnosed at step 40") == 1


def test_where_the_cause_is_not_decided_the_sign_is_the_headline_and_the_causes_are_named(tmp_path: Path) -> None:
    with RunLog(tmp_path / "a", algorithm="grpo", config={"max_completion_length": 8}, total=60) as log:
        for step in range(1, 61):
            lengths = {"completions/mean_length": 8.0, "completions/max_length": 8.0}
            log.log(step, {"reward": step / 100, "reward_std": 0.3, "completions/clipped_ratio": 1.0, **lengths})
    card = cards(diagnose(open_run(tmp_path / "a")))[0]
    assert card.cause == "The completions are cut off before they end."
    assert card.rivals.startswith("Not decided: completion limit too short; ")
