"""Fine-tuning as a task: one label, one number, or a tag for each word; scores on held-out examples.

Shapes: B texts, T tokens, L labels.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, mse_loss

from saccade.data.batches import Rows, pad
from saccade.data.encoded import Ids
from saccade.data.examples import Labelled, Tagged
from saccade.data.sources import LabelSet, TagKind, number_of
from saccade.errors import DataError, ModelError
from saccade.evaluation.classification import class_metrics, word_accuracy
from saccade.evaluation.correlation import pearson, spearman
from saccade.evaluation.entities import score_entities
from saccade.layers import divergence
from saccade.models import Bert, BertClassifier, BertTagger, Reading
from saccade.tasks.base import Facts, Loss, Sample, Validation
from saccade.tasks.labelled_corpus import LabelledCorpus
from saccade.tasks.predicting import ONE_TEXT, classified, tagged
from saccade.tasks.reading import Joined, batch_of, join
from saccade.tasks.rows import TextRows

SAMPLES = 5
EXAMPLES = 3
LINE = 256  # examples that tell where a head begins


class LabelledTask(TextRows, ABC):
    """What all of them have in common: batches of texts or pairs, cut at ``most`` tokens with their marks.

    The loss is the mean over a batch's answers, times the tokens that the loop divides by.
    """

    def __init__(
        self,
        corpus: LabelledCorpus,
        *,
        most: int,
        batch_tokens: int | None,
        seed: int,
        label_smoothing: float,
        device: torch.device,
        consistency: float = 0.0,
    ) -> None:
        self.corpus = corpus
        self.most = most
        self.label_smoothing = label_smoothing
        self.consistency = consistency
        self.device = device
        self.labels = LabelSet(corpus.tokenizers.labels)
        marks = np.where(corpus.second.lengths > 0, 3, 2)
        lengths = np.minimum(corpus.first.lengths + corpus.second.lengths + marks, most)
        super().__init__(lengths, batch_tokens=batch_tokens, seed=seed)

    @abstractmethod
    def scores(self, model: nn.Module, rows: Rows) -> Tensor:
        """What the model says of each answer, (A, L), or (A,) where it is a number."""

    @abstractmethod
    def mean_loss(self, scores: Tensor, rows: Rows) -> Tensor:
        """The mean loss of these rows' answers."""

    def apart(self, first: Tensor, second: Tensor) -> Tensor:
        """How far two passes are from giving the same answers, both ways together."""
        return divergence(first, second).mean()

    @abstractmethod
    def validate(self, model: nn.Module) -> Validation:
        """Scores on the validation examples."""

    @abstractmethod
    def unread(self) -> Tensor:
        """(L,): what is best said without reading anything."""

    def begin(self, model: nn.Module) -> None:
        """A new head begins there: at the rates of fine-tuning it would take all of the training to get so far."""
        with torch.no_grad():
            _head(model).bias.copy_(self.unread())

    def reading(self, rows: Rows) -> Reading:
        return batch_of([self.text(int(row)) for row in rows], self.corpus.tokenizer, self.device)

    def loss(self, model: nn.Module, rows: Rows) -> Loss:
        tokens = self.tokens(rows)
        # R-Drop: each text is in the batch twice, each time with other dropout, and both must say the same.
        read = np.concatenate((rows, rows)) if self.consistency else rows
        scores = self.scores(model, read)
        mean = self.mean_loss(scores, read)
        if self.consistency:
            mean = mean + self.consistency / 4 * self.apart(*scores.chunk(2))
        return Loss(mean * tokens, tokens)

    def text(self, row: int) -> Joined:
        second = self.corpus.second[row]
        return join(self.corpus.tokenizer, self.corpus.first[row], second if len(second) else None, most=self.most)

    def describe(self, rows: Rows) -> Sequence[str]:
        decode = self.corpus.tokenizer.decode
        return [
            " + ".join(
                repr(decode(side[int(row)])) for side in (self.corpus.first, self.corpus.second) if len(side[row])
            )
            for row in rows
        ]

    def check_fits(self, model: nn.Module) -> None:
        limit = _bert(model).max_length
        if self.most > limit:
            raise DataError(
                f"data.max_length is {self.most:,} tokens, but the model's positions end at {limit:,}: lower "
                "data.max_length; longer texts are cut"
            )
        if isinstance(model, BertClassifier) and model.compares and not self.corpus.second.lengths.all():
            raise DataError(f"{ONE_TEXT}, but some examples are of one text: take mean or first")

    def facts(self) -> Facts:
        tokenizer = self.corpus.tokenizer
        return Facts(
            examples=len(self.corpus.first),
            valid=len(self.corpus.valid),
            unit="examples",
            vocabulary=(tokenizer.vocab_size,),
            shown=tuple(
                {"text": tokenizer.pieces(self.text(row).tokens)}
                for row in range(min(EXAMPLES, len(self.corpus.first)))
            ),
        )


class ClassificationTask(LabelledTask):
    """−log p(label) of a text or a pair."""

    def unread(self) -> Tensor:
        return _log_shares(self.corpus.answers.all(), len(self.labels.names))

    def scores(self, model: nn.Module, rows: Rows) -> Tensor:
        return _classifier(model).scores(self.reading(rows)).float()

    def mean_loss(self, scores: Tensor, rows: Rows) -> Tensor:
        labels_B = torch.tensor([int(self.corpus.answers[int(row)][0]) for row in rows], device=self.device)
        return cross_entropy(scores, labels_B, label_smoothing=self.label_smoothing)

    def validate(self, model: nn.Module) -> Validation:
        examples = [one for one in self.corpus.valid if isinstance(one, Labelled)]
        scores_NL = torch.from_numpy(classified(_classifier(model), self.corpus.tokenizer, examples, most=self.most))
        gold = [self.labels.number(one.label, one.where) for one in examples]
        names = self.labels.names
        truth, said = [names[number] for number in gold], [names[number] for number in scores_NL.argmax(dim=1)]
        measured = class_metrics(truth, said, names)
        return Validation(
            loss=cross_entropy(scores_NL, torch.tensor(gold)).item(),
            scores={name: one.value for name, one in measured.items()},
            samples=_samples(examples, truth, said),
            per="answer",
        )


class RegressionTask(LabelledTask):
    """(number − answer)²."""

    def unread(self) -> Tensor:
        return _numbers(self.corpus.answers.all()).mean(dim=0, keepdim=True)

    def begin(self, model: nn.Module) -> None:
        """Of texts that are read apart, with the line through their cosine that fits some of the examples best.

        A model that was trained on sentence vectors says most of how alike two texts are before it learns anything.
        """
        super().begin(model)
        classifier = _classifier(model)
        if not classifier.apart:
            return
        rows = np.arange(LINE) * len(self.corpus.first) // LINE
        classifier.eval()
        with torch.no_grad():
            cosines = [classifier.cosines(self.reading(part)).cpu() for part in np.split(rows, LINE // 32)]
        classifier.train()
        cosine_N = torch.cat(cosines).numpy()
        line = np.linalg.lstsq(np.stack((cosine_N, np.ones_like(cosine_N)), axis=1), self._of(rows).numpy(), rcond=None)
        slope, intercept = map(float, line[0])
        classifier.say_line(slope=slope, intercept=intercept)

    def _of(self, rows: Rows) -> Tensor:
        return _numbers(np.concatenate([self.corpus.answers[int(row)] for row in rows]))

    def scores(self, model: nn.Module, rows: Rows) -> Tensor:
        return _classifier(model).scores(self.reading(rows)).float()[:, 0]

    def mean_loss(self, scores: Tensor, rows: Rows) -> Tensor:
        return mse_loss(scores, self._of(rows).to(self.device))

    def apart(self, first: Tensor, second: Tensor) -> Tensor:
        return 2 * mse_loss(first, second)

    def validate(self, model: nn.Module) -> Validation:
        examples = [one for one in self.corpus.valid if isinstance(one, Labelled)]
        found_N = classified(_classifier(model), self.corpus.tokenizer, examples, most=self.most)[:, 0]
        truth, said = [number_of(one) for one in examples], [float(number) for number in found_N]
        return Validation(
            loss=float(np.square(found_N - np.array(truth)).mean()),
            scores={"pearson": pearson(truth, said).value, "spearman": spearman(truth, said).value},
            samples=_samples(examples, [f"{number:g}" for number in truth], [f"{number:.2f}" for number in said]),
            per="answer",
        )


class TaggingTask(LabelledTask):
    """−log p(tag) of every word, read at its first token; entities are scored as such, ``plain`` tags word by word."""

    def __init__(self, corpus: LabelledCorpus, *, tags: TagKind = "entities", **settings: Any) -> None:
        super().__init__(corpus, **settings)
        self.tags = tags

    def unread(self) -> Tensor:
        answers = self.corpus.answers.all()
        return _log_shares(answers[answers > 0] - 1, len(self.labels.names))

    def scores(self, model: nn.Module, rows: Rows) -> Tensor:
        scores_BTL = _tagger(model).scores(self.reading(rows)).float()
        return scores_BTL[self._tags(rows) > 0]

    def mean_loss(self, scores: Tensor, rows: Rows) -> Tensor:
        tags_BT = self._tags(rows)
        return cross_entropy(scores, tags_BT[tags_BT > 0] - 1, label_smoothing=self.label_smoothing)

    def _tags(self, rows: Rows) -> Tensor:
        """(B, T), from 1; 0 where a token is not a word's first."""
        room = self.most - 2
        tags_BT = pad([self.corpus.answers[int(row)][:room] for row in rows], 0, prefix=[0], suffix=[0])
        return tags_BT.to(self.device)

    def validate(self, model: nn.Module) -> Validation:
        sentences = [one for one in self.corpus.valid if isinstance(one, Tagged)]
        found = tagged(_tagger(model), self.corpus.tokenizer, [one.words for one in sentences], most=self.most)
        names = self.labels.names
        said = [[names[number] for number in scores_WL.argmax(axis=1)] for scores_WL in found]
        gold = torch.tensor([self.labels.number(tag, one.where) for one in sentences for tag in one.tags])
        return Validation(
            loss=cross_entropy(torch.from_numpy(np.concatenate(found)), gold).item(),
            scores=self._scores([one.tags for one in sentences], said),
            samples=tuple(
                Sample(" ".join(one.words), " ".join(one.tags), " ".join(tags))
                for one, tags in zip(sentences[:SAMPLES], said, strict=False)
            ),
            per="answer",
        )

    def _scores(self, gold: Sequence[Sequence[str]], said: Sequence[Sequence[str]]) -> dict[str, float]:
        if self.tags == "plain":
            return {"accuracy": word_accuracy(gold, said).value}
        scores = score_entities(gold, said, resamples=0)
        return {"f1": scores.f1.value, "precision": scores.precision.value, "recall": scores.recall.value}


def _numbers(bits: Ids) -> Tensor:
    return torch.from_numpy(bits.astype(np.uint32).view(np.float32).copy())


def _log_shares(labels: Ids, count: int) -> Tensor:
    """log p of each label; one that is not there counts as half an example."""
    counts = np.maximum(np.bincount(labels.astype(np.int64), minlength=count), 0.5)
    return torch.from_numpy(np.log(counts / counts.sum())).float()


def _samples(examples: Sequence[Labelled], truth: Sequence[str], said: Sequence[str]) -> tuple[Sample, ...]:
    texts = (one.text if one.second is None else f"{one.text} + {one.second}" for one in examples)
    return tuple(Sample(*three) for three in zip(texts, truth[:SAMPLES], said, strict=False))


def _bert(model: nn.Module) -> Bert:
    if not isinstance(model, Bert):
        raise ModelError(f"fine-tuning needs a BERT, got {type(model).__name__}")
    return model


def _head(model: nn.Module) -> nn.Linear:
    return _tagger(model).labels if isinstance(model, BertTagger) else _classifier(model).labels


def _classifier(model: nn.Module) -> BertClassifier:
    if not isinstance(model, BertClassifier):
        raise ModelError(f"this task needs a BERT with a head for one answer, got {type(model).__name__}")
    return model


def _tagger(model: nn.Module) -> BertTagger:
    if not isinstance(model, BertTagger):
        raise ModelError(f"tagging needs a BERT with a head for every token, got {type(model).__name__}")
    return model
