"""Decoding event files: framing, checksums, and the ways to decode many records at once, behind `Decoder`."""

from diagnostics.readers.tensorboard.decode.decoder import Decoder, Stretch
from diagnostics.readers.tensorboard.decode.tag_points import TagPoints

__all__ = ["Decoder", "Stretch", "TagPoints"]
