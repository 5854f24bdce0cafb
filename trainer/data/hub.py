"""The Hugging Face hub: whether it can be reached, asked once before its libraries are imported.

They ask it five times, with pauses, for each of several files, which takes a minute where there is no network, and
they read `HF_HUB_OFFLINE` when they are imported.
"""

import http.client
import os
import ssl
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence

from trainer.config.sources import DATASET_SUFFIXES, is_path
from trainer.config.training import TrainConfig
from trainer.run.console import say_once

HUB = "https://huggingface.co"
TIMEOUT = 10.0  # seconds
_OFFLINE = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")
_REWARD_MODEL = "reward_model:"


def go_offline_if_hub_unreachable(config: TrainConfig, *rewards: str) -> None:
    """Keep to the hub's local cache where a training names something on the hub, and the hub cannot be reached.

    Args:
        rewards: Reward functions by name, besides those of the training.
    """
    named = next(_named(config, rewards), None)
    if named is None or any(os.environ.get(variable) for variable in _OFFLINE):
        return
    endpoint = os.environ.get("HF_ENDPOINT") or HUB
    if reason := why_unreachable(endpoint):
        os.environ[_OFFLINE[0]] = "1"
        say_once("hub", f"{endpoint} cannot be reached ({reason}): {named} is looked for in its local cache only")


def why_unreachable(endpoint: str) -> str:
    """What kept this machine from reaching a web server; empty where any answer came, an error of the server's too."""
    try:
        urllib.request.urlopen(urllib.request.Request(endpoint, method="HEAD"), timeout=TIMEOUT).close()
    except (urllib.error.HTTPError, http.client.HTTPException):
        return ""
    except urllib.error.URLError as error:  # a certificate is the business of the hub's own libraries
        return "" if isinstance(error.reason, ssl.SSLError) else str(error.reason)
    except (OSError, ValueError) as error:
        return str(error)
    return ""


def _named(config: TrainConfig, rewards: Sequence[str]) -> Iterator[str]:
    """The ids of the hub that a training names: of models, datasets and reward models."""
    judges = [name for name in (*config.reward_funcs, *rewards) if name.startswith(_REWARD_MODEL)]
    models = (config.model_name_or_path, *(name.removeprefix(_REWARD_MODEL) for name in judges))
    yield from (name for name in models if name and not is_path(name))
    yield from (name for name in (config.dataset, config.eval_dataset) if name and not is_path(name, DATASET_SUFFIXES))
