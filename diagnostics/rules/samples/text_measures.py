"""Measures of one text: its units, its repetition, its scripts, its marks, and what in it is not language.

Nothing here knows a tokenizer or a language. A unit is a word, a number, a single mark or, in scripts that are written
without spaces, a character. Every function is pure; results are cached, because several checks measure the same texts.
"""

import math
import re
import unicodedata
import zlib
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache

MOST_CHARACTERS = 4000  # of a response that are measured: its start and its end, half each
KEPT = 1024  # cached texts: more than the tables of one diagnosis hold
KEPT_WORDS = 16384  # cached words and characters
NGRAM = 3
TAIL_SHARE = 0.25
LEAST_TAIL = 200  # characters; a shorter text compresses to little more than zlib's own header
LEAST_LINE = 3  # units; shorter lines, such as a closing bracket, repeat in any code
LONGEST_WORD = 40  # letters; the longest words of German and Finnish text have fewer
VOWELLESS = 6  # letters of a Latin word without any vowel; Czech has words of five
ALTERNATIONS = 3  # between letters and digits, or between cases, within one word

SPECIAL = re.compile(r"<\|[^|<>\n]{1,40}\|>|\[(?:PAD|CLS|SEP|UNK|INST|/INST)\]|<(?:pad|eos|bos|unk|end_of_turn)>|</s>")
_UNSPACED = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_UNIT = re.compile(rf"[{_UNSPACED}]|[^\W_{_UNSPACED}]+(?:['’][^\W_{_UNSPACED}]+)*|[^\w\s]|_")
_WORD = re.compile(rf"[{_UNSPACED}]|[^\W\d_{_UNSPACED}]+(?:['’][^\W\d_{_UNSPACED}]+)*|\d+")
_EXCLAIMING = re.compile(r"[!¡！‼❗❕⁉]")
_EMOJI = re.compile(r"[\u2600-\u27bf\u2b50\u2b55\U0001f000-\U0001faff]")
_VOWELS = frozenset("aeiouy")
_JOINT_SCRIPTS = {"HIRAGANA": "CJK", "KATAKANA": "CJK", "FULLWIDTH": "LATIN", "MATHEMATICAL": "LATIN"}
_UNSPACED_SCRIPTS = frozenset({"CJK", "THAI", "LAO", "MYANMAR", "KHMER", "BOPOMOFO"})
_NEVER_TEXT = frozenset({"Cc", "Co", "Cn"})  # control characters, private use, unassigned


def clipped(text: str) -> str:
    """The text, or its start and its end where it is longer than MOST_CHARACTERS."""
    half = MOST_CHARACTERS // 2
    return text if len(text) <= MOST_CHARACTERS else text[:half] + text[-half:]


@lru_cache(KEPT)
def without_end(text: str) -> str:
    """The text without the special tokens and the white space at its end, which some tables keep."""
    stripped = text.rstrip()
    while match := re.search(rf"(?:{SPECIAL.pattern})$", stripped):
        stripped = stripped[: match.start()].rstrip()
    return stripped


@lru_cache(KEPT)
def normalised(text: str) -> str:
    """The text for comparing: lower case, single spaces, no special tokens at its end."""
    return " ".join(without_end(text).lower().split())


@lru_cache(KEPT)
def units(text: str) -> tuple[str, ...]:
    """The units of the text in lower case; special tokens at its end do not count."""
    return tuple(_UNIT.findall(clipped(without_end(text)).lower()))


@lru_cache(KEPT)
def words(text: str) -> tuple[str, ...]:
    """The units that are words or numbers."""
    return tuple(unit for unit in units(text) if _WORD.match(unit))


@lru_cache(KEPT)
def ngrams(text: str, length: int = NGRAM) -> frozenset[tuple[str, ...]]:
    """The distinct runs of `length` units."""
    found = units(text)
    return frozenset(zip(*(found[start:] for start in range(length)), strict=False))


def repetition(text: str) -> float:
    """1 − distinct 3-grams / 3-grams, as TRL's repetition penalty counts them; 0 for fewer than three units."""
    total = len(units(text)) - NGRAM + 1
    return 1 - len(ngrams(text)) / total if total > 0 else 0.0


@lru_cache(KEPT)
def tail_compression(text: str) -> float:
    """Compressed size of the last quarter over its size; 1 where it is too short to tell."""
    tail = text[-round(len(text) * TAIL_SHARE) :].encode(errors="replace") if text else b""
    return len(zlib.compress(tail)) / len(tail) if len(tail) >= LEAST_TAIL else 1.0


@lru_cache(KEPT)
def most_repeated_line(text: str) -> int:
    """How often the most frequent line of three or more units occurs."""
    lines = Counter(line.strip() for line in clipped(text).splitlines())
    return max((count for line, count in lines.items() if count > 1 and len(units(line)) >= LEAST_LINE), default=1)


@lru_cache(KEPT)
def exclamation(text: str) -> float:
    """Exclamation marks and emoji per 100 characters."""
    count = len(_EXCLAIMING.findall(text)) + len(_EMOJI.findall(text))
    return 100 * count / len(text) if text else 0.0


@lru_cache(KEPT)
def only_exclaims(text: str) -> bool:
    """Whether there is nothing but exclamation marks, and at least three of them."""
    marks = re.sub(r"\s", "", without_end(text))
    return len(marks) >= NGRAM and not _EXCLAIMING.sub("", marks)


@lru_cache(KEPT)
def scripts(text: str) -> Mapping[str, int]:
    """Letters by script: {"LATIN": 40, "CJK": 3}; Chinese characters and Japanese kana count as one script."""
    if text.isascii():
        letters = sum(map(str.isalpha, text))
        return {"LATIN": letters} if letters else {}
    return Counter(_script(character) for character in clipped(text) if character.isalpha())


@lru_cache(KEPT)
def character_entropy(text: str) -> float:
    """Entropy of the characters, in bits per character."""
    counts = Counter(clipped(text)).values()
    total = sum(counts)
    return -sum(count / total * math.log2(count / total) for count in counts) if total else 0.0


@lru_cache(KEPT)
def odd_words(text: str) -> float:
    """The share of chunks between spaces that cannot be words of any language; 0 for a text without letters.

    Odd words have control or unassigned characters, letters of several alphabets, more than 40 letters, six Latin
    letters without a vowel, or alternate repeatedly between letters and digits or between cases. Numbers, marks and
    text in scripts without spaces are never odd; capitals need no vowel: they abbreviate, or are Roman numerals.
    """
    chunks = [chunk for chunk in clipped(without_end(text)).split() if _has_letters_or_noise(chunk)]
    return sum(map(_is_odd, chunks)) / len(chunks) if chunks else 0.0


@lru_cache(KEPT_WORDS)
def _has_letters_or_noise(chunk: str) -> bool:
    return any(character.isalpha() or not character.isprintable() or character == "\ufffd" for character in chunk)


@lru_cache(KEPT_WORDS)
def _is_odd(chunk: str) -> bool:
    if any(character == "\ufffd" or unicodedata.category(character) in _NEVER_TEXT for character in chunk):
        return True
    return any(map(_is_odd_word, re.findall(r"[^\W_]+", chunk)))


def _is_odd_word(word: str) -> bool:
    alphabets = {_script(character) for character in word if character.isalpha()}
    if alphabets & _UNSPACED_SCRIPTS:
        return False
    if len(alphabets) > 1 or len(word) > LONGEST_WORD:
        return True
    is_spelled_out = alphabets == {"LATIN"} and word.isalpha() and not word.isupper()
    has_no_vowel = is_spelled_out and not _VOWELS & set(_without_punctuation(word))
    alternations = len(re.findall(r"[^\W\d]\d|\d[^\W\d]", word)) + len(re.findall(r"[a-z][A-Z]", word))
    return (has_no_vowel and len(word) >= VOWELLESS) or alternations > ALTERNATIONS


def _without_punctuation(word: str) -> str:
    return unicodedata.normalize("NFD", word.lower())


@lru_cache(KEPT_WORDS)
def _script(character: str) -> str:
    first = unicodedata.name(character, "UNKNOWN").partition(" ")[0]
    return _JOINT_SCRIPTS.get(first, first)
