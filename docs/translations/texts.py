"""A text that a user reads, where it stands, and the domains among which texts are divided."""

from dataclasses import dataclass

DOMAINS = (
    "words",
    "metrics",
    "causes",
    "findings",
    "rules-1-4",
    "rules-5-9",
    "samples",
    "settings",
    "sources",
    "trainer",
    "pages",
)
"""A text that stands in several belongs to the first of them."""


@dataclass(frozen=True, slots=True)
class Text:
    """One text: its English, its plural where it has one, its context, the file it stands in, and what it is."""

    english: str
    where: str
    what: str = ""
    plural: str = ""
    context: str = ""
