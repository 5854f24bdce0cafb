"""Gated MLPs that save fewer activations: the same outputs, the same gradients, half the memory."""

import pytest
import torch
from torch import nn

from tests.trainer.tiny_models import tiny_model
from trainer.acceleration.layers.mlp import LeanMLP, with_lean_mlps

GATED = ["llama", "mistral", "qwen2"]


def ids() -> torch.Tensor:
    return torch.arange(16).reshape(2, 8) % 7


def gradients(model: nn.Module) -> dict[str, torch.Tensor]:
    logits = model(input_ids=ids()).logits
    weights = torch.rand(logits.shape, generator=torch.Generator().manual_seed(1))
    (logits * weights).sum().backward()
    return {name: weight.grad for name, weight in model.named_parameters() if weight.grad is not None}


@pytest.mark.parametrize("name", GATED)
def test_logits_and_gradients_are_those_of_the_mlp_replaced(name):
    plain, lean = tiny_model(name), with_lean_mlps(tiny_model(name))
    assert any(isinstance(module, LeanMLP) for module in lean.modules())
    assert torch.equal(lean(ids()).logits, plain(ids()).logits)
    expected = gradients(plain)
    for weight, found in gradients(lean).items():
        assert torch.allclose(found, expected[weight], rtol=1e-4, atol=1e-6), weight


@pytest.mark.parametrize("name", [*GATED, "gpt_neox", "opt", "mixture-of-experts"])
def test_a_model_keeps_its_weights_and_their_names(name):
    model = tiny_model(name)
    names, pointers = list(model.state_dict()), [weight.data_ptr() for weight in model.parameters()]
    lean = with_lean_mlps(model)
    assert (list(lean.state_dict()), [weight.data_ptr() for weight in lean.parameters()]) == (names, pointers)
    assert torch.isfinite(lean(ids()).logits).all()


def test_slopes_are_those_of_numbers():
    torch.manual_seed(0)
    mlp = next(
        module for module in with_lean_mlps(tiny_model("llama").double()).modules() if isinstance(module, LeanMLP)
    )
    mlp.float()
    inputs = torch.randn(2, 3, mlp.gate_proj.in_features, requires_grad=True)
    weights = torch.randn(2, 3, mlp.down_proj.out_features)
    (mlp(inputs) * weights).sum().backward()
    moved, width = torch.zeros_like(inputs), 1e-2
    moved[1, 2, 0] = width
    with torch.no_grad():
        rise = ((mlp(inputs + moved) - mlp(inputs - moved)) * weights).sum() / (2 * width)
    assert inputs.grad[1, 2, 0] == pytest.approx(float(rise), rel=0.02, abs=1e-4)


def kept_for_the_gradient(mlp: nn.Module, inputs: torch.Tensor) -> list[int]:
    """The sizes of the tensors that a forward pass keeps, each storage once."""
    sizes: dict[int, int] = {}

    def keep(values: torch.Tensor) -> torch.Tensor:
        sizes[values.untyped_storage().data_ptr()] = values.numel()
        return values

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda values: values):
        outputs = mlp(inputs)  # keeps each value alive, so that no two get the same memory
    assert outputs.requires_grad
    return list(sizes.values())


def test_two_tensors_of_the_inner_width_are_kept_instead_of_four():
    plain = next(module for module in tiny_model("llama").modules() if type(module).__name__ == "LlamaMLP")
    inputs = torch.randn(5, 7, plain.gate_proj.in_features)
    inner = 5 * 7 * plain.gate_proj.out_features
    assert kept_for_the_gradient(plain, inputs).count(inner) == 4
    assert kept_for_the_gradient(LeanMLP(plain), inputs).count(inner) == 2


def test_a_class_of_that_name_in_another_package_is_left_alone():
    class LlamaMLP(nn.Module):
        act_fn = nn.SiLU()

    model = nn.Sequential(LlamaMLP())
    assert type(with_lean_mlps(model)[0]) is LlamaMLP


def test_frozen_layers_get_no_gradient_and_inputs_still_do():
    mlp = next(module for module in with_lean_mlps(tiny_model("llama")).modules() if isinstance(module, LeanMLP))
    mlp.gate_proj.requires_grad_(False)
    inputs = torch.randn(2, mlp.gate_proj.in_features, requires_grad=True)
    mlp(inputs).sum().backward()
    assert mlp.gate_proj.weight.grad is None
    assert mlp.up_proj.weight.grad is not None
    assert inputs.grad is not None


def test_hooks_of_a_layer_are_called():
    mlp = next(module for module in with_lean_mlps(tiny_model("llama")).modules() if isinstance(module, LeanMLP))
    seen = []
    mlp.up_proj.register_forward_hook(lambda *call: seen.append(call))
    mlp(torch.randn(2, mlp.gate_proj.in_features))
    assert len(seen) == 1


def test_autocast_and_other_precisions_stay_with_torch():
    model = with_lean_mlps(tiny_model("llama"))
    with torch.autocast("cpu", torch.bfloat16):
        assert torch.isfinite(model(ids()).logits).all()
    assert with_lean_mlps(tiny_model("llama").to(torch.bfloat16))(ids()).logits.dtype == torch.bfloat16
