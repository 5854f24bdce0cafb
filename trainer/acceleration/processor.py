"""What Linux says of this machine's processor."""

from functools import cache
from pathlib import Path

_DESCRIPTION = Path("/proc/cpuinfo")


@cache
def processor() -> dict[str, str]:
    """The facts that Linux lists of a processor, by its names for them; empty on other systems."""
    try:
        lines = _DESCRIPTION.read_text("utf-8").splitlines()
    except OSError:
        return {}
    return {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in lines)}


def is_amd() -> bool:
    """Whether AMD made this processor, as far as the system says."""
    return processor().get("vendor_id") == "AuthenticAMD"


def is_intel() -> bool:
    """Whether Intel made this processor, as far as the system says."""
    return processor().get("vendor_id") == "GenuineIntel"


def halves_vectors() -> bool:
    """Whether AVX-512 works in two halves here: AMD's Zen 4 (family 25), on which AVX2 multiplies as fast."""
    return is_amd() and processor().get("cpu family") == "25"
