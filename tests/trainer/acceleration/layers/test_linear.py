import pytest
import torch
from torch import nn
from torch.nn.functional import linear

from tests.trainer.operations import Operations
from tests.trainer.tiny_models import tiny_model
from trainer.acceleration.layers import linear as linear_layers
from trainer.acceleration.layers.linear import (
    FEWEST_PRODUCTS,
    FEWEST_ROWS,
    SMALLEST,
    OneDNNLinear,
    has_onednn,
    linear_product,
    onednn_is_faster,
    packed_weight,
    sum_with_product,
    weight_gradient,
    with_fast_layers,
)

needs_onednn = pytest.mark.skipif(
    not has_onednn(), reason="oneDNN is used on processors with AVX-512, without accelerator"
)
INTEL, ZEN_4, ZEN_5, OTHER = "Intel", "AMD with halved vectors", "AMD with whole vectors", "another"
SHAPES = [(3, 40, 128, 344), (1, 600, 344, 128), (2, 4, 16, 8)]
"""Leading axes, inputs and outputs: both orders of the weight's gradient, and a product too small for oneDNN."""


def be_a(kind, monkeypatch):
    """Take this machine's processor for one of these."""
    monkeypatch.setattr(linear_layers, "is_amd", lambda: kind.startswith("AMD"))
    monkeypatch.setattr(linear_layers, "is_intel", lambda: kind == INTEL)
    monkeypatch.setattr(linear_layers, "halves_vectors", lambda: kind == ZEN_4)


@pytest.fixture(params=[INTEL, ZEN_4, ZEN_5, OTHER])
def processor(request, monkeypatch):
    """Every kind of processor, one after the other, on whichever this is."""
    be_a(request.param, monkeypatch)
    return request.param


def layer_and_inputs(shape: tuple[int, ...], bias: bool = True) -> tuple[nn.Linear, torch.Tensor]:
    torch.manual_seed(0)
    return nn.Linear(shape[2], shape[3], bias), torch.randn(shape[:3])


def gradients(layer: nn.Linear, inputs: torch.Tensor) -> list[torch.Tensor]:
    inputs = inputs.clone().requires_grad_()
    outputs = layer(inputs)
    weights = torch.rand(outputs.shape, generator=torch.Generator().manual_seed(1))
    return list(torch.autograd.grad((outputs * weights).sum(), [inputs, *layer.parameters()]))


@needs_onednn
def test_the_sizes_here_stand_on_both_sides_of_the_limit():
    sizes = [first * second * inputs * outputs for first, second, inputs, outputs in SHAPES]
    assert [size >= SMALLEST for size in sizes] == [True, True, False]


@pytest.mark.usefixtures("processor")
@pytest.mark.parametrize("shape", [*SHAPES, (1, FEWEST_ROWS - 1, 128, 344)])
def test_a_product_is_that_of_torch(shape):
    layer, inputs = layer_and_inputs(shape)
    found = linear_product(inputs, layer.weight.detach(), layer.bias.detach())
    assert torch.allclose(found, linear(inputs, layer.weight, layer.bias), atol=1e-5)


@pytest.mark.usefixtures("processor")
@pytest.mark.parametrize("rows", [1, 2, 17, 64, 300])
def test_products_with_a_packed_weight_are_those_of_torch(rows):
    layer, _ = layer_and_inputs((1, 1, 512, 500))
    inputs, addend = torch.randn(rows, 512), torch.randn(rows, 500)
    weight = packed_weight(layer.weight, FEWEST_PRODUCTS)
    assert weight.is_mkldnn == has_onednn()
    assert torch.allclose(linear_product(inputs, weight, layer.bias.detach()), layer(inputs), atol=1e-5)
    found = sum_with_product(addend, inputs, weight)
    assert torch.allclose(found, addend + linear(inputs, layer.weight), atol=1e-5)


@pytest.mark.parametrize(("outputs", "products"), [(500, FEWEST_PRODUCTS - 1), (300, FEWEST_PRODUCTS)])
def test_a_weight_that_is_small_or_little_used_stays_as_it_is(outputs, products, monkeypatch):
    be_a(ZEN_5, monkeypatch)
    weight = torch.randn(outputs, 512)
    assert packed_weight(weight, products).data_ptr() == weight.data_ptr()


@needs_onednn
@pytest.mark.parametrize("rows", [FEWEST_ROWS - 1, FEWEST_ROWS])
def test_few_rows_are_left_to_mkl_where_vectors_are_halved_and_all_off_amd(rows, processor):
    with Operations() as operations:
        linear_product(torch.randn(rows, 128), torch.randn(344, 128))
    is_onednns = processor == ZEN_5 or (processor == ZEN_4 and rows == FEWEST_ROWS)
    assert bool(operations.shapes_of("_linear_pointwise")) == is_onednns


@needs_onednn
@pytest.mark.parametrize(("outputs", "is_small"), [(344, True), (2048, False)])
def test_small_gradients_are_left_to_mkl_where_vectors_are_halved_and_all_off_amd(outputs, is_small, processor):
    with Operations() as operations:
        weight_gradient(torch.randn(200, outputs), torch.randn(200, 128))
    is_onednns = processor == ZEN_5 or (processor == ZEN_4 and not is_small)
    assert bool(operations.shapes_of("_linear_pointwise")) == is_onednns


@needs_onednn
@pytest.mark.parametrize("kind", [INTEL, ZEN_4])
def test_where_mkl_multiplies_few_rows_a_small_weight_lies_as_it_reads_it(kind, monkeypatch):
    be_a(kind, monkeypatch)
    weight, inputs, addend = torch.randn(300, 512), torch.randn(64, 512), torch.randn(64, 300)
    found = packed_weight(weight, FEWEST_PRODUCTS)
    assert found.t().is_contiguous()
    assert torch.equal(found, weight)
    assert torch.allclose(linear_product(inputs, found), linear(inputs, weight), atol=1e-4)
    assert torch.allclose(sum_with_product(addend, inputs, found), addend + linear(inputs, weight), atol=1e-4)


@pytest.mark.usefixtures("processor")
@pytest.mark.parametrize(("outputs", "inputs"), [(344, 128), (128, 344), (900, 300), (3200, 64)])
def test_a_gradient_of_a_weight_is_the_product_that_torch_takes(outputs, inputs):
    gradient, seen = torch.randn(200, outputs), torch.randn(200, inputs)
    found = weight_gradient(gradient, seen)
    assert found.shape == (outputs, inputs)
    assert torch.allclose(found, gradient.t() @ seen, atol=1e-4)


@pytest.mark.usefixtures("processor")
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("shape", SHAPES)
def test_outputs_and_gradients_are_those_of_the_layer_replaced(shape, bias):
    layer, inputs = layer_and_inputs(shape, bias)
    fast = OneDNNLinear.of(layer)
    assert torch.allclose(fast(inputs), layer(inputs), atol=1e-5)
    for found, expected in zip(gradients(fast, inputs), gradients(layer, inputs), strict=True):
        assert torch.allclose(found, expected, rtol=1e-4, atol=1e-4)


def test_frozen_weights_get_no_gradient_and_inputs_still_do():
    layer, inputs = layer_and_inputs(SHAPES[0])
    layer.requires_grad_(False)
    inputs.requires_grad_()
    OneDNNLinear.of(layer)(inputs).sum().backward()
    assert layer.weight.grad is None
    assert inputs.grad is not None


def test_autocast_and_other_precisions_stay_with_torch():
    layer, inputs = layer_and_inputs(SHAPES[0])
    with torch.autocast("cpu", torch.bfloat16):
        assert OneDNNLinear.of(layer)(inputs).dtype == torch.bfloat16
    half = OneDNNLinear.of(layer.to(torch.bfloat16))
    assert half(inputs.to(torch.bfloat16)).dtype == torch.bfloat16


@needs_onednn
@pytest.mark.parametrize("kind", [ZEN_4, ZEN_5])
@pytest.mark.parametrize("name", ["llama", "qwen2", "opt", "gpt_neox", "mixture-of-experts"])
def test_a_model_keeps_its_weights_their_names_and_its_logits(name, kind, monkeypatch):
    be_a(kind, monkeypatch)
    model, ids = tiny_model(name), torch.arange(8).unsqueeze(0)
    expected, names = model(input_ids=ids).logits, list(model.state_dict())
    pointers = [weight.data_ptr() for weight in model.parameters()]
    fast = with_fast_layers(model)
    assert any(isinstance(module, OneDNNLinear) for module in fast.modules())
    assert not any(type(module) is nn.Linear for module in fast.modules())
    assert (list(fast.state_dict()), [weight.data_ptr() for weight in fast.parameters()]) == (names, pointers)
    assert torch.allclose(fast(input_ids=ids).logits, expected, atol=1e-6)


def test_on_intel_no_layer_is_replaced(monkeypatch):
    be_a(INTEL, monkeypatch)
    assert not onednn_is_faster()
    assert not any(isinstance(module, OneDNNLinear) for module in with_fast_layers(tiny_model("llama")).modules())


@pytest.mark.usefixtures("processor")
def test_a_tied_weight_stays_tied():
    model = with_fast_layers(tiny_model("llama", tie_word_embeddings=True))
    assert model.lm_head.weight is model.model.embed_tokens.weight
