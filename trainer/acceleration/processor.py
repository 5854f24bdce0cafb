"""The processor of this machine, as Linux reports it."""

from functools import cache
from pathlib import Path

_DESCRIPTION = Path("/proc/cpuinfo")


@cache
def processor() -> dict[str, str]:
    """Linux's fields for one processor, under its own names; empty on other systems."""
    try:
        lines = _DESCRIPTION.read_text("utf-8").splitlines()
    except OSError:
        return {}
    return {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in lines)}


def is_amd() -> bool:
    """Whether this is an AMD processor, as far as the system reports it."""
    return processor().get("vendor_id") == "AuthenticAMD"


def is_intel() -> bool:
    """Whether this is an Intel processor, as far as the system reports it."""
    return processor().get("vendor_id") == "GenuineIntel"


def halves_vectors() -> bool:
    """Whether AVX-512 runs as two 256-bit halves, as on AMD's Zen 4 (family 25), where AVX2 multiplies as fast."""
    return is_amd() and processor().get("cpu family") == "25"
