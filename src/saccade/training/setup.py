"""From a recipe to a training: machine, model, warmup, and everything put together."""

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import nn

from saccade.errors import DataError, RecipeError, RunError
from saccade.machine import keep_memory
from saccade.models import Vocabulary, build_model
from saccade.recipe import Recipe, TrainSection
from saccade.tasks.base import Task
from saccade.tasks.sight import Sight
from saccade.training import shared
from saccade.training.checkpoint import Checkpoint
from saccade.training.crew import crew
from saccade.training.flops import Cost, measured_cost
from saccade.training.folder import RunFolder
from saccade.training.kinds import KINDS, Known, device_here, vision_of
from saccade.training.loop import Ending, Training, Watch
from saccade.training.metrics import Scalars
from saccade.training.progress import steps_in
from saccade.training.schedules import MOST_WARMUP, WARMUP_PART
from saccade.training.storage import load_tensors
from saccade.training.weights import put_body

CAPTIONING = "captioning"


def use_machine(threads: int | None) -> None:
    """As many threads as there are cores to use, unless the recipe says otherwise, and memory that is kept."""
    keep_memory()
    torch.set_num_threads(threads or len(os.sched_getaffinity(0)))


def workers_here(settings: TrainSection, task: Task, model: nn.Module) -> int:
    """The recipe's number of processes, or one for each thread as long as each gets enough tokens of a batch.

    A batch norm must see the whole batch: in several processes each would scale its share by a mean and deviation of
    its own, and only those of the first would be kept.
    """
    norms = any(isinstance(part, nn.modules.batchnorm._BatchNorm) for part in model.modules())
    if norms and (settings.workers or 1) > 1:
        raise RecipeError(
            f"train.workers is {settings.workers}, but the model has batch norms, which look at a whole batch at once: "
            "leave train.workers out; one process uses all threads"
        )
    if settings.workers is not None and settings.workers > 1 and not shared.available():
        raise RecipeError("train.workers above 1 needs memory that processes share, which this system does not offer")
    if settings.workers is not None:
        return settings.workers
    if norms or task.device.type != "cpu" or not shared.available():
        return 1
    return max(1, min(torch.get_num_threads(), task.batches.batch_tokens // task.batches.least_share))


def vocabulary_of(known: Known) -> Vocabulary:
    """What the model must know of the data."""
    if isinstance(known, Sight):
        return Vocabulary(source=0, target=0, shared=True, labels=len(known.labels))
    return Vocabulary(
        source=known.source.vocab_size,
        target=known.target.vocab_size,
        shared=known.source is known.target,
        pad_id=known.target.pad_id,
        labels=len(known.labels) or 1,  # without names it is one number
    )


def make_model(recipe: Recipe, known: Known) -> nn.Module:
    """The recipe's model with fresh weights, which depend on the seed alone."""
    torch.manual_seed(recipe.seed)
    vocabulary = vocabulary_of(known)
    if recipe.task == CAPTIONING:
        vocabulary = replace(vocabulary, picture=vision_of(recipe).shape)
    model = build_model(recipe.model.preset, recipe.model.options, vocabulary, task=recipe.task)
    return model.to(device_here())


def cost_of(recipe: Recipe, corpus: Any, model: nn.Module) -> Cost:
    """What a step of this model costs, without what chance decides, or the words of a few captions.

    That is BPE dropout, translations to be rewarded, the variation of pictures, and their reading again with persons
    hidden.
    """
    without = {"bpe_dropout": 0.0, "reward": None, "augment": "none", "mix": 0.0, "equalize": None}
    plain = recipe.train.model_copy(update=without)
    return measured_cost(KINDS[recipe.task].make(recipe.model_copy(update={"train": plain}), corpus), model)


def epoch_flops(task: Task, cost: Cost) -> int:
    """The operations of one pass over the data."""
    return sum(cost.flops(task.work(rows)) for rows in task.batches.epoch(0))


def warmup_steps(settings: TrainSection, task: Task, cost: Cost) -> int:
    """The recipe's warmup, or a tenth of the steps of its budget, at most 1,000.

    How many steps a tenth of some minutes is shows only when they are spent: until then it is the most.
    """
    if settings.warmup is not None:
        return settings.warmup
    epoch_steps = len(task.batches.epoch(0)) / settings.accumulate
    steps = steps_in(
        settings.budget,
        epoch_steps=epoch_steps,
        epoch_tokens=task.epoch_tokens,
        epoch_flops=epoch_flops(task, cost),
    )
    return MOST_WARMUP if steps is None else max(1, min(MOST_WARMUP, int(steps / WARMUP_PART)))


@dataclass(frozen=True)
class Ready:
    """Everything that a training, or a trial of it, needs. ``new_head``: what answers has learned nothing yet."""

    corpus: Any
    task: Task
    model: nn.Module
    new_head: bool


def prepare(recipe: Recipe, folder: RunFolder, say: Callable[[str], None], *, first: int | None = None) -> Ready:
    """Data, of which ``first`` says how much is looked at, task and model, begun with the folder's weights if any."""
    begun = folder.initial.exists()
    kind = KINDS[recipe.task]
    given = kind.load(folder.path) if begun else None
    kind.prepare(recipe, folder.data, folder.path, say, given=given, first=first)
    try:
        corpus = kind.open(folder.data, folder.path)
    except DataError as error:
        raise RunError(f"{error}. Remove {folder.data}, and `saccade resume` makes it anew") from error
    model = make_model(recipe, kind.load(folder.path))
    fresh = put_body(model, load_tensors(folder.initial), origin=folder.initial) if begun else None
    if fresh:
        say(f"begun with other weights, but new: {', '.join(fresh)}")
    task = kind.make(recipe, corpus)
    task.check_fits(model)
    return Ready(corpus, task, model, new_head=fresh is None or "labels" in fresh)


def fit(
    recipe: Recipe,
    folder: RunFolder,
    *,
    watch: Callable[[Task, nn.Module], Watch],
    say: Callable[[str], None],
) -> Ending:
    """Trains the recipe in its folder, from the last checkpoint if there is one, otherwise from the beginning.

    A folder that was made from another run holds the weights to begin with. ``watch`` is made when task and model are.
    """
    use_machine(recipe.train.threads)
    with folder.training():
        ready = prepare(recipe, folder, say)
        corpus, task, model = ready.corpus, ready.task, ready.model
        if ready.new_head and not Checkpoint(folder.last).exists():
            KINDS[recipe.task].begin(task, model)
        cost = cost_of(recipe, corpus, model)
        scalars = _tensorboard(folder) if recipe.train.tensorboard else None
        workers = workers_here(recipe.train, task, model)
        with crew(task, model, recipe, workers=workers, data=folder.data, tokenizers=folder.path) as everyone:
            training = Training(
                task,
                model,
                recipe.train,
                folder,
                seed=recipe.seed,
                warmup=warmup_steps(recipe.train, task, cost),
                cost=cost,
                watch=watch(task, model),
                crew=everyone,
                scalars=scalars,
            )
            return training.run()


def _tensorboard(folder: RunFolder) -> Scalars:
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError as error:
        raise RecipeError('train.tensorboard needs TensorBoard: pip install "saccade[track]"') from error
    writer: Scalars = SummaryWriter(str(folder.path / "tensorboard"))
    return writer
