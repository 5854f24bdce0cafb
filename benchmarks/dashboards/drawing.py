"""When charts are drawn: the moment from which each plot's picture holds pixels of a curve's colour."""

import io
import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from playwright.sync_api import Page

PATIENCE = 120.0  # seconds for all charts
_COLOURED = 28  # from the weakest to the strongest of red, green and blue; axes and words are greyer than any curve
_LEAST = 40  # pixels of a curve
_QUALITY = 90  # of the pictures: a curve's colour survives it
_BETWEEN = 0.02  # seconds between two looks for plots that are not there yet
_BOXES = """([selector, count]) => [...document.querySelectorAll(selector)]
  .map(place => place.getBoundingClientRect()).filter(({width, height}) => width > 50 && height > 50).slice(0, count)
  .map(({left, top, width, height}) => ({x: left, y: top, width, height}))"""

Box = dict[str, float]


@dataclass(frozen=True, slots=True)
class NotDrawn:
    """Fewer charts than asked for were drawn in time."""

    drawn: int
    wanted: int


def seconds_until_drawn(page: Page, selector: str, count: int, start: float) -> float | NotDrawn:
    """Seconds since `start` (of `perf_counter`) until the first `count` plots show curves, all in the window."""
    done = 0
    while time.perf_counter() - start < PATIENCE:
        boxes: list[Box] = page.evaluate(_BOXES, [selector, count])
        if len(boxes) < count:
            time.sleep(_BETWEEN)
            continue
        done = _drawn(page, boxes)
        if done == count:
            return time.perf_counter() - start
    return NotDrawn(done, count)


def _drawn(page: Page, boxes: list[Box]) -> int:
    return drawn_in(page.screenshot(type="jpeg", quality=_QUALITY, animations="allow", caret="initial"), boxes)


def drawn_in(picture: bytes, boxes: list[Box]) -> int:
    """How many of the boxes hold a curve in a picture of the whole window; what lies outside of it does not count."""
    pixels = np.asarray(Image.open(io.BytesIO(picture)).convert("RGB"), dtype=np.int16)
    is_coloured = pixels.max(axis=2) - pixels.min(axis=2) > _COLOURED
    return sum(_shows_curve(is_coloured, box) for box in boxes)


def _shows_curve(is_coloured: NDArray[np.bool_], box: Box) -> bool:
    left, top = int(box["x"]), int(box["y"])
    right, bottom = int(box["x"] + box["width"]), int(box["y"] + box["height"])
    is_inside = bottom <= is_coloured.shape[0] and right <= is_coloured.shape[1]
    return is_inside and int(is_coloured[top:bottom, left:right].sum()) >= _LEAST
