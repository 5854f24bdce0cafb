"""Decoding event files: framing, checksums, and the ways to decode many records at once, behind `EventDecoder`."""

from diagnostics.readers.tensorboard.decode.decoder import EventDecoder, Stretch
from diagnostics.readers.tensorboard.decode.tag_points import TagPoints

__all__ = ["EventDecoder", "Stretch", "TagPoints"]
