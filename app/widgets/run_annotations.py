"""What the user says of runs on the list: read with it, and changed from it."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from app import state
from diagnostics.annotations import NO_ANNOTATION, Annotation, AnnotationError, Annotations

_CHANGES: Mapping[str, Callable[[Annotations, Sequence[Path], str], None]] = {
    "tag": lambda kept, paths, text: kept.tag(paths, text),
    "untag": lambda kept, paths, text: kept.untag(paths, text),
    "note": lambda kept, paths, text: kept.note(paths[0], text),
    "archive": lambda kept, paths, _: kept.archive(paths),
    "restore": lambda kept, paths, _: kept.restore(paths),
}


def annotations_of(paths: Sequence[Path]) -> tuple[list[Annotation], str]:
    """What is said of each run, and why nothing is where it cannot be read."""
    try:
        return Annotations.of_user().of_runs(paths), ""
    except AnnotationError as error:
        return [NO_ANNOTATION for _ in paths], str(error)


def change(what: str, sent: object, known: frozenset[Path]) -> str:
    """Change what is said of runs as the browser asks; the sentence why not, else empty.

    Only runs of the list can be named. A read-only dashboard changes nothing, whatever is sent.
    """
    if what not in _CHANGES or state.is_read_only() or not isinstance(sent, dict):
        return ""
    queries = sent.get("runs")
    named = map(state.run_of_query, filter(_is_text, queries if isinstance(queries, list) else ()))
    paths = [path for path in named if path in known]
    if not paths:
        return ""
    try:
        _CHANGES[what](Annotations.of_user(), paths, str(sent.get("text", "")))
    except AnnotationError as error:
        return str(error)
    return ""


def _is_text(sent: object) -> bool:
    return isinstance(sent, str)
