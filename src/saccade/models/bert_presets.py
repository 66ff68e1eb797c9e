"""The sizes of BERT."""

from saccade.models.bert import BertClassifier, BertTagger, MaskedBert
from saccade.models.bert_options import BertOptions
from saccade.models.registry import preset

PRETRAINING = "masked-language-model"
FINE_TUNING = {"classification": BertClassifier, "regression": BertClassifier, "tagging": BertTagger}


@preset("bert-mini", task=PRETRAINING, build=MaskedBert, also=FINE_TUNING)
def bert_mini() -> BertOptions:
    """4 layers, dim 256: a BERT that two cores can pretrain (Turc et al. 2019, "Well-Read Students Learn Better").

    Published 11.3 M parameters; 11,170,560 in body and pooler here, with a vocabulary of 30,522.
    """
    return BertOptions(dim=256, heads=4, layers=4, ff_dim=1024, attention_dropout=0.0)


@preset("bert-small", task=PRETRAINING, build=MaskedBert, also=FINE_TUNING)
def bert_small() -> BertOptions:
    """4 layers, dim 512 (Turc et al. 2019).

    Published 29.1 M parameters; 28,763,648 in body and pooler here, with a vocabulary of 30,522.
    """
    return BertOptions(dim=512, heads=8, layers=4, ff_dim=2048)


@preset("bert-medium", task=PRETRAINING, build=MaskedBert, also=FINE_TUNING)
def bert_medium() -> BertOptions:
    """8 layers, dim 512 (Turc et al. 2019).

    Published 41.7 M parameters; 41,373,184 in body and pooler here, with a vocabulary of 30,522.
    """
    return BertOptions(dim=512, heads=8, layers=8, ff_dim=2048)


@preset("bert-base", task=PRETRAINING, build=MaskedBert, also=FINE_TUNING)
def bert_base() -> BertOptions:
    """12 layers, dim 768: the base model of "BERT" (Devlin et al. 2019).

    Published 110 M parameters; 109,482,240 in body and pooler here, with a vocabulary of 30,522.
    """
    return BertOptions()


@preset("bert-large", task=PRETRAINING, build=MaskedBert, also=FINE_TUNING)
def bert_large() -> BertOptions:
    """24 layers, dim 1024: the large model of "BERT" (Devlin et al. 2019).

    Published 340 M parameters; 335,141,888 in body and pooler here, with a vocabulary of 30,522.
    """
    return BertOptions(dim=1024, heads=16, layers=24, ff_dim=4096)


@preset("minilm", task=PRETRAINING, build=MaskedBert, also=FINE_TUNING)
def minilm() -> BertOptions:
    """6 layers, dim 384: MiniLM (Wang et al. 2020), distilled from a larger model; `saccade import` reads its weights.

    Published 22.7 M parameters; 22,713,216 in body and pooler here, with a vocabulary of 30,522.
    """
    return BertOptions(dim=384, heads=12, layers=6, ff_dim=1536)
