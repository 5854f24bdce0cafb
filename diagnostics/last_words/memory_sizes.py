"""Memory sizes: how much memory a GPU or a node has, and how much an engine keeps, by the lines that name it, in GB."""

import re

_N = r"\d{1,7}(?:\.\d{1,6})?"
_UNITS = {"MiB": 1 / 1024, "GiB": 1.0, "TiB": 1024.0}
_GPU = (
    re.compile(rf"has a total capaci?ty of (?P<size>{_N}) (?P<unit>[MGT]iB)"),
    re.compile(rf"\(GPU \d+; (?P<size>{_N}) (?P<unit>[MGT]iB) total capacity"),
    re.compile(rf"total_gpu_memory \((?P<size>{_N})(?P<unit>GiB)\)"),
)
_NODE = re.compile(
    rf"was running was {_N}GB / (?P<total>{_N})GB \({_N}\), which exceeds the memory usage threshold of "
    r"(?P<threshold>\d\.\d{1,6})"
)
_KEPT = re.compile(rf"Sleep mode freed {_N} GiB(?: memory)?, (?P<kept>{_N}) GiB memory is still in use")


def gpu_size(text: str) -> float | None:
    """What a GPU has, by torch's message or vLLM's; the last line counts, for they may differ."""
    sizes = [match for pattern in _GPU for match in pattern.finditer(text)]
    return float(sizes[-1]["size"]) * _UNITS[sizes[-1]["unit"]] if sizes else None


def node_limit(text: str) -> float | None:
    """At how much of a node's memory ray kills workers, by ray's message."""
    found = [float(match["total"]) * float(match["threshold"]) for match in _NODE.finditer(text)]
    return found[-1] if found else None


def kept_asleep(text: str) -> tuple[float, ...]:
    """What vLLM still held each time after it went to sleep, in the order of the lines."""
    return tuple(float(match["kept"]) for match in _KEPT.finditer(text))
