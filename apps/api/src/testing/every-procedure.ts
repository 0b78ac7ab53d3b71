import { Scope } from "@querybell/domain";
import type { AnyTRPCProcedure } from "@trpc/server";
import { z } from "zod";
import { appRouter } from "../trpc/router.ts";
import type { Api } from "./api-test.ts";
import { type SampleInput, sampleInputs } from "./sample-input.ts";

const Meta = z.strictObject({
  access: z.enum(["public", "person", "key", "member", "admin"]),
  scope: Scope.optional(),
});

export interface WalkedProcedure extends z.infer<typeof Meta> {
  path: string;
  type: "query" | "mutation" | "subscription";
  /** The schemas that its input has to pass. */
  schemas: z.ZodType[];
  /** At least one input that the procedure's own schemas accept. */
  samples: [SampleInput, ...SampleInput[]];
}

const procedures = z.record(
  z.string(),
  z.custom<AnyTRPCProcedure>((value) => typeof value === "function" && "_def" in value),
);

/** Every procedure of the router, found in the router itself: one that is added later is walked too. */
export const everyProcedure: WalkedProcedure[] = Object.entries(
  procedures.parse(appRouter._def.procedures),
).map(([path, { _def }]) => ({
  path,
  type: _def.type,
  ...Meta.parse(_def.meta),
  schemas: _def.inputs.map((schema) => z.instanceof(z.ZodType).parse(schema)),
  samples: samplesFor(path, _def.inputs),
}));

function samplesFor(path: string, schemas: readonly unknown[]): WalkedProcedure["samples"] {
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
  /** Everything that came back, as it came. */
  text: string;
  /** Why it was refused; absent when it was not. */
  reason?: string | undefined;
}

/** Calls a procedure as a tRPC client would, and returns the whole answer as text. */
export async function callProcedure(
  api: Pick<Api, "fetch">,
  { path, type }: Pick<WalkedProcedure, "path" | "type">,
  { input, headers = {} }: { input: unknown; headers?: Record<string, string> },
): Promise<Answer> {
  const json = input === undefined ? undefined : JSON.stringify(input);
  const query = json === undefined ? "" : `?input=${encodeURIComponent(json)}`;
  const address = `/api/trpc/${path}`;
  if (type === "subscription") return readStream(api, `${address}${query}`, headers);
  const answer =
    type === "query"
      ? await api.fetch(`${address}${query}`, { headers })
      : await api.fetch(address, {
          method: "POST",
          headers: { ...headers, "content-type": "application/json" },
          ...(json !== undefined && { body: json }),
        });
  return asAnswer(answer.status, await answer.text());
}

/** A subscription may never end by itself: its first message is looked at, which every one sends at once. */
async function readStream(api: Pick<Api, "fetch">, address: string, headers: Record<string, string>) {
  const stop = new AbortController();
  const answer = await api.fetch(address, {
    headers: { ...headers, accept: "text/event-stream" },
    signal: stop.signal,
  });
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of answer.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (hasMessage(text)) break;
  }
  stop.abort();
  // A stream begins before its procedure is asked: what a refusal would have answered stands inside.
  const [, refusedWith] = /"httpStatus":(\d+)/.exec(text) ?? [];
  return asAnswer(Number(refusedWith ?? answer.status), text);
}

/** Whether a stream has sent more than that it is open. */
const hasMessage = (text: string): boolean =>
  text
    .split("\n\n")
    .slice(0, -1)
    .some((event) => !/^event: (connected|ping)$/m.test(event));

const asAnswer = (status: number, text: string): Answer => ({
  status,
  text,
  reason: /"reason":"(\w+)"/.exec(text)?.[1],
});
