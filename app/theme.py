"""The dashboard's look: colours with a meaning, and the words and shapes beside them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from diagnostics.wording.severities import VERDICT_SHAPES, verdict_word

BadgeColour = Literal["red", "orange", "blue", "green", "gray"]


@dataclass(frozen=True, slots=True)
class Palette:
    """The colours of one theme, as CSS colours; those with a meaning are Okabe and Ito's, lightened for dark mode."""

    ink: str
    muted: str
    grid: str
    surface: str
    line: str
    critical: str
    warning: str
    info: str
    healthy: str

    def of(self, verdict: str) -> str:
        """The colour of a verdict; the muted one for what is neither good nor bad."""
        colours = {"critical": self.critical, "warning": self.warning, "info": self.info, "healthy": self.healthy}
        return colours.get(verdict, self.muted)


LIGHT = Palette(
    ink="#1B1F24",
    muted="#5C6570",
    grid="#E7EAEE",
    surface="#FFFFFF",
    line="#0072B2",
    critical="#D55E00",
    warning="#E69F00",
    info="#0072B2",
    healthy="#009E73",
)
DARK = Palette(
    ink="#E4E7EB",
    muted="#98A2AE",
    grid="#2A3038",
    surface="#14181D",
    line="#56B4E9",
    critical="#FF7A2E",
    warning="#E69F00",
    info="#56B4E9",
    healthy="#2BBF95",
)

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'Noto Sans', 'DejaVu Sans', sans-serif"


@dataclass(frozen=True, slots=True)
class Sign:
    """A meaning that does not rely on colour: a shape and a word, with the name of their colour."""

    shape: str
    word: str
    colour: BadgeColour

    def __str__(self) -> str:
        return f"{self.shape} {self.word}"


_VERDICT_COLOURS: Mapping[str, BadgeColour] = {
    "critical": "red",
    "warning": "orange",
    "info": "blue",
    "healthy": "green",
    "no-problem-found": "gray",
    "not-rl": "gray",
}
VERDICTS: Mapping[str, Sign] = {
    verdict: Sign(VERDICT_SHAPES[verdict], verdict_word(verdict), colour)
    for verdict, colour in _VERDICT_COLOURS.items()
}

STATES: Mapping[str, Sign] = {
    "queued": Sign("○", "queued", "gray"),
    "starting": Sign("◔", "starting", "gray"),
    "running": Sign("●", "running", "green"),
    "finished": Sign("✓", "finished", "gray"),
    "stopped": Sign("■", "stopped", "gray"),
    "failed": Sign("✕", "failed", "orange"),
    "died": Sign("✕", "died", "orange"),
    "silent": Sign("◌", "silent", "gray"),
    "unknown": Sign("·", "state unknown", "gray"),
}

FATES: Mapping[str, Sign] = {
    "gone": Sign("✓", "gone", "green"),
    "still": Sign("▲", "still so", "orange"),
    "too-early": Sign("◔", "too early to say", "gray"),
    "unchecked": Sign("○", "not checked", "gray"),
}

NOT_APPLICABLE = "not-applicable"
OUTCOMES: Mapping[str, Sign] = {
    "fired": Sign("▲", "fired", "orange"),
    "quiet": Sign("✓", "quiet", "green"),
    "skipped": Sign("○", "could not run", "gray"),
    "broken": Sign("✕", "broke", "gray"),
    NOT_APPLICABLE: Sign("·", "does not apply", "gray"),
}
