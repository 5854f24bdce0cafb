"""What on a page cannot be read: text that is too faint on its ground, and English where Chinese is spoken."""

import re
from collections.abc import Iterator
from functools import cache

from playwright.sync_api import Page

from docs.translations.files import forms, is_done, messages, translations
from docs.translations.texts import DOMAINS

LEAST_CONTRAST = 4.5  # to 1: WCAG AA for text
FADED = """least => {
  const OTHERS = 'style, script, noscript, svg, option, :disabled, [aria-disabled=true], [aria-hidden=true]';
  const parse = (colour) => {
    const [r, g, b, a = 1] = colour.match(/[\\d.]+/g).map(Number);
    return colour.startsWith('color(srgb') ? [r * 255, g * 255, b * 255, a] : [r, g, b, a];
  };
  const over = ([r, g, b, a], [x, y, z]) => [r * a + x * (1 - a), g * a + y * (1 - a), b * a + z * (1 - a), 1];
  const light = (colour) => colour.slice(0, 3).map((part) => part / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    .reduce((sum, part, index) => sum + part * [0.2126, 0.7152, 0.0722][index], 0);
  const ground = (element) => {
    const colours = [];
    for (let at = element; at; at = at.parentElement) colours.push(parse(getComputedStyle(at).backgroundColor));
    return colours.reverse().reduce((below, colour) => over(colour, below), parse('rgb(255, 255, 255)'));
  };
  const opacity = (element) => {
    let product = 1;
    for (let at = element; at; at = at.parentElement) product *= Number(getComputedStyle(at).opacity);
    return product;
  };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode, element = text.parentElement;
    if (!text.data.trim() || !element.checkVisibility({ visibilityProperty: true })) continue;
    if (element.closest(OTHERS)) continue;
    const below = ground(element), colour = parse(getComputedStyle(element).color);
    colour[3] *= opacity(element);
    if (!colour[3]) continue;
    const [high, low] = [light(over(colour, below)), light(below)].sort((one, other) => other - one);
    const contrast = (high + 0.05) / (low + 0.05);
    if (contrast < least) found.push(`${text.data.trim().slice(0, 40)}: ${contrast.toFixed(2)}`);
  }
  return [...new Set(found)];
}"""
SAID = """() => {
  // What a model or a log said is in no language of ours.
  const OTHERS = 'style, script, noscript, pre, code, .rls-text, .rls-prompt, .rlv-quote';
  const said = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const { data, parentElement } = walker.currentNode;
    if (!parentElement.closest(OTHERS) && parentElement.checkVisibility({ visibilityProperty: true })) said.push(data);
  }
  for (const name of ['title', 'aria-label', 'placeholder']) {
    for (const element of document.querySelectorAll(`[${name}]`)) {
      if (!element.closest(OTHERS)) said.push(element.getAttribute(name));
    }
  }
  return [...new Set(said.map((text) => text.replace(/\\s+/g, ' ').trim()).filter(Boolean))];
}"""
_PLACE = re.compile(r"\{[^{}]*\}")
_WORD = re.compile(r"[A-Za-z]{2,}")
_CHINESE = re.compile(r"[\u4e00-\u9fff]")


def faded(page: Page) -> list[str]:
    """Every text in view or below that has less than LEAST_CONTRAST to what lies behind it, with its contrast."""
    found: list[str] = page.evaluate(FADED, LEAST_CONTRAST)
    return found


def untranslated(page: Page) -> list[str]:
    """Every visible text, hint and label of a Chinese page that the catalogue has in Chinese."""
    said = [text for text in page.evaluate(SAID) if _WORD.search(text) and not _CHINESE.search(text)]
    return [text for text in said if text in _sentences() or _is_filled(text)]


@cache
def _sentences() -> frozenset[str]:
    """What is translated and cannot be a name of something logged: several words, or one with a capital letter."""
    return frozenset(text for text in _english() if not _PLACE.search(text) and (" " in text or text[:1].isupper()))


@cache
def _templates() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """What is translated around places for values, with the longest part of it that stands there as it is."""
    found = []
    for text in _english():
        parts = _PLACE.split(text)
        if len(parts) > 1 and len(_WORD.findall(" ".join(parts))) > 1:
            found.append((max(parts, key=len), re.compile(".+?".join(map(re.escape, parts)))))
    return tuple(found)


def _is_filled(text: str) -> bool:
    return any(part in text and pattern.fullmatch(text) for part, pattern in _templates())


def _english() -> Iterator[str]:
    for domain in DOMAINS:
        for message in messages(translations("zh", domain)):
            english = message.id if isinstance(message.id, tuple) else (message.id,)
            if is_done(message) and forms(message)[0] not in english:
                yield from (re.sub(r"\s+", " ", text).strip() for text in english)
