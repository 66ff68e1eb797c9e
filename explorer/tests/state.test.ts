import { describe, expect, it } from "vitest";
import { readEdit, readState, type State, writeEdit, writeState } from "../src/state";

const asked = { run: "demo-1", text: "a <b>&</b> \u202Eשלום 🙂 #=%", second: "", target: "", to: "fr", picture: "data:image/png;base64,AAAA" };

const state: State = {
  mode: "beside",
  asked,
  beside: { ...asked, text: "other", picture: "" },
  choice: { layer: "decoder.1.cross", head: 2, view: "matrix", query: 3, key: 0 },
  edits: [
    { layer: "encoder.1.self", head: 3, query: null, key: null, weights: 0 },
    { layer: "decoder.0.cross", head: null, query: 4, key: 2, weights: 0.5 },
    { layer: "decoder.0.cross", head: null, temperature: 2.5 },
  ],
};

describe("a link", () => {
  it("brings everything back", () => {
    expect(readState(new URLSearchParams(writeState(state).toString()))).toEqual(state);
  });

  it("leaves out a picture that no address could carry", () => {
    const large = { ...state, asked: { ...asked, picture: `data:image/png;base64,${"A".repeat(30_000)}` } };
    expect(writeState(large).has("picture")).toBe(false);
  });

  it("from anybody does no harm", () => {
    const found = readState(
      new URLSearchParams("mode=evil&view=<script>&head=-3&query=1e9&key=x&edit=bad&edit=a~*~t0&picture=javascript:alert(1)&layer=__proto__"),
    );
    expect(found).toMatchObject({ mode: "look", choice: { layer: "__proto__" }, edits: [], beside: null });
    expect(found.asked.picture).toBe("");
    expect(Object.keys(found.choice)).toEqual(["layer"]);
  });
});

describe("an edit", () => {
  it.each(state.edits.map((edit) => [edit]))("comes back %#", (edit) => {
    expect(readEdit(writeEdit(edit))).toEqual([edit]);
  });
});
