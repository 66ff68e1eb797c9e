"""The component as a person meets it: what can be read, chosen, pointed at and taken away.

The same object serves a single-file page and a pane of the service's page: give the pane as ``root``.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

# Points at every second pixel until the line that is read out holds all the words; the picture itself has no elements.
_FIND = """([root, words]) => {
  const canvas = root.querySelector("canvas.figure");
  const readout = root.querySelector(".readout");
  const box = canvas.getBoundingClientRect();
  const at = (x, y) =>
    canvas.dispatchEvent(new PointerEvent("pointermove", { clientX: box.left + x, clientY: box.top + y }));
  let found = null;
  for (let y = 10; y < box.height && !found; y += 6) {
    for (let x = 6; x < box.width && !found; x += 8) {
      at(x, y);
      const text = readout.textContent;
      let from = 0;
      const whole = words.every((word) => (from = text.indexOf(word, from) + word.length) >= word.length);
      if (whole) found = { x: x + 2, y: y + 2 };
    }
  }
  canvas.dispatchEvent(new PointerEvent("pointerleave"));
  return found;
}"""

# How long it takes until a change is drawn: reading a pixel waits for the canvas.
_TIMES = """([root, name, points]) => {
  const context = root.querySelector("canvas.figure").getContext("2d");
  const drawn = (act) => {
    const start = performance.now();
    act();
    context.getImageData(0, 0, 1, 1);
    return performance.now() - start;
  };
  if (name === "hover") {
    const canvas = root.querySelector("canvas.figure");
    const box = canvas.getBoundingClientRect();
    return points.map(([x, y]) => drawn(() => canvas.dispatchEvent(
      new PointerEvent("pointermove", { clientX: box.left + x * box.width, clientY: box.top + y * box.height }))));
  }
  return [...root.querySelectorAll(`[data-choice="${name}"] input`)].map((input) => drawn(() => input.click()));
}"""

PATIENCE = 8.0  # seconds

_CARRIED = """([bytes, name]) => {
  const carried = new DataTransfer();
  carried.items.add(new File([new Uint8Array(bytes)], name, { type: "image/png" }));
  return carried;
}"""


def still(take: Callable[[], bytes]) -> bytes:
    """What ``take`` pictures once nothing moves any more: a machine under load draws a moment after the script ran."""
    last = take()
    until = time.monotonic() + PATIENCE
    while (now := take()) != last:
        assert time.monotonic() < until, "the page never comes to rest"
        last = now
    return last


def comes_to(take: Callable[[], bytes], wanted: bytes) -> bool:
    """Whether ``take`` pictures ``wanted`` before patience ends."""
    until = time.monotonic() + PATIENCE
    while take() != wanted:
        if time.monotonic() > until:
            return False
    return True


@dataclass(frozen=True)
class AttentionPage:
    tab: Page
    selector: str = ".attention"

    @property
    def root(self) -> Locator:
        return self.tab.locator(self.selector).first

    @property
    def stage(self) -> Locator:
        return self.root.locator(".stage")

    @property
    def caption(self) -> str:
        return self.root.locator(".caption").inner_text()

    @property
    def readout(self) -> str:
        return " ".join(self.root.locator(".readout").inner_text().split())

    @property
    def told(self) -> dict[str, float]:
        """The weights that are read out, by their tokens: «rouge looks at red 0.912, circle 0.050»."""
        _, _, list_ = self.readout.partition(" at " if " looks at " in self.readout else " by ")
        pairs = (one.rpartition(" ") for one in list_.split(", "))
        return {token: float(number.replace("−", "-")) for token, _, number in pairs}

    def options(self, name: str) -> list[str]:
        return self.root.locator(f'[data-choice="{name}"] label').all_inner_texts()

    def chosen(self, name: str) -> str:
        return self.root.locator(f'[data-choice="{name}"] label:has(:checked)').inner_text()

    def choose(self, name: str, label: str) -> None:
        """``name`` is attention, layer, head or view."""
        self.root.locator(f'[data-choice="{name}"]').get_by_label(label, exact=True).check()

    def point(self, *words: str) -> None:
        """Moves the mouse to where these words are read out, in this order."""
        place = self.root.evaluate("(root, words) => (" + _FIND + ")([root, words])", list(words))
        assert place is not None, f"nothing on the picture is read out as {words}"
        self.root.locator("canvas.figure").hover(position=place)

    def click(self, *words: str) -> None:
        self.point(*words)
        self.tab.mouse.down()
        self.tab.mouse.up()

    def press(self, *keys: str) -> None:
        self.stage.focus()
        for key in keys:
            self.tab.keyboard.press(key)

    def pixels(self) -> bytes:
        return still(self.root.locator(".body").screenshot)

    def shows(self, pixels: bytes) -> bool:
        """Whether the page comes to show these very pixels."""
        return comes_to(self.pixels, pixels)

    def download(self, name: str, folder: Path) -> Path:
        """PNG, SVG or JSON."""
        with self.tab.expect_download() as coming:
            self.root.get_by_role("button", name=name, exact=True).click()
        file = folder / coming.value.suggested_filename
        coming.value.save_as(file)
        return file

    def hover_times(self, points: list[tuple[float, float]]) -> list[float]:
        """Milliseconds until each point, a share of the picture's width and height, is drawn as pointed at."""
        return list(self.root.evaluate("(root, points) => (" + _TIMES + ")([root, 'hover', points])", points))

    def switch_times(self, name: str) -> list[float]:
        """Milliseconds until each choice of ``name`` is drawn."""
        return list(self.root.evaluate("(root, name) => (" + _TIMES + ")([root, name, []])", name))


@dataclass(frozen=True)
class ExplorerPage:
    """The page of the service: ``address`` is that of the service, without a fragment."""

    tab: Page
    address: str

    def open(self, state: str = "") -> "ExplorerPage":
        """``state`` as in a link: run=demo-1&text=a+red+star&mode=calculate&layer=…&head=…&view=…&query=…&edit=…"""
        self.tab.goto("about:blank")
        self.tab.goto(f"{self.address}#{state}")
        self.look.root.locator(".caption:not(:empty)").wait_for(state="attached")
        self.settle()
        return self

    def settle(self) -> None:
        """Waits until all that was asked is answered."""
        expect(self.tab.locator("[aria-busy]")).to_have_count(0)

    @property
    def look(self) -> AttentionPage:
        return AttentionPage(self.tab, ".pane:nth-child(1) .attention:not(.empty)")

    @property
    def beside(self) -> AttentionPage:
        return AttentionPage(self.tab, ".pane:nth-child(2) .attention:not(.empty)")

    def pane(self, number: int = 0) -> Locator:
        return self.tab.locator(".pane").nth(number)

    def enter(self, mode: str) -> None:
        """Look, Calculator, What if or Side by side."""
        self.tab.get_by_role("radio", name=mode, exact=True).check()

    def choose_run(self, name: str, pane: int = 0) -> None:
        self.pane(pane).get_by_role("combobox").first.select_option(name)

    def field(self, name: str = "Text", pane: int = 0) -> Locator:
        """Text, Second text or Make it write."""
        return self.pane(pane).get_by_role("textbox", name=name, exact=True)

    def type(self, text: str, pane: int = 0) -> None:
        """Types into the field and presses Enter."""
        self.field("Text", pane).fill(text)
        self.field("Text", pane).press("Enter")

    def ask(self, text: str, pane: int = 0) -> None:
        """Types, and waits for the whole answer."""
        with self.tab.expect_response("**/v1/attention"):
            self.type(text, pane)
        self.settle()

    def choose_picture(self, file: Path, pane: int = 0) -> None:
        self.pane(pane).locator('input[type="file"]').set_input_files(file)

    def drop(self, file: Path, pane: int = 0) -> None:
        """Drops the file on the pane, as from a folder beside the browser."""
        carried = self.tab.evaluate_handle(_CARRIED, [list(file.read_bytes()), file.name])
        for event in ("dragover", "drop"):
            self.pane(pane).dispatch_event(event, {"dataTransfer": carried})

    def output(self, pane: int = 0) -> Locator:
        return self.pane(pane).locator(".said .output")

    @property
    def problem(self) -> Locator:
        return self.tab.get_by_role("alert").locator("visible=true")

    @property
    def calculation(self) -> Locator:
        """The rows of the calculator, one for each key."""
        return self.tab.locator(".calculator > .scroll tbody tr")

    @property
    def by_hand(self) -> Locator:
        return self.tab.locator(".by-hand tbody tr")

    @property
    def edits(self) -> Locator:
        return self.tab.locator(".change .edits li")

    @property
    def came(self) -> Locator:
        """The words that a change brought; those that went are in ``went``."""
        return self.tab.locator(".change ins")

    @property
    def went(self) -> Locator:
        return self.tab.locator(".change del")

    def warm(self, steps: int) -> None:
        """Moves the temperature of the chosen layer by so many steps of the slider: 24 go from 0.25 to 4."""
        slider = self.tab.get_by_label("Temperature of this layer")
        slider.focus()
        for _ in range(abs(steps)):
            self.tab.keyboard.press("ArrowRight" if steps > 0 else "ArrowLeft")
