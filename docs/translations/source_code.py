"""The texts that the code itself shows: what stands in `_()` and its like, `told()`, `counted()`, …."""

from collections.abc import Iterator
from pathlib import Path

from babel.messages.extract import extract_from_file

from docs.translations.texts import Text

_ROOT = Path(__file__).parents[2]
_FOLDERS = {"diagnostics": "words", "trainer": "trainer", "app": "pages"}
_KEYWORDS = {
    "_": None,
    "N_": None,
    "ngettext": (1, 2),
    "pgettext": ((1, "c"), 2),
    "skipped_without": (1,),
    "too_few_samples": (1,),
    "told": (1,),
}
_COUNTED = "counted"


def texts() -> Iterator[tuple[str, Text]]:
    """Each text with its domain, file by file."""
    for folder, domain in _FOLDERS.items():
        for path in sorted((_ROOT / folder).rglob("*.py")):
            yield from ((domain, text) for text in _in_file(path))


def _in_file(path: Path) -> Iterator[Text]:
    source, where = path.read_text("utf-8"), path.relative_to(_ROOT).as_posix()
    if _COUNTED in source:
        for _line, noun, _comments, _context in extract_from_file("python", path, keywords={_COUNTED: (2,)}):
            yield Text(f"{{count}} {noun}", where, plural=f"{{count}} {noun}s")
    if not any(f"{name}(" in source for name in _KEYWORDS):
        return
    for _line, found, _comments, context in extract_from_file("python", path, keywords=_KEYWORDS):
        english, plural = (found, "") if isinstance(found, str) else found[:2]
        yield Text(english, where, plural=plural, context=context or "")
