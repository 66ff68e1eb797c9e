"""What a recipe may say under ``train``."""

from typing import Annotated, Literal

from pydantic import Field, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from saccade.recipe.amount import Amount
from saccade.recipe.section import Count, Section, Word


class TrainSection(Section):
    """How the model learns, how long and how it is watched."""

    budget: Amount = Field(
        default=Amount(30, "epochs"),
        description="Length of training in epochs, steps, tokens, flops, minutes or hours.",
    )
    batch_tokens: Count | None = Field(
        default=None,
        description="Most tokens in a batch on either side, padding included; null means 4,096, or fewer for small "
        "data, so that an epoch has at least 20 batches.",
    )
    batch_pictures: Count | None = Field(
        default=None,
        description="Pictures in a batch; null means 128, or fewer for small data, down to 8, so that an epoch has at "
        "least 20 batches.",
    )
    accumulate: Count = Field(default=1, description="Batches whose gradients are summed into one step.")
    optimizer: Literal["adam", "adamw", "muon"] = Field(
        default="adamw", description="Optimiser; muon takes AdamW for embeddings and vectors."
    )
    lr: float = Field(default=1e-3, gt=0, description="Highest learning rate, reached at the end of the warm-up.")
    betas: tuple[Annotated[float, Field(ge=0, lt=1)], Annotated[float, Field(ge=0, lt=1)]] = Field(
        default=(0.9, 0.98), description="Adam's decay rates of the first and second moment."
    )
    eps: float = Field(default=1e-9, gt=0, description="Adam's term against division by zero.")
    weight_decay: float = Field(default=0.0, ge=0, description="Weight decay: L2 with adam, else decoupled.")
    schedule: Literal["inverse-sqrt", "linear", "cosine", "constant"] = Field(
        default="inverse-sqrt", description="How the learning rate goes on after the warm-up."
    )
    warmup: Annotated[int, Field(ge=0)] | None = Field(
        default=None,
        description="Steps in which the learning rate rises from 0 to lr; null means a tenth of the budget, at most "
        "1,000 steps.",
    )
    label_smoothing: float = Field(
        default=0.1,
        ge=0,
        lt=1,
        description="Probability taken from the right token and spread over the vocabulary, or over the labels. This "
        "is the default of translators and of classifiers of pictures; that of all others is 0.",
    )
    bpe_dropout: float = Field(
        default=0.0,
        ge=0,
        lt=1,
        description="Probability with which a BPE token of the training text is split into the two it was merged from, "
        "and those again.",
    )
    consistency: float = Field(
        default=0.0,
        ge=0,
        description="R-Drop's α: every pair, or labelled text, goes through the model twice, with other dropout each "
        "time, and pays for the difference between the two answers; 5 is usual for translation, 1 for labels, 0 means "
        "one pass.",
    )
    augment: Literal["none", "light", "strong"] = Field(
        default="light",
        description="How training pictures are varied: light moves them by up to an eighth of their side and changes "
        "left and right in half of them; strong also turns, shears and recolours them (RandAugment) and hides a part. "
        "A backbone sees each picture as it is and mirrored, with strong also its four corners, and training takes one "
        "of these views. The default of captioners is none, since captions may say left and right.",
    )
    mix: float = Field(
        default=0.0,
        ge=0,
        le=1,
        description="Probability that the pictures of a batch, and their labels alike, are mixed with each other: by "
        "Mixup or Cutmix, each in half of the cases.",
    )
    guide: float = Field(
        default=0.0,
        ge=0,
        description="Captioners with attention: weight of the loss that wants each word's attention on the boxes of "
        "what it speaks of (data.regions, or scenes); 0 lets attention find its places by itself.",
    )
    equalize: Word | None = Field(
        default=None,
        description="Groups of words that must not be told from the surroundings: gendered, or a JSON file with words "
        "by group. Needs boxes of what these words speak of (data.regions, or scenes); null learns from the captions "
        "alone.",
    )
    confusion: float = Field(
        default=10.0, ge=0, description="Equalizing: weight of preferring no group where the person is painted over."
    )
    confident: float = Field(
        default=1.0, ge=0, description="Equalizing: weight of saying the true group where the person is in view."
    )
    hidden: float = Field(default=0.15, gt=0, lt=1, description="Share of the words that BERT must find.")
    pairs: Literal["next-sentence", "sentence-order"] = Field(
        default="next-sentence",
        description="What BERT must tell of two texts: whether the second follows the first or comes from elsewhere, "
        "or whether they were swapped.",
    )
    reward: Literal["bleu", "gleu", "cider"] | None = Field(
        default=None,
        description="Score of sampled texts to learn from beside the likelihood, with --init-from: bleu or gleu of "
        "translations, cider or bleu of captions; null: none.",
    )
    reward_share: float = Field(
        default=0.9, gt=0, le=1, description="Share of the reward in the loss; the rest is the likelihood's."
    )
    reward_samples: Annotated[int, Field(ge=2)] = Field(
        default=5, description="Texts drawn for each sentence or picture; they are each other's standard of comparison."
    )
    clip: Annotated[float, Field(gt=0)] | None = Field(
        default=1.0, description="Largest norm of the gradient; null does not clip."
    )
    average: Count = Field(default=1, description="Last checkpoints whose weights are averaged; 1 does not average.")
    validate_every: Amount = Field(default=Amount(1, "epochs"), description="Training between two validations.")
    save_every: Amount = Field(
        default=Amount(5, "minutes"), description="Training between two checkpoints, which resume starts from."
    )
    patience: Count | None = Field(
        default=None, description="Validations in a row without a better score that end training; null never does."
    )
    metric: Literal["bleu", "chrf", "cider", "accuracy", "f1", "matthews", "pearson", "spearman", "loss"] = Field(
        default="bleu",
        description="Validation score that chooses the best weights: bleu, chrf and cider (of captions) decode text; "
        "accuracy, f1 and matthews are of classes, accuracy also of plain tags and f1 of entities, pearson and "
        "spearman of numbers. Each task has its default; that of language models is loss.",
    )
    valid_sentences: Count = Field(
        default=500, description="Most validation sentences or pictures for which text is decoded and scored."
    )
    precision: Literal["float32", "bfloat16"] = Field(
        default="float32",
        description="Numbers of the forward pass, and of Muon's matrices; weights and what is summed up stay float32.",
    )
    threads: Count | None = Field(default=None, description="CPU threads; null chooses them for the machine.")
    workers: Count | None = Field(
        default=None,
        description="Processes that share each batch, and the threads; null means one for each thread, but none for "
        "less than 512 tokens or 16 pictures, and one in all for models with batch norms, which look at a whole batch.",
    )
    tensorboard: bool = Field(default=False, description="Write TensorBoard files into the run folder as well.")
    log_every: Count = Field(default=50, description="Steps between two lines of metrics.jsonl.")

    @field_validator("warmup")
    @classmethod
    def _inverse_sqrt_needs_a_peak(cls, warmup: int | None, info: ValidationInfo) -> int | None:
        if warmup == 0 and info.data.get("schedule") == "inverse-sqrt":
            raise PydanticCustomError(
                "warmup",
                "must be at least 1 with train.schedule inverse-sqrt, which decays from the warm-up's last step",
            )
        return warmup
