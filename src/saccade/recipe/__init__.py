"""What a user asks for: the schema of a recipe, loading, overrides, checks.

>>> from saccade.recipe import load
>>> recipe = load("scenes-en-fr", ["train.lr=3e-4"])
>>> recipe.train.lr
0.0003
"""

from saccade.recipe.amount import Amount, Unit
from saccade.recipe.data_section import DataSection
from saccade.recipe.describe import json_schema, reference
from saccade.recipe.keys import Models
from saccade.recipe.load import load, load_text
from saccade.recipe.schema import DecodeSection, ModelSection, OptionValue, Recipe, TokenizerSection
from saccade.recipe.shipped import ShippedRecipe, shipped
from saccade.recipe.train_section import TrainSection
from saccade.recipe.write import to_yaml

__all__ = [
    "Amount",
    "DataSection",
    "DecodeSection",
    "ModelSection",
    "Models",
    "OptionValue",
    "Recipe",
    "ShippedRecipe",
    "TokenizerSection",
    "TrainSection",
    "Unit",
    "json_schema",
    "load",
    "load_text",
    "reference",
    "shipped",
    "to_yaml",
]
