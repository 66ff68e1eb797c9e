from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from saccade.data.examples import Link, Pair
from saccade.tasks.spool import PairWriter, read_spool

texts = st.text(st.characters(exclude_categories=["Cs"]))
links = st.frozensets(st.builds(Link, st.integers(0, 50), st.integers(0, 50)))
pairs = st.builds(Pair, texts, texts, texts, st.none() | links)


@pytest.mark.property
@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(written=st.lists(pairs, max_size=8))
def test_what_was_written_is_read(written: list[Pair], tmp_path: Path) -> None:
    with PairWriter(tmp_path / "pairs.jsonl") as writer:
        for pair in written:
            writer.add(pair)
    assert writer.count == len(written)
    assert list(read_spool(tmp_path / "pairs.jsonl")) == written
