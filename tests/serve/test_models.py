"""The runs that are served, and the models of their own that threads get."""

from pathlib import Path

import pytest
import torch

import saccade
from saccade.attention import attention_layers, record
from saccade.errors import ServiceError
from saccade.runs import TranslationRun
from saccade.serve.limits import Limits
from saccade.serve.metrics import Metrics
from saccade.serve.models import Models, unused
from saccade.serve.refusals import NotFound
from serve.service import Service


def test_names_that_clash_get_a_number() -> None:
    assert unused("demo", {}) == "demo"
    assert unused("demo", {"demo": 1}) == "demo-2"
    assert unused("demo", {"demo": 1, "demo-2": 2}) == "demo-3"


def test_a_twin_shares_the_weights_and_nothing_else(run: TranslationRun) -> None:
    other = run.twin()
    assert type(other) is type(run)
    pairs = list(zip(run.model.parameters(), other.model.parameters(), strict=True))
    assert pairs
    assert all(one is another for one, another in pairs)
    plain = run.translate("two big dogs", nbest=5)
    with record(other) as seen:
        for layer in other.layers:
            seen.edit(layer, weights=0.0)
        assert all(layer.listener is None for layer in attention_layers(run.model).values())
        assert run.translate("two big dogs", nbest=5).candidates == plain.candidates
        assert other.translate("two big dogs", nbest=5).candidates != plain.candidates
    assert all(torch.equal(one, another) for one, another in pairs)


def test_a_twin_of_a_run_that_is_recorded_is_free(run: TranslationRun) -> None:
    with saccade.record(run):
        other = run.twin()
        with saccade.record(other) as seen:
            other.translate("two big dogs")
    assert "decoder.0.cross" in seen


def test_models_that_are_not_there(service: Service) -> None:
    with pytest.raises(ServiceError, match="name at least one run to serve"):
        Models.load([], Limits(), Metrics())
    with pytest.raises(NotFound, match=r"no model of this name \(did you mean gpt\?\); there are translator, "):
        service.models["gbt"]


def test_pictures_of_too_many_places_are_not_looked_into(squares: Path) -> None:
    for most, verbs in ((15, ["classify"]), (16, ["classify", "attention"])):
        models = Models.load([squares], Limits(look_tokens=most), Metrics())
        assert models["squares"].card.verbs == verbs
        models.close()
