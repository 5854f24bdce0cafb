"""What to call each of several runs, so that no two are called the same."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path


def distinct_names(runs: Sequence[tuple[str, Path]]) -> list[str]:
    """A name for each run (its own name, its path): the own one where no other run has it.

    Else as many folders before it as tell it from the others, "seed-1/tb/trl"; where they do not, or it is no part of
    the path, the shortest end of the path that does stands after it, "royal-river (b/wandb/run-7)".
    """
    alike = defaultdict[str, list[Path]](list)
    for name, path in runs:
        alike[name].append(path)
    told = {name: _told_apart(name, paths) for name, paths in alike.items() if len(paths) > 1}
    names = [told[name][path] if name in told else name for name, path in runs]
    counts = Counter(names)
    return [str(path) if counts[name] > 1 else name for name, (_, path) in zip(names, runs, strict=True)]


def _told_apart(name: str, paths: Sequence[Path]) -> dict[Path, str]:
    named = {path: _as_far_as(name, path) for path in paths}
    counts = Counter(named.values())
    places = {path: place if place and counts[place] == 1 else path for path, place in named.items()}
    with_folder = _distinct_ends(places.values(), len(Path(name).parts) + 1)
    after_name = _distinct_ends(places.values())
    return {
        path: with_folder[place] if place == named[path] else f"{name} ({after_name[place]})"
        for path, place in places.items()
    }


def _as_far_as(name: str, path: Path) -> Path | None:
    """The folder or file in a path that the run is called after; None where no part of the path is its name."""
    words = Path(name).parts
    ends = range(len(path.parts), len(words) - 1, -1) if words else ()
    return next((Path(*path.parts[:end]) for end in ends if path.parts[end - len(words) : end] == words), None)


def _distinct_ends(paths: Iterable[Path], fewest: int = 1) -> dict[Path, str]:
    """For each path the shortest end, of so many parts or more, that no other has; all of it if another ends in it."""
    found: dict[Path, str] = {}
    waiting, length = list(dict.fromkeys(paths)), fewest
    while waiting:
        ends = {path: path.parts[-length:] for path in waiting}
        counts = Counter(ends.values())
        found |= {path: str(Path(*end)) for path, end in ends.items() if counts[end] == 1 or len(path.parts) <= length}
        waiting = [path for path in waiting if path not in found]
        length += 1
    return found
