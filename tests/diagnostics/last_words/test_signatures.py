"""Tests of the signatures, on lines that public threads quote."""

import re
import string

import pytest

from diagnostics.causes.remedies.catalog import REMEDIES
from diagnostics.last_words import KINDS, SIGNATURES, Signature, signs_in
from diagnostics.model.messages import render
from diagnostics.texts import templates
from tests.diagnostics.last_words import printed
from tests.pace import cpu_seconds_below


def meaning(text: str) -> tuple[str, str]:
    """The kind of the only sign in a text, and what it means."""
    (sign,) = signs_in(text)
    return sign.kind.name, render(sign.message, templates())


@pytest.mark.parametrize(
    ("line", "kind", "means"),
    [
        (
            printed.CUDA,
            "gpu-memory",
            "GPU 0 had 1.65 GiB of its 14.74 GiB free when 2.11 GiB more were asked for, and PyTorch held 2.14 GiB "
            "unused",
        ),
        (
            printed.CUDA.partition(" Of the allocated")[0],
            "gpu-memory",
            "GPU 0 had 1.65 GiB of its 14.74 GiB free when 2.11 GiB more were asked for",
        ),
        (
            printed.CUDA_OLD,
            "gpu-memory",
            "GPU 0 had 24.81 MiB of its 11.17 GiB free when 128.00 MiB more were asked for; PyTorch held 10.86 GiB, "
            "10.85 GiB of it in use",
        ),
        ("RuntimeError: MPS backend out of memory", "gpu-memory", "a GPU had no memory left"),
        (printed.RAYLET, "node-memory", "ray killed workers (1) because the node ran low on memory"),
        (
            printed.RAY.splitlines()[1],
            "node-memory",
            "ray killed agent_loop_worker_4_99f24f82:AgentLoopWorker.__init__, which held 10.13 GB, when 891.06 GB of "
            "the node's 937.50 GB were in use, past the share of 0.95 that it allows",
        ),
        (printed.OOM_KILL, "node-memory", "the kernel killed a process because memory ran out"),
        ("MemoryError", "memory", "an allocation failed"),
        (printed.NCCL, "collective", "rank 2 waited 1800 s in BROADCAST for the other processes"),
        (printed.NCCL_OF_RAY, "collective", "rank 0 waited 7200 s in _ALLGATHER_BASE for the other processes"),
        (printed.NCCL_STUCK, "collective", "rank 7 made no progress in NCCL for 480 s"),
        (printed.MATH_VERIFY, "grader", "math_verify gave up on an answer after its time-out"),
        ("TimeoutException: Operation timed out!", "grader", "math_verify gave up on an answer after its time-out"),
        (printed.GRADER_STACK, "grader", "a stack that it printed stands in sympy_expr_eq (math_verify/grader.py)"),
        (
            printed.GRADER_THREAD,
            "grader",
            "a grader's time-out uses a signal, which works in the main thread alone",
        ),
        (printed.SANDBOX, "grader", "a sandbox for code did not answer within 70 s"),
        (printed.LOADER_BUS, "data-loader", "a data loader's worker (pid 263230) ran out of shared memory"),
        (printed.LOADER_KILLED, "data-loader", "a data loader's worker (pid 22358) got the signal “Killed”"),
        (printed.LOADER_GONE, "data-loader", "a data loader's worker (pid 3216) ended"),
        (printed.DISK, "disk-full", "what it wrote did not fit on the disk"),
        (printed.DISK_SAFETENSORS, "disk-full", "what it wrote did not fit on the disk"),
        (printed.DISK_TORCH, "disk-full", "what it wrote did not fit on the disk"),
        (printed.WANDB, "network", "W&B's server could not be reached (ReadTimeout)"),
        (printed.WANDB_START, "network", "W&B did not start within 90.0 s"),
        (printed.HTTP, "network", "api.wandb.ai did not answer (Read timed out)"),
        (printed.ENGINE, "engine", "vLLM's engine died"),
        (printed.ECC, "device-fault", "the memory of a GPU returned wrong data (an uncorrectable ECC error)"),
        (printed.NOT_FINITE, "not-finite", "the probabilities to sample from were NaN or infinite"),
        (printed.HISTOGRAM, "not-finite", "a histogram was to be drawn of numbers that were NaN or infinite"),
        (printed.ELASTIC, "killed", "the process of local rank 0 (pid 484375) was killed (signal 9)"),
        (printed.SIGKILL, "killed", "process 394968 was killed (signal 9)"),
        (printed.RAY_WORKER, "worker-died", "a worker of ray died"),
        (printed.SLURM, "time-limit", "Slurm ended the job at its time limit"),
    ],
)
def test_a_line_of_a_public_thread_is_recognised(line: str, kind: str, means: str) -> None:
    assert meaning(line) == (kind, means)


@pytest.mark.parametrize(
    "line",
    [
        printed.RAY_CRASH,
        "another process ended: killed, or the machine ran out of memory",
        "{'loss': 0.01, 'rewards/accuracy_reward': 0.71875, 'kl': 0.25, 'epoch': 0.05}",
        "Failed to parse gold solution: 9. Anya needs to climb the height of one floor",
        'File "/home/user/train.py", line 12, in main',
        "prompt: the dragon was Killed by a worker",
        "INFO 02-25 19:13:26 worker.py:133] Sleep mode freed 43.82 GiB memory, 4.11 GiB memory is still in use.",
        "",
    ],
)
def test_a_line_that_only_looks_like_one_is_no_sign(line: str) -> None:
    assert signs_in(line) == ()


def test_lines_of_one_signature_are_one_sign_with_a_count_and_the_first_line() -> None:
    (sign,) = signs_in(f"{printed.NCCL}\n{printed.NCCL.replace('Rank 2', 'Rank 3')}\r\n")
    assert (sign.values["rank"], sign.count) == ("2", 2)


@pytest.mark.parametrize("signature", SIGNATURES, ids=lambda signature: signature.name)
def test_a_signature_names_a_kind_a_source_and_only_groups_of_its_pattern(signature: Signature) -> None:
    fields = {field for _, field, _, _ in string.Formatter().parse(signature.text) if field}
    assert signature.kind in KINDS
    assert signature.source
    assert fields == set(signature.pattern.groupindex)


def test_every_kind_has_signatures_and_remedies_that_exist() -> None:
    assert {signature.kind for signature in SIGNATURES} == set(KINDS)
    assert {name for kind in KINDS.values() for name in kind.remedies} <= set(REMEDIES)


@pytest.mark.parametrize(
    "start",
    [
        "out of memory. Tried to allocate 1 GiB. GPU 0 has a total capacity of 1 GiB of which 1 GiB is free.",
        "[Rank 1] Watchdog caught collective operation timeout: WorkNCCL(",
        'File "',
        "Sandbox API call failed",
        "name=",
        "the disk that holds ",
    ],
)
def test_a_line_made_to_be_slow_is_read_at_once(start: str) -> None:
    text = "\n".join((start + "/sympy GPU 1.0 GiB and OpType= 1 " * 4000) for _ in range(20))
    with cpu_seconds_below(2.0):
        signs_in(text)


@pytest.mark.parametrize("piece", ["a", "1", "a.", " ", "a\n", "1" * 4000 + "\n"], ids=lambda piece: repr(piece[:2]))
def test_a_megabyte_of_anything_is_read_at_once(piece: str) -> None:
    text = piece * (1_000_000 // len(piece))
    with cpu_seconds_below(1.0):
        assert signs_in(text) == ()


def test_an_error_is_found_below_a_log_that_it_quotes() -> None:
    (sign,) = signs_in("INFO a step\n" * 100_000 + printed.DISK)
    assert sign.kind.name == "disk-full"


def test_no_pattern_repeats_a_repetition() -> None:
    nested = re.compile(r"\([^()]*[+*]\)[+*]")
    assert [item.name for item in SIGNATURES if nested.search(item.pattern.pattern)] == []
