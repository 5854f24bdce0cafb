"""The limits and mutes of an rlvitals.toml: read, changed, and refused in a sentence."""

import shutil
from datetime import date
from pathlib import Path

import pytest

from diagnostics.api import LiveRun, diagnose, open_run
from diagnostics.model.diagnosis import Diagnosis
from diagnostics.model.project import Mute
from diagnostics.project import ProjectFileError, add_mute, file_for, nearest_file, remove_mutes, set_limits
from diagnostics.project.reading import read_project
from diagnostics.runlog import RunLog
from diagnostics.runlog.parent import SAMPLE_RUNS

CAUSE, RULE = "completion-limit-too-short", "truncation-high"
MEANT = Mute(CAUSE, "short answers are meant")


@pytest.fixture
def cut_off(tmp_path: Path) -> Path:
    """A run all of whose answers are cut off, in a folder of its own."""
    settings = {"max_completion_length": 8}
    with RunLog(tmp_path / "runs" / "cut-off", algorithm="grpo", config=settings, total=30) as log:
        for step in range(1, 31):
            log.log(step, {"reward": 0.1, "completions/clipped_ratio": 0.95, "completions/mean_length": 8.0})
    return log.directory


def of(run: Path) -> Diagnosis:
    return diagnose(open_run(run))


def told(diagnosis: Diagnosis) -> list[tuple[str, str]]:
    return [(outcome.rule, outcome.verdict) for outcome in diagnosis.outcomes]


def test_a_muted_cause_is_told_apart_and_takes_with_it_what_it_explains(cut_off: Path, tmp_path: Path) -> None:
    before = of(cut_off)
    add_mute(tmp_path / "rlvitals.toml", MEANT)

    after = of(cut_off)

    assert CAUSE in [finding.name for finding in before.findings]
    assert [(each.finding.name, each.mute) for each in after.muted] == [(CAUSE, MEANT)]
    muted = {outcome.rule for outcome in after.muted[0].finding.outcomes}
    assert RULE in muted
    assert {outcome.rule for outcome in after.fired} == {outcome.rule for outcome in before.fired} - muted
    assert told(before) == told(after)


def test_a_muted_rule_is_no_sign_of_its_cause(cut_off: Path, tmp_path: Path) -> None:
    add_mute(tmp_path / "rlvitals.toml", Mute(RULE, "known"))

    diagnosis = of(cut_off)

    assert [each.finding.name for each in diagnosis.muted] == [RULE]
    assert all(RULE not in cause.outcomes for cause in diagnosis.causes)


def test_a_run_is_not_called_healthy_because_a_finding_is_muted(tmp_path: Path) -> None:
    copy = shutil.copytree(SAMPLE_RUNS / "healthy-ppo", tmp_path / "healthy")
    assert of(copy).verdict == "healthy"
    file = tmp_path / "rlvitals.toml"
    file.write_text("[limits.kl-too-high]\nwarning_per_sequence = 1e-6\n")
    (found,) = of(copy).findings

    add_mute(file, Mute(found.name, "the limit is a joke"))

    assert [each.finding.name for each in of(copy).muted] == [found.name]
    assert of(copy).verdict == "no-problem-found"


@pytest.mark.parametrize(
    ("mute", "holds"),
    [
        (Mute(RULE, "x", run="cut-*"), True),
        (Mute(RULE, "x", run="cut"), False),
        (Mute(RULE, "x", run="./runs/cut-*"), True),
        (Mute(RULE, "x", run="./cut-off"), False),
        (Mute(RULE, "x", until=date.max), True),
        (Mute(RULE, "x", until=date(2020, 1, 1)), False),
    ],
)
def test_a_mute_holds_for_its_runs_and_no_longer_than_it_is_meant(
    cut_off: Path, tmp_path: Path, mute: Mute, holds: bool
) -> None:
    add_mute(tmp_path / "rlvitals.toml", mute)

    assert bool(of(cut_off).muted) is holds


@pytest.mark.parametrize(("today", "holds"), [(date(2026, 3, 1), True), (date(2026, 3, 2), False)])
def test_a_mute_holds_on_its_last_day(today: date, holds: bool) -> None:
    assert Mute(RULE, "x", until=date(2026, 3, 1)).holds((), today) is holds


def test_the_projects_limits_judge_unless_a_limits_file_says_otherwise(cut_off: Path, tmp_path: Path) -> None:
    (tmp_path / "rlvitals.toml").write_text("[limits.truncation-high]\nwarning = 0.99\ncritical = 0.995\ninfo = 0.98\n")

    assert RULE not in [outcome.rule for outcome in of(cut_off).fired]
    given = diagnose(open_run(cut_off), {"truncation-high": {"info": 0.5, "warning": 0.6}})
    assert RULE in [outcome.rule for outcome in given.fired]
    assert given.limits["truncation-high"]["critical"] == 0.995


def test_what_is_wrong_in_the_file_is_a_remark_and_changes_no_verdict(cut_off: Path, tmp_path: Path) -> None:
    plain = of(cut_off)
    (tmp_path / "rlvitals.toml").write_text(
        '[limits.truncation-hihg]\ninfo = 1\n\n[[muted]]\nfinding = "no-such"\nreason = "x"\n'
    )

    diagnosis = of(cut_off)

    assert told(diagnosis) == told(plain)
    limits, mute = diagnosis.remarks
    assert "there is no rule called truncation-hihg (did you mean truncation-high?); its limits are not used" in limits
    assert mute.endswith("mutes no-such, which is no rule and no cause")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("muted = 1", "write [[muted]] above each"),
        ("muted = [1]", "write [[muted]] above each"),
        ('[[muted]]\nfinding = "a"', "needs reason ="),
        ('[[muted]]\nfinding = 3\nreason = "x"', "needs finding ="),
        ('[[muted]]\nfinding = "a"\nreason = "x"\nuntil = "2027-01-31"', "without quotes"),
        ('[[muted]]\nfinding = "a"\nreason = "x"\nwho = "me"', "no key 'who'; known are finding, reason, run, until"),
        ("limits = 3", "write [limits.rule-name]"),
        ("muted = [", "its limits and mutes are not used"),
    ],
)
def test_a_wrong_file_is_said_to_be_so_in_a_sentence(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "rlvitals.toml"
    file.write_text(text)

    project = read_project(file)

    assert words in project.problem
    assert (project.mutes, project.limits) == ((), {})
    with pytest.raises(ProjectFileError, match="mend it first"):
        add_mute(file, MEANT)
    assert file.read_text() == text


def test_what_else_the_file_says_stays_as_it_was_written(tmp_path: Path) -> None:
    file = tmp_path / "rlvitals.toml"
    before = '# ours\n[metrics]\n"opt/kl" = "kl_per_token"  # per token\n'
    file.write_text(before)

    add_mute(file, MEANT)
    add_mute(file, Mute(CAUSE, "another reason"))
    assert file.read_text().startswith(before)
    assert [mute.reason for mute in read_project(file).mutes] == ["another reason"]

    assert remove_mutes(file, CAUSE) == 1
    assert file.read_text().strip() == before.strip()
    assert remove_mutes(file, CAUSE) == 0


def test_any_text_is_kept_in_a_reason(tmp_path: Path) -> None:
    reason = 'x"""\n[limits]\n\u202e\x07 = # \\ 😀'
    add_mute(tmp_path / "rlvitals.toml", Mute(RULE, reason))

    assert [mute.reason for mute in read_project(tmp_path / "rlvitals.toml").mutes] == [reason]


def test_a_watched_run_follows_the_file(cut_off: Path, tmp_path: Path) -> None:
    live = LiveRun(cut_off)
    first = live.refresh()
    assert first is not None
    assert live.refresh() is None

    add_mute(tmp_path / "rlvitals.toml", MEANT)

    second = live.refresh()
    assert second is not None
    assert (first.project.mutes, second.project.mutes) == ((), (MEANT,))
    assert second.series is first.series


def test_the_nearest_file_counts(cut_off: Path, tmp_path: Path) -> None:
    for folder, reason in ((tmp_path, "far"), (cut_off.parent, "near")):
        add_mute(folder / "rlvitals.toml", Mute(RULE, reason))

    assert nearest_file(cut_off) == cut_off.parent / "rlvitals.toml"
    assert [mute.reason for mute in open_run(cut_off).project.mutes] == ["near"]


COMMENTED = """# ours
[limits.kl-too-high]  # agreed in May
warning_per_sequence = 20 # from Ann
patience = 4

[[muted]]
# because of Bob
finding = "kl-too-high"
reason = "known"  # for now

[limits.truncation-high]
info = 0.05
"""


def test_limits_are_set_and_taken_back_and_every_comment_stays(tmp_path: Path) -> None:
    file = tmp_path / "rlvitals.toml"
    file.write_text(COMMENTED)

    set_limits(file, "kl-too-high", {"warning_per_sequence": 22.5, "patience": None, "critical_per_sequence": 1e-6})
    set_limits(file, "truncation-high", {"info": None})
    set_limits(file, "length-collapse", {"info": 3.0})
    add_mute(file, MEANT)

    project = read_project(file)
    assert project.limits == {
        "kl-too-high": {"warning_per_sequence": 22.5, "critical_per_sequence": 1e-6},
        "length-collapse": {"info": 3.0},
    }
    assert [mute.reason for mute in project.mutes] == ["known", MEANT.reason]
    for comment in ("# ours", "# agreed in May", "# from Ann", "# because of Bob", "# for now"):
        assert comment in file.read_text()

    set_limits(file, "kl-too-high", {"warning_per_sequence": None, "critical_per_sequence": None})
    set_limits(file, "length-collapse", {"info": None})
    assert read_project(file).limits == {}


@pytest.mark.parametrize(
    "text",
    ["", 'limits = {kl-too-high = {patience = 4}}\nmuted = [{finding = "a", reason = "b"}]\n', "[limits]\n[metrics]\n"],
)
def test_a_file_of_any_shape_is_added_to(tmp_path: Path, text: str) -> None:
    file = tmp_path / "rlvitals.toml"
    file.write_text(text)
    before = read_project(file)

    set_limits(file, "kl-too-high", {"start": 7})
    add_mute(file, MEANT)

    after = read_project(file)
    assert after.limits == {"kl-too-high": {**before.limits.get("kl-too-high", {}), "start": 7}}
    assert after.mutes == (*before.mutes, MEANT)


def test_a_shape_that_cannot_be_added_to_is_left_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "rlvitals.toml"
    text = "limits.kl-too-high.patience = 3\nlimits.kl-too-high.start = 3\n"
    file.write_text(text)

    with pytest.raises(ProjectFileError, match="change it by hand"):
        set_limits(file, "truncation-high", {"info": 0.1})

    assert file.read_text() == text
    assert [path.name for path in tmp_path.iterdir()] == ["rlvitals.toml"]


def test_a_new_file_goes_into_the_outermost_folder_shown_and_never_into_a_run(tmp_path: Path) -> None:
    shown, run = tmp_path / "all", tmp_path / "all" / "grpo" / "seed-1"
    run.mkdir(parents=True)

    assert file_for(run, (shown / "grpo", shown)) == shown / "rlvitals.toml"
    assert file_for(run, (run,)) == run.parent / "rlvitals.toml"
    add_mute(run.parent / "rlvitals.toml", MEANT)
    assert file_for(run, (shown,)) == run.parent / "rlvitals.toml"
