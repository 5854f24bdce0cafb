"""Last words: what the end of a console says of how a training died or where it hangs; signatures as data."""

from diagnostics.last_words.kinds import KINDS, MEMORY_KINDS, NOT_FINITE, Kind, Part
from diagnostics.last_words.signatures import SIGNATURES, Signature
from diagnostics.last_words.signs import TEXTS, Sign, bystander, kind_of, leading_sign, signs_in

__all__ = [
    "KINDS",
    "MEMORY_KINDS",
    "NOT_FINITE",
    "SIGNATURES",
    "TEXTS",
    "Kind",
    "Part",
    "Sign",
    "Signature",
    "bystander",
    "kind_of",
    "leading_sign",
    "signs_in",
]
