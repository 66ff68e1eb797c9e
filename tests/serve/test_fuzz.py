"""Requests made up from the service's own description: none may end in an error of ours, and none may hang."""

import os

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error

from serve.service import Service

NAMES = ("translator", "gpt", "bert", "classifier", "tagger", "captioner", "squares", "cnn", "multilingual", "nobody")
EXAMPLES = int(os.environ.get("SACCADE_FUZZ_EXAMPLES", "12"))  # for each operation
QUICK = settings(
    max_examples=EXAMPLES,
    deadline=None,
    database=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)


def ask(case: schemathesis.Case) -> None:
    if isinstance(case.body, dict) and "model" in case.body:
        # Of made-up names there is none: most requests should come further than that.
        case.body["model"] = NAMES[len(str(case.body)) % len(NAMES)]
    case.validate_response(case.call(timeout=30), checks=[not_a_server_error])


@pytest.mark.timeout(300)
def test_no_request_ends_in_an_error_of_ours(service: Service) -> None:
    schema = schemathesis.openapi.from_url(f"{service.url}/openapi.json")
    operations = [found.ok() for found in schema.get_all_operations()]
    assert len(operations) == 13
    for operation in operations:
        strategy = operation.as_strategy()
        if operation.body:  # what is wrong on purpose, too; where nothing can be given, nothing can be wrong
            strategy = strategy | operation.as_strategy(GenerationMode.NEGATIVE)
        QUICK(given(case=strategy)(ask))()
    failures = [one for one in service.log() if one["event"] == "failure"]
    assert failures == []
