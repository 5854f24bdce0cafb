"""Checks whether the Hugging Face hub can be reached, once, before its libraries are imported.

Those retry five times for each of several files, a minute without a network, and read `HF_HUB_OFFLINE` on import.
"""

import http.client
import os
import ssl
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence

from diagnostics.language import _
from trainer.config.local_or_hub import DATASET_SUFFIXES, is_path
from trainer.config.training import TrainConfig
from trainer.console import say_once

HUB = "https://huggingface.co"
TIMEOUT = 10.0  # seconds
_OFFLINE = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")
_REWARD_MODEL = "reward_model:"


def go_offline_if_hub_unreachable(config: TrainConfig, *rewards: str) -> None:
    """Use only the local cache if a training names something on the hub, and the hub cannot be reached.

    Args:
        rewards: Names of reward functions besides the training's.
    """
    named = next(_hub_ids(config, rewards), None)
    if named is None or any(os.environ.get(variable) for variable in _OFFLINE):
        return
    endpoint = os.environ.get("HF_ENDPOINT") or HUB
    if reason := why_unreachable(endpoint):
        os.environ[_OFFLINE[0]] = "1"
        words = _("{endpoint} cannot be reached ({reason}): {name} is looked for in its local cache only")
        say_once("hub", words.format(endpoint=endpoint, reason=reason, name=named))


def why_unreachable(endpoint: str) -> str:
    """Why a web server could not be reached; empty if it answered at all, even with an error."""
    try:
        urllib.request.urlopen(urllib.request.Request(endpoint, method="HEAD"), timeout=TIMEOUT).close()
    except (urllib.error.HTTPError, http.client.HTTPException):
        return ""
    except urllib.error.URLError as error:  # certificate problems are left to the hub's libraries
        return "" if isinstance(error.reason, ssl.SSLError) else str(error.reason)
    except (OSError, ValueError) as error:
        return str(error)
    return ""


def _hub_ids(config: TrainConfig, rewards: Sequence[str]) -> Iterator[str]:
    """The hub ids that a training names: models, datasets and reward models."""
    judges = [name for name in (*config.reward_funcs, *rewards) if name.startswith(_REWARD_MODEL)]
    models = (config.model_name_or_path, *(name.removeprefix(_REWARD_MODEL) for name in judges))
    yield from (name for name in models if name and not is_path(name))
    yield from (name for name in (config.dataset, config.eval_dataset) if name and not is_path(name, DATASET_SUFFIXES))
