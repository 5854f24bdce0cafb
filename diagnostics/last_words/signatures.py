"""The signatures: lines that trainers, launchers, ray, vLLM, torch and the kernel print at an ending.

A signature's text completes "The run ended: …" and may use the groups of its pattern. Of a kind, those that tell most
come first. The sources are public threads that quote such a line.
"""

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Signature:
    """One line to recognise: a pattern whose groups are all mandatory, and what the line means."""

    name: str
    kind: str
    pattern: re.Pattern[str]
    text: str
    source: str


def _signature(name: str, kind: str, pattern: str, text: str, source: str) -> Signature:
    return Signature(name, kind, re.compile(pattern), text, source)


_SIZE = r"[\d.]{1,12} (?:[KMGT]iB|bytes)"

SIGNATURES: tuple[Signature, ...] = (
    _signature(
        "cuda-memory-unused", "gpu-memory",
        rf"out of memory\. Tried to allocate (?P<tried>{_SIZE})\. GPU (?P<gpu>\d+) has a total capaci?ty of "
        rf"(?P<total>{_SIZE}) of which (?P<free>{_SIZE}) is free\..{{0,600}}? and (?P<unused>{_SIZE}) is reserved",
        "GPU {gpu} had {free} of its {total} free when {tried} more were asked for, and PyTorch held {unused} unused",
        "TRL issue 4237",
    ),
    _signature(
        "cuda-memory", "gpu-memory",
        rf"out of memory\. Tried to allocate (?P<tried>{_SIZE})\. GPU (?P<gpu>\d+) has a total capaci?ty of "
        rf"(?P<total>{_SIZE}) of which (?P<free>{_SIZE}) is free",
        "GPU {gpu} had {free} of its {total} free when {tried} more were asked for",
        "TRL issue 4237",
    ),
    _signature(
        "cuda-memory-before-torch-2.1", "gpu-memory",
        rf"out of memory\. Tried to allocate (?P<tried>{_SIZE}) \(GPU (?P<gpu>\d+); (?P<total>{_SIZE}) total capacity; "
        rf"(?P<used>{_SIZE}) already allocated; (?P<free>{_SIZE}) free; (?P<reserved>{_SIZE}) reserved in total",
        "GPU {gpu} had {free} of its {total} free when {tried} more were asked for; PyTorch held {reserved}, {used} of "
        "it in use",
        "unilm issue 137",
    ),
    _signature(
        "gpu-memory", "gpu-memory",
        r"\b(?:CUDA|HIP|MPS|NPU)\b.{0,40}out of memory|CUDA_ERROR_OUT_OF_MEMORY|CUBLAS_STATUS_ALLOC_FAILED",
        "a GPU had no memory left", "TRL issue 5750",
    ),
    _signature(
        "ray-memory-monitor", "node-memory",
        r"name=(?P<worker>[^,()\s]{1,160}), pid=\d+, memory used=(?P<own>[\d.]+)GB\) was running was "
        r"(?P<used>[\d.]+)GB / (?P<total>[\d.]+)GB \([\d.]+\), which exceeds the memory usage threshold of "
        r"(?P<threshold>\d\.\d+)",
        "ray killed {worker}, which held {own} GB, when {used} GB of the node's {total} GB were in use, past the share "
        "of {threshold} that it allows", "verl issue 4995",
    ),
    _signature(
        "raylet-memory-pressure", "node-memory",
        r"(?P<count>[1-9]\d{0,8}) Workers \(tasks / actors\) killed due to memory pressure \(OOM\)",
        "ray killed workers ({count}) because the node ran low on memory", "EasyR1 issue 185",
    ),
    _signature(
        "ray-low-memory", "node-memory", r"killed due to the node running low on memory|RayOutOfMemoryError",
        "ray killed a worker because the node ran low on memory", "NoisyRollout issue 7",
    ),
    _signature(
        "kernel-memory-killer", "node-memory", r"(?i)\boom[-_]kill|\bOOMKill",
        "the kernel killed a process because memory ran out", "DrivoR issue 35",
    ),
    _signature(
        "failed-allocation", "memory",
        r"(?i)(?<!ran )out of memory|not enough memory|can(?:no|')t allocate memory|std::bad_alloc|OutOfMemoryError"
        r"|\bMemoryError\b",
        "an allocation failed", "torch and Python",
    ),
    _signature(
        "disk", "disk-full",
        r"No space left on device|\bStorageFull\b|Disk quota exceeded|PytorchStreamWriter failed writing file"
        r"|the disk that holds .{1,300} is full",
        "what it wrote did not fit on the disk", "dolly issue 139, LLaMA-Factory issues 5155 and 1223",
    ),
    _signature(
        "loader-shared-memory", "data-loader",
        r"DataLoader worker \(pid (?P<pid>\d+)\) is killed by signal: Bus error",
        "a data loader's worker (pid {pid}) ran out of shared memory", "ms-swift issue 7264, mmf issue 441",
    ),
    _signature(
        "loader-killed", "data-loader",
        r"DataLoader worker \(pid (?P<pid>\d+)\) is killed by signal: (?P<signal>[A-Z][A-Za-z ]{2,30})",
        "a data loader's worker (pid {pid}) got the signal “{signal}”", "RL-ViGen issue 17",
    ),
    _signature(
        "loader-gone", "data-loader",
        r"DataLoader worker \(pid\(s\) (?P<pids>\d[\d, ]{0,200})\) exited unexpectedly",
        "a data loader's worker (pid {pids}) ended", "GDR-Net issue 16",
    ),
    _signature(
        "loader-bus-error", "data-loader", r"Unexpected bus error encountered in worker",
        "a data loader's worker ran out of shared memory", "mmsegmentation issue 1356",
    ),
    _signature(
        "memory-error-of-a-gpu", "device-fault", r"uncorrectable ECC error encountered",
        "the memory of a GPU returned wrong data (an uncorrectable ECC error)", "TRL issue 4149",
    ),
    _signature(
        "probabilities-not-finite", "not-finite", r"probability tensor contains either `?inf",
        "the probabilities to sample from were NaN or infinite", "R1-V issue 69",
    ),
    _signature(
        "histogram-not-finite", "not-finite", r"range of \[[^\]]{1,60}\] is not finite",
        "a histogram was to be drawn of numbers that were NaN or infinite", "W&B issue 955",
    ),
    _signature(
        "job-time-limit", "time-limit", r"CANCELLED AT \S+ DUE TO TIME LIMIT",
        "Slurm ended the job at its time limit", "Slurm",
    ),
    _signature(
        "slow-reward-function", "grader",
        r"the reward function (?P<function>\S{1,120}) has not come back for (?P<seconds>\d+) s",
        "the reward function {function} had not come back after {seconds} s", "rlvitals",
    ),
    _signature(
        "sandbox-time-out", "grader",
        r"Sandbox API call failed.{0,400}Read timed out\. \(read timeout=(?P<seconds>[\d.]+)\)",
        "a sandbox for code did not answer within {seconds} s", "verl issue 3478",
    ),
    _signature(
        "math-verify-time-out", "grader",
        r"math_verify\S{0,60}\bTimeoutException|\bTimeout during (?:comparison|parsing)|^TimeoutException\b",
        "math_verify gave up on an answer after its time-out", "open-r1 issue 420, Reinforce-Ada issue 14",
    ),
    _signature(
        "time-out-outside-main-thread", "grader", r"signal only works in main thread",
        "a grader's time-out uses a signal, which works in the main thread alone",
        "Math-Verify issue 50, verl pull request 5635",
    ),
    _signature(
        "stack-in-grader", "grader",
        r"File \"(?:[^\"\n]{0,300}/)?(?P<place>(?:math_verify|latex2sympy2\w{0,20}|sympy|reward_score|reward_manager)/"
        r"[^\"\n]{1,120})\", line \d+,? in (?P<function>\w{1,80})",
        "a stack that it printed stands in {function} ({place})", "verl pull request 6673, simpleRL-reason issue 95",
    ),
    _signature(
        "wandb-retries", "network", r"wandb: Network error \((?P<what>\w{1,60})\), entering retry loop",
        "W&B's server could not be reached ({what})", "wandb issue 2039",
    ),
    _signature(
        "wandb-start", "network", r"CommError: Run initialization has timed out after (?P<seconds>[\d.]+) sec",
        "W&B did not start within {seconds} s", "DeepResearcher issue 7",
    ),
    _signature(
        "http", "network",
        r"HTTPS?ConnectionPool\(host='(?P<host>[^']{1,120})', port=\d+\): "
        r"(?P<what>Read timed out|Max retries exceeded)",
        "{host} did not answer ({what})", "wandb issue 1526",
    ),
    _signature(
        "nccl-watchdog", "collective",
        r"\[Rank (?P<rank>\d+)\] Watchdog caught collective operation timeout: WorkNCCL\(.{0,120}?"
        r"OpType=(?P<operation>\w{1,40}).{0,200}? ran for (?P<seconds>\d{1,9})\d{3} milliseconds",
        "rank {rank} waited {seconds} s in {operation} for the other processes",
        "OpenRLHF issue 624, open-r1 issue 620",
    ),
    _signature(
        "nccl-watchdog-stuck", "collective",
        r"Rank (?P<rank>\d+)\] ProcessGroupNCCL's watchdog got stuck for (?P<seconds>\d+) seconds",
        "rank {rank} made no progress in NCCL for {seconds} s", "ArcticTraining issue 219",
    ),
    _signature(
        "nccl", "collective",
        r"Watchdog caught collective operation timeout|Some NCCL operations have failed or timed out",
        "processes waited for one another in NCCL until its watchdog ended them", "vLLM issue 6042",
    ),
    _signature(
        "vllm-engine", "engine",
        r"EngineDeadError: EngineCore encountered an issue|Engine core proc \S{1,60} died unexpectedly",
        "vLLM's engine died", "vLLM issues 27549 and 17965",
    ),
    _signature(
        "torchrun-kill", "killed", r"exitcode: -9\) local_rank: (?P<rank>\d+) \(pid: (?P<pid>\d+)\)",
        "the process of local rank {rank} (pid {pid}) was killed (signal 9)", "RLHF-V issue 11",
    ),
    _signature(
        "signal-9", "killed", r"Signal 9 \(SIGKILL\) received by PID (?P<pid>\d+)",
        "process {pid} was killed (signal 9)", "ms-swift issue 7357",
    ),
    _signature(
        "shell-kill", "killed",
        r"^Killed\b.{0,20}$|^\S{1,200}: line \d+:\s+\d+ Killed\b|\bCANCELLED AT \S+",
        "it was killed", "bash and Slurm",
    ),
    _signature(
        "ray-worker", "worker-died",
        r"Worker exit type: SYSTEM_ERROR|\bActorDiedError\b|\bActorUnavailableError\b",
        "a worker of ray died", "OpenRLHF issue 305",
    ),
    _signature(
        "launcher", "worker-died", r"^(?:\w+\.)*(?:ChildFailedError|SignalException|CalledProcessError)\b",
        "its launcher reports that a process failed", "pytorch issue 150916",
    ),
)  # fmt: skip
