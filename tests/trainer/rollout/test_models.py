import json
import os
import shutil
import subprocess
import sys

import pytest
import torch
from transformers import (
    AutoTokenizer,
    BloomConfig,
    BloomForCausalLM,
    GPT2Config,
    GPT2LMHeadModel,
    GPTNeoXConfig,
    GPTNeoXForCausalLM,
    LlamaConfig,
    LlamaForCausalLM,
    MistralConfig,
    MistralForCausalLM,
    OPTConfig,
    OPTForCausalLM,
    Qwen2Config,
    Qwen2ForCausalLM,
    Qwen3Config,
    Qwen3ForCausalLM,
)

from trainer.algorithms.experience import Tokens
from trainer.config.algorithms import make_config
from trainer.config.options import ConfigError
from trainer.rollout.models import (
    Checkpoint,
    load_policy,
    load_tokenizer,
    load_value_model,
    reference_of,
    trainable_policy,
    trainable_value_model,
)
from trainer.rollout.policy import decode, encode, estimate_values, score_tokens
from trainer.tasks import get_task

WIDE = {
    "vocab_size": 24,
    "hidden_size": 16,
    "intermediate_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "max_position_embeddings": 64,
}
ROTARY = {**WIDE, "num_key_value_heads": 2}
MODELS = {
    "gpt2": lambda: GPT2LMHeadModel(GPT2Config(vocab_size=24, n_embd=16, n_layer=2, n_head=2, n_positions=64)),
    "llama": lambda: LlamaForCausalLM(LlamaConfig(**ROTARY)),
    "qwen2": lambda: Qwen2ForCausalLM(Qwen2Config(**ROTARY)),
    "qwen3": lambda: Qwen3ForCausalLM(Qwen3Config(**ROTARY, head_dim=8)),
    "mistral": lambda: MistralForCausalLM(MistralConfig(**ROTARY, sliding_window=64)),
    "gpt_neox": lambda: GPTNeoXForCausalLM(GPTNeoXConfig(**WIDE)),
    "opt": lambda: OPTForCausalLM(
        OPTConfig(
            vocab_size=24,
            hidden_size=16,
            ffn_dim=32,
            num_hidden_layers=2,
            num_attention_heads=2,
            max_position_embeddings=64,
            word_embed_proj_dim=8,
        )
    ),
    "bloom": lambda: BloomForCausalLM(BloomConfig(vocab_size=24, hidden_size=16, n_layer=2, n_head=2)),
}
LLAMA_LORA = {"use_peft": True, "lora_r": 2}


@pytest.fixture(scope="module", params=MODELS)
def folder(request, tmp_path_factory):
    """A tiny random model of one architecture, with weights large enough for its outputs to differ."""
    torch.manual_seed(0)
    model = MODELS[request.param]()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.3 * torch.randn_like(parameter))
    path = tmp_path_factory.mktemp(request.param)
    model.save_pretrained(path)
    return path


@pytest.fixture(scope="module")
def llama(tmp_path_factory):
    """The demo model of the addition task, in float32 and with dropout in its configuration."""
    path = tmp_path_factory.mktemp("llama")
    checkpoint = get_task("addition").checkpoint
    model = load_policy(checkpoint)
    model.config.attention_dropout = 0.5
    model.save_pretrained(path)
    AutoTokenizer.from_pretrained(checkpoint).save_pretrained(path)
    return path


def some_tokens(left_padding: int) -> Tokens:
    """Three prompts and completions of different lengths, with more or less padding around them."""
    generator = torch.Generator().manual_seed(1)
    ids_BS = torch.randint(2, 16, (3, 11), generator=generator)
    prompt_mask_BQ = torch.tensor([[1, 1, 1, 1, 1], [0, 0, 1, 1, 1], [0, 0, 0, 0, 1]])
    mask_BT = torch.arange(6) < torch.tensor([[6], [4], [1]])
    padding = torch.zeros(3, left_padding, dtype=torch.long)
    return Tokens(
        torch.cat([padding, ids_BS[:, :5]], 1), torch.cat([padding, prompt_mask_BQ], 1), ids_BS[:, 5:], mask_BT
    )


def without_padding(tokens: Tokens, row: int) -> Tokens:
    prompt, completion = tokens.prompt_mask_BQ[row].bool(), tokens.mask_BT[row]
    return Tokens(
        tokens.prompt_ids_BQ[row, prompt].unsqueeze(0),
        torch.ones(1, int(prompt.sum()), dtype=torch.long),
        tokens.ids_BT[row, completion].unsqueeze(0),
        torch.ones(1, int(completion.sum()), dtype=torch.bool),
    )


@torch.no_grad()
def test_padding_changes_no_log_probability_and_no_value_of_any_architecture(folder):
    policy, value_model = load_policy(folder), load_value_model(folder)
    torch.nn.init.normal_(value_model.head.weight)
    tokens = some_tokens(left_padding=3)
    logprobs_BT, values_BT = score_tokens(policy, tokens, 1.0).logprobs_BT, estimate_values(value_model, tokens)
    for row, length in enumerate((6, 4, 1)):
        alone = without_padding(tokens, row)
        assert logprobs_BT[row, :length].tolist() == pytest.approx(
            score_tokens(policy, alone, 1.0).logprobs_BT[0].tolist(), abs=1e-4
        )
        assert values_BT[row, :length].tolist() == pytest.approx(
            estimate_values(value_model, alone)[0].tolist(), abs=1e-4
        )
        assert values_BT[row, length:].abs().sum() == 0


@torch.no_grad()
def test_a_value_model_starts_at_zero_and_comes_back_as_it_was_saved(folder, tmp_path):
    value_model, tokens = load_value_model(folder), some_tokens(left_padding=0)
    assert estimate_values(value_model, tokens).abs().sum() == 0
    torch.nn.init.normal_(value_model.head.weight)
    value_model.save_pretrained(tmp_path)
    again = load_value_model(tmp_path)
    assert torch.equal(estimate_values(again, tokens), estimate_values(value_model, tokens))
    assert estimate_values(again, tokens).abs().sum() > 0


@pytest.mark.parametrize(("dtype", "expected"), [("float32", torch.float32), ("bfloat16", torch.bfloat16)])
def test_a_model_has_the_precision_that_was_asked_for_whatever_it_was_saved_in(dtype, expected):
    model = load_policy(Checkpoint(str(get_task("addition").checkpoint), dtype=dtype))
    assert {parameter.dtype for parameter in model.parameters()} == {expected}


def test_auto_keeps_the_precision_that_a_model_was_saved_in():
    model = load_policy(Checkpoint(str(get_task("addition").checkpoint), dtype="auto"))
    assert model.dtype == torch.float16


def lora_config(path, **changes):
    return make_config("ppo", {"model_name_or_path": str(path), **LLAMA_LORA, **changes})


def one_update(model, tokens: Tokens) -> None:
    optimizer = torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=1.0)
    for _ in range(2):  # LoRA's second matrix starts at 0, and so does the first one's gradient
        score_tokens(model, tokens, 1.0).logprobs_BT.sum().backward()
        optimizer.step()
        optimizer.zero_grad()


def test_with_an_adapter_the_reference_is_the_policy_with_the_adapter_off_and_no_second_copy(llama):
    config, tokens = lora_config(llama), some_tokens(left_padding=1)
    policy = trainable_policy(config)
    reference = reference_of(config, policy)
    before_BT = score_tokens(policy, tokens, 1.0).logprobs_BT.detach()
    one_update(policy, tokens)
    with torch.no_grad():
        assert torch.equal(score_tokens(reference, tokens, 1.0).logprobs_BT, before_BT)
        assert not torch.allclose(score_tokens(policy, tokens, 1.0).logprobs_BT, before_BT, atol=1e-3)
    assert {id(p) for p in reference.parameters()} == {id(p) for p in policy.parameters()}
    assert all("lora_" in name for name, p in policy.named_parameters() if p.requires_grad)


def test_an_adapter_is_saved_alone_and_loads_as_the_whole_model(llama, tmp_path):
    tokens = some_tokens(left_padding=1)
    policy = trainable_policy(lora_config(llama))
    one_update(policy, tokens)
    policy.save_pretrained(tmp_path)
    assert (tmp_path / "adapter_model.safetensors").stat().st_size < (llama / "model.safetensors").stat().st_size / 5
    with torch.no_grad():
        learnt_BT = score_tokens(policy, tokens, 1.0).logprobs_BT
        assert torch.allclose(score_tokens(load_policy(tmp_path), tokens, 1.0).logprobs_BT, learnt_BT, atol=1e-4)
    assert make_config("grpo", {"model_name_or_path": str(tmp_path)}).model_name_or_path == str(tmp_path)
    assert estimate_values(load_value_model(tmp_path), tokens).abs().sum() == 0


def test_the_value_model_learns_through_an_adapter_and_its_head(llama, tmp_path):
    value_model, tokens = trainable_value_model(lora_config(llama)), some_tokens(left_padding=0)
    learning = {name for name, p in value_model.named_parameters() if p.requires_grad}
    assert {name for name in learning if "lora_" not in name} == {"head.weight", "head.bias"}
    torch.nn.init.normal_(value_model.head.weight)
    value_model.save_pretrained(tmp_path)
    with torch.no_grad():
        again_BT = estimate_values(load_value_model(tmp_path), tokens)
        assert torch.allclose(again_BT, estimate_values(value_model, tokens), atol=1e-4)


@pytest.mark.parametrize(
    ("modules", "count"), [(("q_proj",), 3), (("all-linear",), 3 * 7), ((), 3 * 2)], ids=["one", "all", "default"]
)
def test_the_target_modules_decide_what_gets_an_adapter(llama, modules, count):
    policy = trainable_policy(lora_config(llama, lora_target_modules=modules))
    assert sum("lora_A" in name for name, _ in policy.named_parameters()) == count


def test_target_modules_that_the_model_lacks_are_refused(llama):
    with pytest.raises(ConfigError, match=r"cannot put an adapter on LlamaForCausalLM.*lora_target_modules"):
        trainable_policy(lora_config(llama, lora_target_modules="c_attn"))


@pytest.mark.parametrize("use_peft", [False, True])
def test_gradient_checkpointing_changes_no_gradient_and_brings_no_dropout_along(llama, use_peft):
    gradients = []
    for checkpointing in (False, True):
        config = lora_config(llama, use_peft=use_peft, gradient_checkpointing=checkpointing)
        torch.manual_seed(0)
        models = trainable_policy(config), trainable_value_model(config)
        torch.nn.init.ones_(models[1].head.weight)
        tokens = some_tokens(left_padding=2)
        (score_tokens(models[0], tokens, 1.0).logprobs_BT.sum() + estimate_values(models[1], tokens).sum()).backward()
        assert not any(module.training for model in models for module in model.modules())
        gradients.append([p.grad for model in models for p in model.parameters() if p.grad is not None])
    assert len(gradients[0]) == len(gradients[1]) > 0
    assert all(torch.allclose(plain, again, atol=1e-5) for plain, again in zip(*gradients, strict=True))


def test_gradient_checkpointing_recomputes_what_it_did_not_keep(llama):
    kept = []
    for checkpointing in (False, True):
        policy = trainable_policy(lora_config(llama, use_peft=False, gradient_checkpointing=checkpointing))
        bytes_kept = 0

        def count(tensor):
            nonlocal bytes_kept
            bytes_kept += tensor.nbytes
            return tensor

        with torch.autograd.graph.saved_tensors_hooks(count, lambda tensor: tensor):
            score_tokens(policy, some_tokens(left_padding=0), 1.0)
        kept.append(bytes_kept)
    assert kept[1] < kept[0] / 2


def with_chat_template(folder):
    tokenizer = load_tokenizer(folder)
    tokenizer.chat_template = (
        "{% for message in messages %}{% if message.role == 'user' %}{{ message.content }}="
        "{% else %}{{ message.content }}{% endif %}{% endfor %}{% if add_generation_prompt %}({% endif %}"
    )
    return tokenizer


def test_messages_go_through_the_chat_template_up_to_where_the_assistant_speaks(llama):
    tokenizer, device = with_chat_template(llama), torch.device("cpu")
    prompts = [[{"role": "user", "content": "12+30"}], "7+7="]
    ids_BQ, mask_BQ = encode(tokenizer, prompts, device)
    assert decode(tokenizer, ids_BQ, mask_BQ)[0] == "12+30=("
    assert mask_BQ.tolist() == [[1] * 7, [0] * 3 + [1] * 4]
    begun = [{"role": "user", "content": "1+1"}, {"role": "assistant", "content": "(1+1=2)"}]
    assert decode(tokenizer, *encode(tokenizer, [begun], device)) == ["1+1=(1+1=2)"]


def test_messages_for_a_model_without_a_chat_template_are_refused(llama):
    with pytest.raises(ConfigError, match="has no chat template"):
        encode(load_tokenizer(llama), [[{"role": "user", "content": "1"}]], torch.device("cpu"))


def test_a_long_prompt_loses_its_first_tokens_and_the_console_says_so(llama, capsys):
    tokenizer = load_tokenizer(llama)
    ids_BQ, mask_BQ = encode(tokenizer, ["123456=", "1="], torch.device("cpu"), max_length=4)
    assert decode(tokenizer, ids_BQ, torch.ones_like(mask_BQ))[0] == "456="
    assert mask_BQ.sum(1).tolist() == [4, 2]
    assert "rlvitals: prompts of more than max_prompt_length = 4 tokens lose" in capsys.readouterr().err


def test_a_prompt_without_tokens_is_refused(llama):
    with pytest.raises(ConfigError, match="the prompt '' gives no tokens"):
        encode(load_tokenizer(llama), ["1=", ""], torch.device("cpu"))


def test_a_folder_that_holds_no_causal_model_gets_one_sentence(tmp_path):
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "nothing-known"}))
    with pytest.raises(ConfigError, match=r"the model .* cannot be loaded: ") as refusal:
        load_policy(tmp_path)
    assert "\n" not in str(refusal.value)


def test_a_broken_tokenizer_is_told_in_a_whole_sentence(llama, tmp_path):
    folder = shutil.copytree(llama, tmp_path / "model")
    tokenizer = folder / "tokenizer.json"
    tokenizer.write_text(tokenizer.read_text("utf-8")[:200], "utf-8")
    with pytest.raises(ConfigError, match=r"the tokenizer of .* cannot be loaded: one of its JSON files is broken"):
        load_tokenizer(folder)
    tokenizer.unlink()
    with pytest.raises(ConfigError, match=r"cannot be loaded: .*convert") as refusal:
        load_tokenizer(folder)
    assert "\n" not in str(refusal.value)


@pytest.mark.process
def test_a_hub_id_without_a_network_says_what_was_tried_and_that_a_folder_works():
    script = (
        "from trainer.rollout.models import load_policy\nfrom trainer.config.options import ConfigError\n"
        "try:\n    load_policy('someone/some-model')\n"
        "except ConfigError as error:\n    print(error)\n"
    )
    offline = {**os.environ, "HF_HUB_OFFLINE": "1"}
    done = subprocess.run([sys.executable, "-P", "-c", script], env=offline, capture_output=True, text=True, check=True)
    assert done.stdout.count("\n") == 1
    assert (
        "the model someone/some-model (revision main) cannot be loaded, neither from the Hugging Face hub"
        in done.stdout
    )
    assert "give the folder that save_pretrained wrote" in done.stdout
