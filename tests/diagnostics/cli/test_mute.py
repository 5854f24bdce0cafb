"""Tests of `rlvitals mute`, and of what reports say afterwards."""

import json
from pathlib import Path

import pytest

FINDING = "completion-limit-too-short"
REASON = ("--reason", "short answers are meant")


def test_a_muted_finding_is_told_apart_in_every_form_until_that_is_undone(rlvitals, cut_off_run: Path) -> None:
    folder = cut_off_run.parent
    muted = rlvitals("mute", FINDING, folder, *REASON, "--until", "2999-01-31")
    assert (muted.returncode, muted.stdout) == (0, f"{FINDING} is muted in {folder / 'rlvitals.toml'}.\n")

    for form in ("text", "markdown"):
        shown = rlvitals("diagnose", cut_off_run, "--format", form)
        assert shown.returncode == 0
        assert "short answers are meant, until 2999-01-31" in " ".join(shown.stdout.replace("\\", "").split())
    (run,) = json.loads(rlvitals("diagnose", cut_off_run, "--format", "json").stdout)["runs"]
    assert (run["verdict"], run["muted"][0]["finding"]) == ("no-problem-found", FINDING)

    assert rlvitals("mute", FINDING, folder, "--undo").returncode == 0
    assert rlvitals("diagnose", cut_off_run).returncode == 1


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("no-such",), "there is no rule or cause called 'no-such'"),
        ((FINDING,), 'a mute needs its reason: --reason "…"'),
        ((FINDING, "nowhere", *REASON), "nowhere is no folder"),
        ((FINDING, "--undo"), "rlvitals.toml does not mute completion-limit-too-short"),
        ((FINDING, *REASON, "--until", "soon"), "'soon' is no date; write it as 2027-01-31"),
    ],
)
def test_bad_input_gets_a_sentence(rlvitals, words: tuple[str, ...], sentence: str) -> None:
    shown = rlvitals("mute", *words)
    assert shown.returncode == 2
    assert sentence in shown.stderr
