"""Requests made up from the service's own description: none may end in an error of ours, and none may hang."""

from pathlib import Path

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error

from serve.service import Service

NAMES = ("translator", "gpt", "bert", "classifier", "tagger", "captioner", "multilingual", "nobody")
QUICK = settings(
    max_examples=8,
    deadline=None,
    database=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@pytest.mark.timeout(120)
def test_no_request_ends_in_an_error_of_ours(service: Service, tmp_path: Path) -> None:
    schema = schemathesis.openapi.from_url(f"{service.url}/openapi.json")
    operations = [found.ok() for found in schema.get_all_operations()]
    assert len(operations) == 13
    for operation in operations:

        @given(case=operation.as_strategy())
        @QUICK
        def ask(case: schemathesis.Case, path: str = operation.path) -> None:
            if isinstance(case.body, dict) and "model" in case.body:
                # Of made-up names there is none: most requests should come further than that.
                case.body["model"] = NAMES[len(str(case.body)) % len(NAMES)]
            answer = case.call(timeout=20)
            case.validate_response(answer, checks=[not_a_server_error])
            assert answer.status_code != 504, path

        ask()
    failures = [one for one in service.log() if one["event"] == "failure"]
    assert failures == []
