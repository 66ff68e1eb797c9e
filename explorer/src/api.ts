/* The service, as the page sees it. */
import { type Grid, type PackedLayer, readLayer, type Seen } from "./seen";

export interface Model {
  id: string;
  task: string;
  preset: string;
  parameters: number;
  layers: { name: string; heads: number; kind: string }[];
  languages: string[];
  verbs: string[];
  example: { text?: string; second?: string; picture?: boolean };
  max_attention_tokens?: number | null;
}

export type Edit =
  | { layer: string; head: number | null; query: number | null; key: number | null; weights: number }
  | { layer: string; head: number | null; temperature: number };

export interface Question {
  model: string;
  input: { text: string | null; second: string | null; picture: string | null };
  target: string | null;
  to: string | null;
}

export interface Detail {
  layer: string;
  head: number;
  query: number;
}

/* Shapes: D width of a head, K keys. */
export interface Calculation extends Detail {
  query_token: string;
  keys: string[];
  score: "dot" | "additive";
  scale: number | null;
  q: number[];
  k: number[][];
  raw: number[];
  scaled: number[];
  allowed: boolean[];
  softmax: number[];
  /* what was used, where it is not the softmax: after an edit, or where attention is hard */
  weights?: number[];
  combine?: number[] | null;
  v: number[][];
  weighted: number[][];
  context: number[];
}

export interface Answer {
  seen: Seen;
  /* what was written, or what a model that only reads says of the text */
  text: string | null;
  unedited: string | null;
  calculation: Calculation | null;
}

export class Refused extends Error {
  constructor(
    message: string,
    readonly status: number,
  ) {
    super(message);
  }
}

const KEY = "saccade-api-key";
const apiKey = (): string | null => sessionStorage.getItem(KEY);
export const useKey = (key: string): void => sessionStorage.setItem(KEY, key);

async function ask(path: string, body: unknown, signal: AbortSignal | null): Promise<Response> {
  const key = apiKey();
  const headers = { ...(key ? { authorization: `Bearer ${key}` } : {}), ...(body ? { "content-type": "application/json" } : {}) };
  const given = body ? { method: "POST", body: JSON.stringify(body) } : {};
  const answer = await fetch(path, { ...given, headers, signal }).catch((error: unknown) => {
    throw signal?.aborted ? error : new Refused("The service does not answer.", 0);
  });
  if (answer.ok) return answer;
  const said = (await answer.json().catch(() => null)) as { error?: { message?: string } } | null;
  throw new Refused(said?.error?.message ?? `the service answered ${answer.status}`, answer.status);
}

export async function models(): Promise<Model[]> {
  const answer = (await (await ask("v1/models", null, null)).json()) as { data: Model[] };
  return answer.data.filter((model) => model.verbs.includes("attention"));
}

interface Header {
  text: string | null;
  answer?: string | null;
  unedited_text?: string | null;
  unedited_answer?: string | null;
  picture: Grid | null;
  calculator: Calculation | null;
  layers: (Omit<PackedLayer, "weights"> & { offset: number; bytes: number })[];
}

export async function attention(question: Question, edits: Edit[], detail: Detail | null, signal: AbortSignal): Promise<Answer> {
  const layers = detail ? [detail.layer] : null;
  const answer = await ask("v1/attention", { ...question, layers, edits, detail, format: "binary" }, signal);
  return readAnswer(await answer.arrayBuffer());
}

/* Four bytes with the length of a JSON header, the header, then the weights of its layers one behind the other. */
export function readAnswer(buffer: ArrayBuffer): Answer {
  const length = new DataView(buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length))) as Header;
  const start = 4 + length;
  return {
    seen: {
      layers: header.layers.map((layer) => readLayer({ ...layer, weights: new Uint8Array(buffer, start + layer.offset, layer.bytes) })),
      grid: header.picture,
    },
    text: header.text ?? header.answer ?? null,
    unedited: header.unedited_text ?? header.unedited_answer ?? null,
    calculation: header.calculator,
  };
}

/* The output as it is made: calls back with all that is written so far. Models that only read write nothing. */
export async function written(model: Model, question: Question, show: (text: string) => void, signal: AbortSignal): Promise<void> {
  const { text } = question.input;
  if (question.target !== null || text === null) return;
  if (model.verbs.includes("completions")) {
    const body = { model: model.id, prompt: text, max_tokens: 16, temperature: 0, stream: true };
    let whole = "";
    await events(await ask("v1/completions", body, signal), (event) => {
      const one = event as { choices?: { text: string }[] };
      whole += one.choices?.[0]?.text ?? "";
      show(whole);
    });
  } else if (model.verbs.includes("translate")) {
    const body = { model: model.id, input: text, to: question.to, stream: true };
    await events(await ask("v1/translate", body, signal), (event) => show((event as { text?: string }).text ?? ""));
  }
}

async function events(answer: Response, each: (event: unknown) => void): Promise<void> {
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop()!;
    for (const line of lines) {
      const data = /^data: ?(.*)$/.exec(line.trimEnd())?.[1];
      if (!data || data === "[DONE]") continue;
      const event = JSON.parse(data) as { error?: { message: string } };
      if (event.error) throw new Refused(event.error.message, 500);
      each(event);
    }
  }
}
