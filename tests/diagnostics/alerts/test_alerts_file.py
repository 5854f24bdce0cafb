"""Tests of the alerts file: who gets what, and what is said of a file that is wrong."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from diagnostics.alerts.alert import Alert, alert_of
from diagnostics.alerts.alerts_file import AlertRules, AlertsFileError, Route, alert_rules, users_file
from diagnostics.alerts.episodes import Event, Kind
from diagnostics.model.outcome import Severity
from tests.diagnostics.alerts.diagnoses import diagnosis

OPENED = Event(Kind.OPENED, "kl-runaway", Severity.WARNING)


def alert(event: Event = OPENED, name: str = "grpo-a") -> Alert:
    return alert_of(event, diagnosis(kl_runaway="warning", name=name), 1000, "")


def written(folder: Path, text: str) -> Path:
    file = folder / "alerts.toml"
    file.write_text(text, "utf-8")
    file.chmod(0o600)
    return file


def test_a_file_names_receivers_and_what_each_gets(tmp_path: Path) -> None:
    file = written(
        tmp_path,
        """
        page = "http://gpu-box:8501"
        cooldown_minutes = 2
        [[send]]
        webhook = "https://example.org/hook"
        headers = { Authorization = "Bearer x" }
        severity = "critical"
        [[send]]
        command = ["notify-send", "rlvitals"]
        when = ["failed", "silent"]
        [[send]]
        apprise = "slack://a/b/c"
        runs = "grpo-*"
        findings = ["kl-*"]
        [[send]]
        terminal = true
        """,
    )
    found = alert_rules(file)
    assert (found.page, found.cooldown) == ("http://gpu-box:8501", 120.0)
    assert found.routes == (
        Route("webhook", "https://example.org/hook", Severity.CRITICAL, headers={"Authorization": "Bearer x"}),
        Route("command", ("notify-send", "rlvitals"), when=frozenset({Kind.FAILED, Kind.SILENT})),
        Route("apprise", "slack://a/b/c", runs="grpo-*", findings=("kl-*",)),
        Route("terminal", True),
    )


def test_a_receiver_gets_what_it_asks_for_and_nothing_else() -> None:
    route, note = Route("terminal", True), Event(Kind.OPENED, "kl-runaway", Severity.INFO)
    ended, worse = Event(Kind.ENDED), Event(Kind.WORSENED, "kl-runaway", Severity.CRITICAL)
    assert [route.takes(alert(event)) for event in (OPENED, note, worse, ended)] == [True, False, True, True]
    critical = replace(route, severity=Severity.CRITICAL)
    assert [critical.takes(alert(event)) for event in (OPENED, worse, ended)] == [False, True, True]
    assert [replace(route, runs="grpo-*").takes(alert(name=name)) for name in ("grpo-a", "ppo-a")] == [True, False]
    named = [replace(route, findings=(pattern,)).takes(alert()) for pattern in ("kl-*", "ratio-*")]
    assert named == [True, False]
    assert not replace(route, when=frozenset({Kind.FAILED})).takes(alert())


def test_without_a_file_alarms_go_to_the_terminal() -> None:
    assert not users_file().exists()
    assert alert_rules() == AlertRules() == AlertRules((Route("terminal", True),))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "names no receiver"),
        ("[[send]]", "one names none"),
        ("[[send]]\nterminal = true\nwebhook = 'http://a'", "one names terminal and webhook"),
        ("[[send]]\nwebhook = 'file:///etc/passwd'", 'write webhook = "https://…"'),
        ("[[send]]\ncommand = 'rm -rf /'", "a list of words"),
        ("[[send]]\napprise = 'slack'", "an address of apprise"),
        ("[[send]]\nterminal = true\nseverity = 'bad'", "severity = 'bad' is none of info, warning, critical"),
        ("[[send]]\nterminal = true\nwhen = ['now']", "when = 'now' is none of opened, worsened"),
        ("[[send]]\nterminal = true\nrun = 'a'", "has no key 'run'"),
        ("[[send]]\nterminal = true\nfindings = 'a'", "findings = 'a' is no list"),
        ("cooldown_minutes = -1\n[[send]]\nterminal = true", "no number of minutes"),
        ("cooldown_minutes = nan\n[[send]]\nterminal = true", "no number of minutes"),
        ("page = 'javascript:alert(1)'\n[[send]]\nterminal = true", "no address such as"),
        ("send = 1", "names no receiver"),
        ("[[send]", "alerts.toml: "),
    ],
)
def test_a_wrong_file_is_refused_in_a_sentence_that_names_it(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(AlertsFileError) as error:
        alert_rules(written(tmp_path, text))
    assert said in str(error.value)
    assert str(tmp_path / "alerts.toml") in str(error.value)


def test_a_file_that_others_can_change_is_refused_for_it_may_start_commands(tmp_path: Path) -> None:
    file = written(tmp_path, "[[send]]\nterminal = true")
    file.chmod(0o666)
    with pytest.raises(AlertsFileError, match="chmod go-w"):
        alert_rules(file)
    with pytest.raises(AlertsFileError, match="No such file"):
        alert_rules(tmp_path / "none.toml")


def test_the_file_that_the_guide_shows_is_read(tmp_path: Path) -> None:
    guide = Path(__file__).parents[3] / "docs" / "guide" / "alerts.md"
    (shown,) = re.findall(r"```toml\n(.*?)```", guide.read_text("utf-8"), re.DOTALL)
    assert [route.channel for route in alert_rules(written(tmp_path, shown)).routes] == [
        "terminal", "webhook", "command", "apprise",
    ]  # fmt: skip
