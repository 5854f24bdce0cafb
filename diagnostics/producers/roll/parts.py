"""ROLL's metric tags of parts: a domain of the data, a call of a group of workers, a device.

A domain logs what the batch logs, under its own name: `math_rule/token/response_length/mean`. Some of it is logged by
domain alone.
"""

from diagnostics.model.vocabulary import PART_PREFIX
from diagnostics.producers.log import Log
from diagnostics.producers.roll.tags import ANSWERS, BY_DOMAIN, REWARD, TAGS, of_statistics

_REQUESTS = {
    **of_statistics("time/generate", "rollout_generation_seconds"),
    "time/generate/count": "generation_requests",
    **of_statistics("time/reward", "rollout_reward_seconds"),
    "time/reward/count": "reward_requests",
}
"""Of the scheduler, which names the domain once more."""
_COLLECTED = {"score/mean": "score", **of_statistics("score", "score", ("min", "max"))}
_CALLS = {
    "time/{name}/total": "call_time",
    "time/{name}/execute": "call_execution_time",
    "time/{name}/onload": "onload_time",
    "time/{name}/offload": "offload_time",
    "memory/cpu/{name}/rss": "process_memory",
    "memory/cpu/{name}/vms": "process_virtual_memory",
}
_MEMORY = {
    "allocated": "gpu_memory_in_use",
    "reserved": "gpu_memory_held",
    "max_allocated": "gpu_memory_allocated",
    "max_reserved": "gpu_memory_reserved",
    "max_allocated_frac": "gpu_memory_allocated_fraction",
    "max_reserved_frac": "gpu_memory_reserved_fraction",
}
_DEVICES = range(8)  # of one process


def _of_part(metric: str) -> str:
    return f"{PART_PREFIX}{{name}}/{metric.removeprefix(PART_PREFIX)}"


FAMILIES = {
    f"{{name}}/{REWARD}": "reward_func_mean/{name}",
    "val_correct/{name}/mean": "eval/reward_func_mean/{name}",
    "{name}/critic/correct/mean": _of_part("right_fraction"),
    **{f"{{name}}/{tag}": _of_part(metric) for tag, metric in {**ANSWERS, **BY_DOMAIN}.items()},
    **{
        f"{before}scheduler/{{name}}/{tag}": _of_part(metric)
        for before in ("{name}/", "")
        for tag, metric in {**_REQUESTS, **_COLLECTED}.items()
    },
    **{pattern: _of_part(metric) for pattern, metric in _CALLS.items()},
    **{
        f"memory/{{name}}/{kind}/{device}": _of_part(f"{device}/{metric}")
        for kind, metric in _MEMORY.items()
        for device in _DEVICES
    },
}


def of_only_domain(log: Log) -> dict[str, str]:
    """What each tag means that is logged by domain alone, where the data is one domain: the same of the batch."""
    end = f"/{REWARD}"
    domains = [tag.removesuffix(end) for tag in log.series if tag.endswith(end)]
    return _of_batch(domains[0], log) if len(domains) == 1 else {}


def _of_batch(domain: str, log: Log) -> dict[str, str]:
    known = {TAGS[tag] for tag in log.series if tag in TAGS}
    by_domain = {**BY_DOMAIN, **{f"scheduler/{domain}/{tag}": metric for tag, metric in _REQUESTS.items()}}
    return {f"{domain}/{tag}": metric for tag, metric in by_domain.items() if metric not in known}
