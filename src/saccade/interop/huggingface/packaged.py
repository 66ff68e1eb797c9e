"""Models that come as Python packages: the folder inside an installed package that holds one."""

from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from saccade.errors import DataError

CONFIG = "config.json"
WEIGHTS = ("*.safetensors", "*.bin")


def model_folder(place: Path) -> Path:
    """``place`` itself, or, where no such folder is, the one with a model in the installed package of that name."""
    if place.exists():
        return place
    try:
        package = distribution(place.name)
    except (PackageNotFoundError, ValueError):
        return place
    files = [Path(str(package.locate_file(file))) for file in package.files or ()]
    folders = [file.parent for file in files if file.name == CONFIG]
    found = [folder for folder in folders if any(next(folder.glob(kind), None) for kind in WEIGHTS)]
    if len(found) != 1:
        raise DataError(f"the package {place} holds {len(found)} folders with {CONFIG} and weights; expected one")
    return found[0]
