"""The dashboard's look: colours with a meaning, and the words and shapes beside them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from app.assets import asset
from diagnostics.language import N_, _
from diagnostics.wording.severities import VERDICT_SHAPES, verdict_word

BadgeColour = Literal["red", "orange", "blue", "green", "gray"]


@dataclass(frozen=True, slots=True)
class Palette:
    """The colours of one theme, as CSS colours; those with a meaning are Okabe and Ito's, lightened for dark mode."""

    ground: str
    ink: str
    muted: str
    grid: str
    surface: str
    firm: str
    control: str
    """A firmer line, and the border of a control."""
    line: str
    critical: str
    warning: str
    info: str
    healthy: str
    critical_text: str
    warning_text: str
    info_text: str
    """The same colours for words, dark or light enough to be read on the page's ground."""
    stages: tuple[str, ...]
    """Colours without a meaning, for the stages of a step, each told by its word as well."""
    runs: tuple[str, ...]
    """Colours without a meaning, for runs side by side, each told by its letter as well; dark enough for text."""

    def of(self, verdict: str) -> str:
        """The colour of a verdict; the muted one for what is neither good nor bad."""
        colours = {"critical": self.critical, "warning": self.warning, "info": self.info, "healthy": self.healthy}
        return colours.get(verdict, self.muted)


LIGHT = Palette(
    ground="#FFFFFF",
    ink="#1A1D21",
    muted="#59616B",
    grid="#E2E5EA",
    surface="#F6F7F9",
    firm="#C3C9D1",
    control="#8C949E",
    line="#0065A3",
    critical="#D55E00",
    warning="#C98500",
    info="#0065A3",
    healthy="#00704F",
    critical_text="#A34700",
    warning_text="#7D5700",
    info_text="#005F94",
    stages=("#3B6FA0", "#8FB8DE", "#B59FC6", "#C9C27A", "#7A8590", "#B8C0C8", "#DDE1E6"),
    runs=("#0065A3", "#B04300", "#00704F", "#8A4A86", "#7D5700", "#3F5A73", "#A3386B"),
)
DARK = Palette(
    ground="#101418",
    ink="#E8EAED",
    muted="#A3ABB6",
    grid="#272E36",
    surface="#171C22",
    firm="#434C57",
    control="#68737F",
    line="#6CB4EE",
    critical="#F07A3A",
    warning="#EDB945",
    info="#6CB4EE",
    healthy="#4FC9A2",
    critical_text="#FF9A66",
    warning_text="#F0B840",
    info_text="#7CC5EE",
    stages=("#5B9BD5", "#2F5F8A", "#8F76A8", "#8C8648", "#A3AEBA", "#66707B", "#3A424C"),
    runs=("#6CB4EE", "#FF9A66", "#4FC9A2", "#D69AD2", "#EDB945", "#A9BCD0", "#F08DB6"),
)

_STYLE = asset("style.css")

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'Noto Sans', 'DejaVu Sans', sans-serif"


def style(palette: Palette) -> str:
    """The style sheet of every page in these colours, as an element."""
    colours = {
        name: getattr(palette, name)
        for name in ("ground", "surface", "ink", "muted", "grid", "firm", "control", "line")
    }
    given = " ".join(f"--rlvitals-{name}: {colour};" for name, colour in colours.items())
    return f"<style>:root {{ {given} }}\n{_STYLE}</style>"


@dataclass(frozen=True, slots=True)
class Sign:
    """A meaning that does not rely on colour: a shape and a word, with the name of their colour."""

    shape: str
    english: str
    colour: BadgeColour

    @property
    def word(self) -> str:
        """The word in the language of the reader."""
        return _(self.english)

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
    "queued": Sign("○", N_("queued"), "gray"),
    "starting": Sign("◔", N_("starting"), "gray"),
    "running": Sign("●", N_("running"), "green"),
    "finished": Sign("✓", N_("finished"), "gray"),
    "stopped": Sign("■", N_("stopped"), "gray"),
    "failed": Sign("✕", N_("failed"), "orange"),
    "died": Sign("✕", N_("died"), "orange"),
    "silent": Sign("◌", N_("silent"), "gray"),
    "unknown": Sign("·", N_("state unknown"), "gray"),
}

FATES: Mapping[str, Sign] = {
    "gone": Sign("✓", N_("gone"), "green"),
    "still": Sign("▲", N_("still so"), "orange"),
    "too-early": Sign("◔", N_("too early to say"), "gray"),
    "unchecked": Sign("○", N_("not checked"), "gray"),
}

NOT_APPLICABLE = "not-applicable"
OUTCOMES: Mapping[str, Sign] = {
    "fired": Sign("▲", N_("fired"), "orange"),
    "quiet": Sign("✓", N_("quiet"), "green"),
    "skipped": Sign("○", N_("could not run"), "gray"),
    "broken": Sign("✕", N_("broke"), "gray"),
    NOT_APPLICABLE: Sign("·", N_("does not apply"), "gray"),
}
