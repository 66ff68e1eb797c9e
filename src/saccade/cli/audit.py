"""``saccade audit``."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from saccade.cli.console import counting, say

if TYPE_CHECKING:
    from saccade.runs.auditing import AuditedRun


def audit(
    run: Annotated[Path, Argument(help="The run folder of a captioner.")],
    data: Annotated[
        str | None,
        Option(help="Captioned pictures, given like data.test in a recipe. Default: the recipe's data.test."),
    ] = None,
    groups: Annotated[
        str, Option(help='gendered, or a JSON file with words by group: {"groups": {"a": […], "b": […]}}.')
    ] = "gendered",
    agree: Annotated[
        int, Option(help="So many references must name a group before it counts as the truth.", min=1)
    ] = 1,
    beam: Annotated[
        int | None, Option(help="Hypotheses kept at each step; 1 is greedy. Default: the recipe's.")
    ] = None,
    output: Annotated[Path, Option(help="The page to write; the numbers are beside it as .json.")] = Path("audit.html"),
) -> "AuditedRun":
    """Find out whom a captioner takes for whom, and whether it is right for the right reasons.

    Of all pictures whose references say words of one group only: how often captions say the other, how often each group
    is said against how often it is true, whether errors go with things in the picture, and, where the boxes of persons
    are known (data.regions, or scenes), whether attention lay on the person or elsewhere when the word was said.

    Examples:

      saccade audit runs/flickr8k-soft-1

      saccade audit runs/people-1 --data scenes:people --output people.html
    """
    from saccade.cli.caption import captioner
    from saccade.errors import DecodingError
    from saccade.evaluation.word_groups import word_groups
    from saccade.files import write_text
    from saccade.runs.auditing import audit_run
    from saccade.view.audit_page import audit_page

    numbers = output.with_suffix(".json")
    if output.suffix != ".html" or numbers.resolve() == Path(groups).resolve():
        raise DecodingError(
            f"{output}: the audit is a page, with its numbers beside it in {numbers}: give another name that ends in "
            ".html"
        )
    trained = captioner(run)
    spec = trained.test_set(data)
    pictures = trained.pictures(spec)
    with counting("captioning", len(pictures)) as done:
        found = audit_run(trained, pictures, word_groups(groups), agree=agree, on_progress=done, beam=beam)
    record = {"run": run.name, "data": spec, **found.record()}
    write_text(numbers, json.dumps(record, indent=1, ensure_ascii=False) + "\n")
    write_text(output, audit_page(record, title=f"Audit of {run.name} on {spec}", cases=found.cases))
    _tell(found)
    say(f"page: {output}\nnumbers: {numbers}")
    return found


def _tell(found: "AuditedRun") -> None:
    audited, gap = found.audit, found.audit.gap
    for rates in audited.groups:
        print(
            f"{rates.group:<10} {rates.pictures:>6,} pictures   right {rates.right:5.1f} %   wrong {rates.wrong:5.1f} %"
            f"   said {rates.said_share:5.1f} %, true {rates.true_share:5.1f} %"
        )
    between = "" if gap.interval is None else f" ({gap.interval.low:+.1f} to {gap.interval.high:+.1f})"
    print(f"{gap.name}: {gap.value:+.1f} points{between}")
    for one in audited.reasons[:1]:
        print(
            f"right for the right reason {one.right_for_right:,}, right for the wrong one {one.right_for_wrong:,}, "
            f"wrong {one.wrong_for_right + one.wrong_for_wrong:,} ({one.wrong_for_wrong:,} looking elsewhere)"
        )
    if found.left_out:
        say(f"{found.left_out:,} pictures were left out: their references name no group, or more than one")
