"""Builds tiny causal language models: architecture, tokenizers, supervised training and saving."""

import logging
import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers
from torch.nn.functional import cross_entropy
from transformers import GenerationConfig, LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

PAD, EOS, UNKNOWN = "<pad>", "<eos>", "<unk>"
BATCH_SIZE = 128
LEARNING_RATE = 3e-3
WARMUP_STEPS = 50
FINAL_LEARNING_RATE_SHARE = 0.05
WEIGHT_DECAY = 0.1
MAX_GRAD_NORM = 1.0
IGNORED_LABEL = -100

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Example:
    """Token ids of one text, `<eos>` included; the first `context` ones are the prompt and have no loss."""

    ids: list[int]
    context: int


def word_tokenizer(words: Sequence[str]) -> PreTrainedTokenizerFast:
    """One token per word or mark of `.,!?`; decoding puts no space before a mark."""
    tokenizer = _word_level(words)
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Split(Regex("[.,!?]"), "isolated")]
    )
    # The prefix never occurs: only this decoder's spacing between words and marks is needed.
    tokenizer.decoder = decoders.WordPiece(prefix="\0", cleanup=True)
    return _wrap(tokenizer)


def character_tokenizer(alphabet: str) -> PreTrainedTokenizerFast:
    """One token per character."""
    tokenizer = _word_level(alphabet)
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex("."), "isolated")
    tokenizer.decoder = decoders.Fuse()
    return _wrap(tokenizer)


def piece_tokenizer(texts: Sequence[str], size: int) -> PreTrainedTokenizerFast:
    """Pieces of words by byte-pair merges, learnt from the texts; a word's own space belongs to it."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(vocab_size=size, special_tokens=[PAD, EOS, UNKNOWN], show_progress=False)
    tokenizer.train_from_iterator(texts, trainer)
    return _wrap(tokenizer)


def example(tokenizer: PreTrainedTokenizerFast, prompt: str, completion: str) -> Example:
    """An example with its loss on `completion` and the `<eos>` after it."""
    context = tokenizer(prompt)["input_ids"]
    return Example([*context, *tokenizer(completion)["input_ids"], tokenizer.eos_token_id], len(context))


def tiny_llama(tokenizer: PreTrainedTokenizerFast, max_length: int) -> LlamaForCausalLM:
    """A Llama of 3 layers, width 96 and 4 heads with tied embeddings and no dropout, initialised from torch's seed."""
    return LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(tokenizer),
            hidden_size=96,
            intermediate_size=256,
            num_hidden_layers=3,
            num_attention_heads=4,
            max_position_embeddings=max_length,
            tie_word_embeddings=True,
            pad_token_id=tokenizer.pad_token_id,
            eos_token_id=tokenizer.eos_token_id,
            bos_token_id=None,
        )
    )


def train(model: LlamaForCausalLM, examples: Sequence[Example], steps: int, seed: int) -> None:
    """Minimise the mean loss per token with AdamW and a cosine schedule, in place."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=LEARNING_RATE, betas=(0.9, 0.95), weight_decay=WEIGHT_DECAY)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: _learning_rate_share(step, steps))
    batches = _endless_batches(examples, random.Random(seed))
    model.train()
    for step in range(1, steps + 1):
        loss = _loss(model, next(batches))
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), MAX_GRAD_NORM)
        optimizer.step()
        optimizer.zero_grad()
        schedule.step()
        if step % 100 == 0:
            _LOG.info("step %d/%d: training loss %.3f nats/token", step, steps, loss.item())


@torch.no_grad()
def mean_loss(model: LlamaForCausalLM, examples: Sequence[Example]) -> float:
    """Mean loss per completion token over `examples`, in nats."""
    model.eval()
    nats, tokens = 0.0, 0
    for start in range(0, len(examples), BATCH_SIZE):
        batch = examples[start : start + BATCH_SIZE]
        learnt = sum(len(e.ids) - max(e.context, 1) for e in batch)
        nats += _loss(model, batch).item() * learnt
        tokens += learnt
    return nats / tokens


@torch.no_grad()
def sample(
    model: LlamaForCausalLM,
    tokenizer: PreTrainedTokenizerFast,
    prompts: Sequence[str],
    max_new_tokens: int,
    is_greedy: bool = False,
) -> list[str]:
    """One completion per prompt, as text, at temperature 1 over the full vocabulary, or the most likely one."""
    model.eval()
    inputs = tokenizer(list(prompts), return_tensors="pt", padding=True)
    # Uses the model's generation config, which `save` has set to the full vocabulary.
    generate: Any = model.generate  # type: ignore[misc]  # transformers' own models miss the protocol that it requires
    ids = generate(**inputs, max_new_tokens=max_new_tokens, do_sample=not is_greedy)
    return [
        str(text) for text in tokenizer.batch_decode(ids[:, inputs["input_ids"].shape[1] :], skip_special_tokens=True)
    ]


def save(model: LlamaForCausalLM, tokenizer: PreTrainedTokenizerFast, directory: Path) -> None:
    """Write weights (fp16, safetensors), configs and tokenizer; rounds `model` to fp16 in place."""
    model.generation_config = GenerationConfig(
        do_sample=True, top_k=0, pad_token_id=tokenizer.pad_token_id, eos_token_id=tokenizer.eos_token_id
    )
    directory.mkdir(parents=True, exist_ok=True)
    model.half().save_pretrained(directory)
    model.float()
    tokenizer.save_pretrained(directory)


def _word_level(words: Sequence[str]) -> Tokenizer:
    vocabulary = {token: index for index, token in enumerate([PAD, EOS, UNKNOWN, *words])}
    return Tokenizer(models.WordLevel(vocabulary, unk_token=UNKNOWN))


def _wrap(tokenizer: Tokenizer) -> PreTrainedTokenizerFast:
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token=PAD,
        eos_token=EOS,
        unk_token=UNKNOWN,
        padding_side="left",
        clean_up_tokenization_spaces=False,
        model_input_names=["input_ids", "attention_mask"],
    )


def _loss(model: LlamaForCausalLM, batch: Sequence[Example]) -> torch.Tensor:
    # Padded on the right: a causal model never sees the padding from a real position, so no mask is needed.
    length = max(len(e.ids) for e in batch)
    ids_BT = torch.tensor([e.ids + [0] * (length - len(e.ids)) for e in batch])
    labels_BT = torch.tensor(
        [[IGNORED_LABEL] * e.context + e.ids[e.context :] + [IGNORED_LABEL] * (length - len(e.ids)) for e in batch]
    )
    logits_BTV = model(input_ids=ids_BT).logits[:, :-1]
    return cross_entropy(logits_BTV.flatten(0, 1), labels_BT[:, 1:].flatten(), ignore_index=IGNORED_LABEL)


def _endless_batches(examples: Sequence[Example], rng: random.Random) -> Iterator[list[Example]]:
    while True:
        order = rng.sample(range(len(examples)), len(examples))
        for start in range(0, len(order) - BATCH_SIZE + 1, BATCH_SIZE):
            yield [examples[i] for i in order[start : start + BATCH_SIZE]]


def _learning_rate_share(step: int, steps: int) -> float:
    warmup = min(1.0, (step + 1) / WARMUP_STEPS)
    cosine = 0.5 * (1 + math.cos(math.pi * step / steps))
    return warmup * (FINAL_LEARNING_RATE_SHARE + (1 - FINAL_LEARNING_RATE_SHARE) * cosine)
