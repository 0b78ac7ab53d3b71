import { type Procedure, procedures } from "../api-reference/procedures.ts";
import type { Api } from "./api-test.ts";
import { requireDocumented } from "./require-documented.ts";
import { type SampleInput, sampleInputs } from "./sample-input.ts";

export interface SampledProcedure extends Procedure {
  /** At least one input that the schemas of the procedure accept. */
  samples: [SampleInput, ...SampleInput[]];
}

/** Every procedure of the router with sample inputs, also one that is added later. */
export const everyProcedure: SampledProcedure[] = procedures.map((procedure) => ({
  ...procedure,
  samples: samplesFor(procedure.path, procedure.inputs),
}));

function samplesFor(path: string, schemas: readonly unknown[]): SampledProcedure["samples"] {
  try {
    const [first, ...more] = sampleInputs(schemas);
    if (!first) throw new Error("its schema allows nothing");
    return [first, ...more];
  } catch (cause) {
    const hint = "teach testing/sample-input.ts to make one, so that access to it is tested";
    throw new Error(`No valid input could be made for the procedure ${path}: ${hint}.`, { cause });
  }
}

export interface Answer {
  status: number;
  /** The whole response body. */
  text: string;
  /** The error code; absent if the call succeeded. */
  reason?: string | undefined;
}

/** Calls a procedure as a tRPC client would, and returns the whole answer as text. */
export async function callProcedure(
  api: Pick<Api, "fetch">,
  { path, type }: Pick<SampledProcedure, "path" | "type">,
  { input, headers = {} }: { input: unknown; headers?: Record<string, string> },
): Promise<Answer> {
  const json = input === undefined ? undefined : JSON.stringify(input);
  const query = json === undefined ? "" : `?input=${encodeURIComponent(json)}`;
  const address = `/api/trpc/${path}`;
  const answer =
    type === "subscription"
      ? await readStream(api, `${address}${query}`, { headers, toItsEnd: endingSubscriptions.has(path) })
      : type === "query"
        ? await readAnswer(api, `${address}${query}`, { headers })
        : await readAnswer(api, address, {
            method: "POST",
            headers: { ...headers, "content-type": "application/json" },
            ...(json !== undefined && { body: json }),
          });
  if (answer.reason) requireDocumented(path, answer.reason);
  return answer;
}

async function readAnswer(api: Pick<Api, "fetch">, address: string, init: RequestInit): Promise<Answer> {
  const answer = await api.fetch(address, init);
  return asAnswer(answer.status, await answer.text());
}

/** Subscriptions that end by themselves, and can fail after their first message. */
const endingSubscriptions = new Set(["sqlHelp.answer"]);

interface StreamOptions {
  headers: Record<string, string>;
  toItsEnd: boolean;
}

/** Reads the first message of a subscription. Every subscription sends one at once, and most never end by themselves. */
async function readStream(api: Pick<Api, "fetch">, address: string, { headers, toItsEnd }: StreamOptions) {
  const stop = new AbortController();
  const answer = await api.fetch(address, {
    headers: { ...headers, accept: "text/event-stream" },
    signal: stop.signal,
  });
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of answer.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (hasMessage(text) && !toItsEnd) break;
  }
  stop.abort();
  // A stream starts before its procedure runs, so the procedure's error is inside the stream.
  const [, refusedWith] = /"httpStatus":(\d+)/.exec(text) ?? [];
  return asAnswer(Number(refusedWith ?? answer.status), text);
}

/** Whether a stream has sent more than the events `connected` and `ping`. */
const hasMessage = (text: string): boolean =>
  text
    .split("\n\n")
    .slice(0, -1)
    .some((event) => !/^event: (connected|ping)$/m.test(event));

const asAnswer = (status: number, text: string): Answer => ({
  status,
  text,
  // An output may have a field `reason` too. In an error it follows the status.
  reason: /"httpStatus":\d+,"reason":"(\w+)"/.exec(text)?.[1],
});
