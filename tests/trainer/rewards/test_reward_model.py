"""A reward model: tiny random classifiers that the tests make."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    BertConfig,
    BertForSequenceClassification,
    LlamaConfig,
    LlamaForSequenceClassification,
)

from trainer.rewards import RewardError, get_reward_funcs
from trainer.tasks import get_task

MakeModel = Callable[..., str]
PROMPTS, COMPLETIONS = ["1+1=", "12+34=", "5+5="], ["2", "46", "(5+5=10)10"]


@pytest.fixture
def make_model(tmp_path: Path) -> MakeModel:
    """A folder with a random classifier and the tokenizer of the addition task."""

    def make(kind: str = "llama", labels: int = 1, template: str | None = None) -> str:
        tokenizer = AutoTokenizer.from_pretrained(get_task("addition").checkpoint)
        tokenizer.chat_template = template
        torch.manual_seed(0)
        shape = {"vocab_size": len(tokenizer), "hidden_size": 16, "intermediate_size": 32, "num_labels": labels}
        layers = {"num_hidden_layers": 2, "num_attention_heads": 2, "max_position_embeddings": 64}
        if kind == "bert":
            model = BertForSequenceClassification(BertConfig(**shape, **layers))
        else:
            model = LlamaForSequenceClassification(LlamaConfig(**shape, **layers, pad_token_id=None))
        with torch.no_grad():
            for parameter in model.parameters():
                parameter.add_(0.2 * torch.randn_like(parameter))
        model.save_pretrained(tmp_path / "judge")
        tokenizer.save_pretrained(tmp_path / "judge")
        return str(tmp_path / "judge")

    return make


@torch.no_grad()
def logits_of(folder: str, text: str) -> list[float]:
    """What transformers itself says of one text."""
    model = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    return list(model(**tokenizer(text, return_tensors="pt")).logits[0].tolist())


@pytest.mark.parametrize("kind", ["llama", "bert"])
def test_a_batch_is_scored_as_its_texts_are_one_by_one(make_model: MakeModel, kind: str) -> None:
    folder = make_model(kind)
    (judge,) = get_reward_funcs([f"reward_model:{folder}"])
    expected = [logits_of(folder, p + c)[0] for p, c in zip(PROMPTS, COMPLETIONS, strict=True)]
    assert judge(PROMPTS, COMPLETIONS) == pytest.approx(expected, abs=1e-4)
    assert len({round(score, 3) for score in expected}) == 3


def test_of_two_labels_the_log_odds_of_the_second_are_the_score(make_model: MakeModel) -> None:
    folder = make_model(labels=2)
    (judge,) = get_reward_funcs([f"reward_model:{folder}"])
    no, yes = logits_of(folder, "1+1=2")
    assert judge(["1+1="], ["2"]) == pytest.approx([yes - no], abs=1e-4)


def test_a_classifier_of_more_labels_is_refused(make_model: MakeModel) -> None:
    (judge,) = get_reward_funcs([f"reward_model:{make_model(labels=3)}"])
    with pytest.raises(RewardError, match="has 3 labels; a reward model has one label, or two"):
        judge(["1+1="], ["2"])


def test_a_conversation_goes_through_the_models_own_chat_template(make_model: MakeModel) -> None:
    folder = make_model(template="{% for message in messages %}{{ message.content }}={% endfor %}")
    (judge,) = get_reward_funcs([f"reward_model:{folder}"])
    talk, reply = [{"role": "user", "content": "1+1"}], [{"role": "assistant", "content": "2"}]
    assert judge([talk], [reply]) == pytest.approx(logits_of(folder, "1+1=2=")[:1], abs=1e-4)


def test_a_conversation_for_a_model_without_a_chat_template_is_told(make_model: MakeModel) -> None:
    (judge,) = get_reward_funcs([f"reward_model:{make_model()}"])
    with pytest.raises(RewardError, match="no chat template, which the dataset's messages need"):
        judge([[{"role": "user", "content": "1+1"}]], [[{"role": "assistant", "content": "2"}]])


def test_a_model_whose_weights_are_not_there_is_told_when_it_is_loaded(make_model: MakeModel) -> None:
    folder = make_model()
    (Path(folder) / "model.safetensors").unlink()
    (judge,) = get_reward_funcs([f"reward_model:{folder}"])
    with pytest.raises(RewardError, match=f"reward function reward_model cannot be loaded: the model {folder} "):
        judge.load()


def test_a_loaded_model_scores_without_being_read_again(make_model: MakeModel) -> None:
    folder = make_model()
    (judge,) = get_reward_funcs([f"reward_model:{folder}"])
    judge.load()
    (Path(folder) / "model.safetensors").unlink()
    judge.load()
    assert len(judge(PROMPTS, COMPLETIONS)) == 3


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("reward_model", "reward function reward_model needs a text: write reward_model:FOLDER_OR_ID"),
        ("reward_model:./nowhere", r"reward_model is \./nowhere, which is not a folder here"),
    ],
)
def test_a_model_that_is_not_there_is_refused_before_anything_starts(name: str, message: str) -> None:
    with pytest.raises(RewardError, match=message):
        get_reward_funcs([name])


@pytest.mark.process
def test_an_id_on_the_hub_is_accepted_before_torch_is_loaded() -> None:
    code = (
        "import sys; from trainer.rewards import get_reward_funcs; "
        "(judge,) = get_reward_funcs(['reward_model:someone/some-judge']); "
        "print(judge.name, sorted({'torch', 'transformers'} & sys.modules.keys()))"
    )

    finished = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert finished.stdout == "reward_model []\n"
