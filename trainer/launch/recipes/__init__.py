"""Launch recipes: commands of a user's own scripts, with typed and bounded parameters, from a file on the server."""

from trainer.launch.recipes.launch_recipe import LaunchRecipe
from trainer.launch.recipes.parameter import Kind, Parameter
from trainer.launch.recipes.recipes_file import load_recipes, recipe_named, recipes_file

__all__ = ["Kind", "LaunchRecipe", "Parameter", "load_recipes", "recipe_named", "recipes_file"]
