"""What is known of a translator once it is trained and evaluated."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Self

from saccade.compare.looks import Looked, look
from saccade.compare.system import WARM, System, Telling, cost_of, score_of_json
from saccade.data.examples import Pair
from saccade.evaluation.translation import Score
from saccade.runs import Ensemble, load_translator
from saccade.training.folder import RunFolder


@dataclass(frozen=True, kw_only=True)
class Measured(System):
    """One translator with its translations of the test set; ``looked`` is None where it has no cross-attention."""

    bleu: Score
    chrf: Score
    alignment: dict[str, Any] | None
    translations: tuple[str, ...]
    looked: Looked | None = None

    @property
    def scores(self) -> tuple[Score, ...]:
        return self.bleu, self.chrf

    @property
    def answers(self) -> tuple[str, ...]:
        return self.translations

    @property
    def alignment_error(self) -> float | None:
        return None if self.alignment is None else float(self.alignment["error_rate"])

    def figures(self) -> dict[str, Any]:
        said = asdict(self)
        del said["translations"], said["looked"]
        return {
            **said,
            "sentences_per_second": round(self.per_second, 2),
            "alignment_error": self.alignment_error,
        }

    @classmethod
    def of_json(cls, said: dict[str, Any]) -> Self:
        scores = {name: score_of_json(said.pop(name)) for name in ("bleu", "chrf")}
        looked = said.pop("looked", None)
        return cls(
            **{**said, **scores, "translations": tuple(said["translations"])},
            looked=None if looked is None else Looked.of_json(looked),
        )


def measure(run: RunFolder, pairs: Sequence[Pair], *, name: str, data: str, command: str, telling: Telling) -> Measured:
    """Evaluates a trained run on the test pairs; the evaluation is kept in the run's results.json as well."""
    trained = load_translator(run.path)
    ensemble = Ensemble([trained])
    ensemble.translate([pair.source for pair in pairs[:WARM]], to=next((pair.into for pair in pairs), None))
    with telling(len(pairs)) as told:
        found = ensemble.evaluate(data, pairs=pairs, command=command, on_progress=told)
    result = asdict(found.result)
    return Measured(
        **cost_of(trained, name=name),
        bleu=found.scores.bleu,
        chrf=found.scores.chrf,
        decode=result["decode"],
        decoding_seconds=found.result.seconds,
        alignment=result["alignment"],
        machine=result["machine"],
        date=found.result.date,
        translations=tuple(one.text for one in found.translations),
        looked=look(trained, pairs),
    )
