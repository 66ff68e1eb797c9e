import base64
import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saccade.view.document import document, json_for_script
from view.pages import parse


@pytest.mark.property
@given(st.recursive(st.text() | st.floats(allow_nan=False, allow_infinity=False), st.lists, max_leaves=8))
def test_json_survives_a_script_element(data: object) -> None:
    text = json_for_script(data)
    assert not set(text) & set("<>&\u2028\u2029")
    assert json.loads(text) == data


@pytest.mark.parametrize("token", ["</script>", "<!--", "<script>", "]]>", "\u2028", "&lt;"])
def test_no_text_ends_the_element(token: str) -> None:
    parsed = parse(f'<script type="application/json">{json_for_script([token])}</script>')
    assert parsed.tags == ["script"]
    assert json.loads("".join(parsed.data_scripts)) == [token]


def test_the_policy_names_style_and_script_by_hash() -> None:
    html = document(title="<b>", body="<p>x</p>", styles=("base.css",), scripts=("attention.js",))
    parsed = parse(html)
    [policy] = [value for tag, name, value in parsed.attributes if tag == "meta" and "default-src" in value]
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    for kind, content in (("style-src", parsed.styles), ("script-src", parsed.scripts)):
        digest = base64.b64encode(hashlib.sha256("".join(content).encode()).digest()).decode()
        assert f"{kind} 'sha256-{digest}'" in policy
    assert "<b>" in parsed.texts
