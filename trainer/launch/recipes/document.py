"""Launch recipes as JSON's own types, for programs."""

import math
from typing import Any

from trainer.launch.recipes.parameter import Parameter
from trainer.launch.recipes.recipes_file import load_recipes


def recipe_documents() -> list[dict[str, Any]]:
    """Each recipe of the user's file. Raises LaunchError."""
    return [
        {
            "name": recipe.name,
            "title": recipe.title,
            "help": recipe.help,
            "command": list(recipe.command),
            "cwd": str(recipe.cwd),
            "parameters": [_parameter(parameter) for parameter in recipe.parameters.values()],
        }
        for recipe in load_recipes().values()
    ]


def _parameter(parameter: Parameter) -> dict[str, Any]:
    return {
        "name": parameter.name,
        "type": str(parameter.kind),
        "default": parameter.default,
        "help": parameter.help,
        "bounds": parameter.bounds,
        "min": parameter.least if math.isfinite(parameter.least) else None,
        "max": parameter.most if math.isfinite(parameter.most) else None,
        "choices": list(parameter.choices),
    }
