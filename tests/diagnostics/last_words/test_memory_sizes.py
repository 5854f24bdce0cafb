"""Tests of the sizes of memory that a console names."""

from diagnostics.last_words.memory_sizes import gpu_size, kept_asleep, node_limit
from tests.diagnostics.last_words import printed

ASLEEP = (
    "INFO 02-25 19:13:26 worker.py:133] Sleep mode freed 0.00 GiB memory, {} GiB memory is still in use."  # vllm#11743
)
VLLM = (  # vllm-project/vllm issue 17117
    "INFO 04-23 16:13:24 [worker.py:287] the current vLLM instance can use total_gpu_memory (79.14GiB) x "
    "gpu_memory_utilization (0.25) = 19.78GiB"
)


def test_the_size_of_a_gpu_is_read_from_messages_of_torch_and_vllm() -> None:
    assert gpu_size(printed.CUDA) == 14.74
    assert gpu_size(printed.CUDA_OLD) == 11.17
    assert gpu_size(VLLM) == 79.14
    assert gpu_size("GPU 0 has a total capacity of 512.00 MiB of which") == 0.5
    assert gpu_size(printed.RAY) is None


def test_ray_kills_at_its_share_of_a_nodes_memory() -> None:
    assert node_limit(printed.RAY) == 937.50 * 0.95
    assert node_limit(printed.CUDA) is None


def test_what_vllm_keeps_asleep_is_read_line_by_line() -> None:
    assert kept_asleep("\n".join(ASLEEP.format(kept) for kept in ("4.11", "11.57", "25.0"))) == (4.11, 11.57, 25.0)
    assert kept_asleep(printed.CUDA) == ()
