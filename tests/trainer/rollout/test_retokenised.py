"""Completions tokenised again from their text: which tokens come out, and which log-probabilities they get."""

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, PreTrainedTokenizerBase

from trainer.config.grpo import GRPOConfig
from trainer.rollout.generation import Completions, generate
from trainer.rollout.policy import encode
from trainer.rollout.retokenised import tokenised_again
from trainer.rollout.sampling import Sampling
from trainer.tasks import TASKS, addition, remarks

CPU = torch.device("cpu")
LIMIT = 20


@pytest.fixture(scope="module")
def pieces() -> PreTrainedTokenizerBase:
    return AutoTokenizer.from_pretrained(remarks.PIECES_CHECKPOINT)


def ids_of(tokenizer: PreTrainedTokenizerBase, *parts: str) -> list[int]:
    """The tokens of text that is divided here first."""
    return [id for part in parts for id in tokenizer(part)["input_ids"]]


def completions(rows: list[list[int]], end: int) -> Completions:
    """Completions with the log-probabilities -1, -2, …; those with the end token have ended."""
    width = max(map(len, rows))
    ids_BT = torch.tensor([[*row, *[0] * (width - len(row))] for row in rows])
    mask_BT = torch.tensor([[place < len(row) for place in range(width)] for row in rows])
    logprobs_BT = torch.where(mask_BT, -torch.arange(1.0, width + 1), 0.0)
    return Completions(ids_BT, mask_BT, logprobs_BT, torch.tensor([row[-1] == end for row in rows]))


def test_a_word_in_other_pieces_becomes_its_own_token_and_what_follows_moves_up(
    pieces: PreTrainedTokenizerBase,
) -> None:
    whole, divided = ids_of(pieces, " movie", " was"), ids_of(pieces, " mo", "vie", " was")
    assert len(divided) > len(whole)
    end = pieces.eos_token_id
    drawn = completions([[*divided, end], [*whole, end]], end)
    again = tokenised_again(drawn, pieces, LIMIT, pieces.pad_token_id)
    assert again.token_lists() == [[*whole, end]] * 2
    assert again.logprobs_BT.tolist() == [[-1.0, -2.0, -3.0]] * 2
    assert again.terminated_B.tolist() == [True, True]


def test_what_was_cut_off_gets_no_end_and_stays_within_the_limit(pieces: PreTrainedTokenizerBase) -> None:
    letters = ids_of(pieces, *" movie")
    again = tokenised_again(completions([letters], pieces.eos_token_id), pieces, LIMIT, pieces.pad_token_id)
    assert again.token_lists() == [ids_of(pieces, " movie")]
    assert again.terminated_B.tolist() == [False]
    short = tokenised_again(
        completions([ids_of(pieces, " a", " film")], pieces.eos_token_id), pieces, 1, pieces.pad_token_id
    )
    assert short.token_lists() == [ids_of(pieces, " a")]


def test_an_answer_without_text_keeps_its_end(pieces: PreTrainedTokenizerBase) -> None:
    end = pieces.eos_token_id
    assert tokenised_again(completions([[end]], end), pieces, LIMIT, 0).token_lists() == [[end]]


@pytest.mark.parametrize(
    ("checkpoint", "task", "is_possible"),
    [
        (remarks.PIECES_CHECKPOINT, "remarks", True),
        (remarks.CHECKPOINT, "remarks", False),
        (addition.CHECKPOINT, "addition", False),
    ],
    ids=["pieces", "words", "characters"],
)
def test_only_the_model_in_pieces_draws_tokens_that_its_tokenizer_would_not_write(
    checkpoint, task, is_possible
) -> None:
    """The demo models draw whole words or characters, whose text has one tokenization: nothing to study there."""
    tokenizer, model = AutoTokenizer.from_pretrained(checkpoint), AutoModelForCausalLM.from_pretrained(checkpoint)
    prompts = [row["prompt"] for row in TASKS[task].prompts()[:256]]
    ids_BQ, mask_BQ = encode(tokenizer, prompts, CPU)
    config = GRPOConfig(task=task, max_completion_length=LIMIT)
    sampling = Sampling.of(config, (tokenizer.eos_token_id,), tokenizer.pad_token_id)
    uniforms_BT = torch.rand(len(ids_BQ), LIMIT, generator=torch.Generator().manual_seed(0))
    drawn = generate(model, ids_BQ, mask_BQ, sampling, uniforms_BT)
    again = tokenised_again(drawn, tokenizer, LIMIT, tokenizer.pad_token_id)
    changed = sum(one != other for one, other in zip(drawn.token_lists(), again.token_lists(), strict=True))
    assert (changed > len(prompts) // 20) if is_possible else (changed == 0)
