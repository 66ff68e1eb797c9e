"""What is known of a classifier of pictures once it is trained and evaluated."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Self

from saccade.compare.system import WARM, System, Telling, cost_of, score_of_json
from saccade.data.examples import Pictured
from saccade.errors import RunError
from saccade.evaluation.translation import Score
from saccade.runs import PictureRun, load
from saccade.training.folder import RunFolder


@dataclass(frozen=True, kw_only=True)
class ClassMeasured(System):
    """One classifier with the labels it said of the test set; ``found`` is the share of each class, times 100."""

    accuracy: Score
    found: dict[str, float]
    said: tuple[str, ...]

    @property
    def scores(self) -> tuple[Score, ...]:
        return (self.accuracy,)

    @property
    def answers(self) -> tuple[str, ...]:
        return self.said

    def figures(self) -> dict[str, Any]:
        told = asdict(self)
        del told["said"]
        return {**told, "pictures_per_second": round(self.per_second, 2)}

    @classmethod
    def of_json(cls, said: dict[str, Any]) -> Self:
        return cls(**{**said, "accuracy": score_of_json(said["accuracy"]), "said": tuple(said["said"])})


def measure_classes(
    run: RunFolder, examples: Sequence[Pictured], *, name: str, data: str, command: str, telling: Telling
) -> ClassMeasured:
    """Evaluates a trained run on the test pictures; the evaluation is kept in the run's results.json as well.

    The time to answer is the model's: reading and decoding pictures is not counted.
    """
    trained = load(run.path)
    if not isinstance(trained, PictureRun):
        raise RunError(f"{run.path} was trained for task {trained.recipe.task}, which does not classify pictures")
    trained.scores([one.picture for one in examples[:WARM]])
    with telling(len(examples)) as told:
        found = trained.evaluate(data, examples=examples, command=command, on_progress=told)
    result = asdict(found.result)
    return ClassMeasured(
        **cost_of(trained, name=name),
        accuracy=found.scores[0],
        found={one.label: one.found for one in found.classes},
        said=found.said,
        decode=result["decode"],
        decoding_seconds=found.seconds,
        machine=result["machine"],
        date=found.result.date,
    )
