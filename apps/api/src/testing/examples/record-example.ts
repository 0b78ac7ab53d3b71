import type { Deps } from "@querybell/core";
import type { inferRouterInputs, inferRouterOutputs } from "@trpc/server";
import { z } from "zod";
import type { Example } from "../../api-reference/example-text.ts";
import type { AppRouter } from "../../trpc/router.ts";
import type { Api } from "../api-test.ts";
import { callProcedure, everyProcedure } from "../every-procedure.ts";

type Inputs = inferRouterInputs<AppRouter>;
type Outputs = inferRouterOutputs<AppRouter>;

type Router = keyof Inputs & string;
/** Every procedure, as `queries.run`. */
type Path = { [Name in Router]: `${Name}.${keyof Inputs[Name] & string}` }[Router];
type At<Tree, Name> = Name extends `${infer Router}.${infer Procedure}`
  ? Router extends keyof Tree
    ? Procedure extends keyof Tree[Router]
      ? Tree[Router][Procedure]
      : never
    : never
  : never;
type Answer<Name> = At<Outputs, Name> extends AsyncIterable<infer Message> ? Message : At<Outputs, Name>;

/** Calls a procedure and records the call and the answer for the reference. */
export type RecordExample = <Name extends Path>(
  path: Name,
  input?: At<Inputs, Name>,
) => Promise<Answer<Name>>;

interface RecorderOptions {
  api: Api;
  /** Given, it also reads what each mutation writes into the audit log. */
  auditLog: Deps["db"]["prisma"]["auditEntry"] | undefined;
  /** The headers of the caller, read for each call, because the examples create keys and sessions. */
  credentials: { session: Record<string, string>; key: Record<string, string> };
}

/** A tRPC answer; without `data` if the procedure returns nothing. */
const Answered = z.object({ result: z.object({ data: z.json().optional() }) });

export function createExampleRecorder(options: RecorderOptions): {
  record: RecordExample;
  examples: Record<string, Example>;
  /** The actions that the audit log got from each mutation. */
  audited: Record<string, string[]>;
} {
  const examples: Record<string, Example> = {};
  const audited: Record<string, string[]> = {};
  const readAudit = async () =>
    (await options.auditLog?.findMany({ select: { id: true, action: true } })) ?? [];
  const record = async (path: string, input?: unknown): Promise<unknown> => {
    const procedure = everyProcedure.find((one) => one.path === path);
    if (!procedure) throw new Error(`There is no procedure ${path}.`);
    if (examples[path]) throw new Error(`${path} has an example already.`);
    const { access, scope, type, output } = procedure;
    const { session, key } = options.credentials;
    const headers = access === "public" ? {} : access === "key" || scope ? key : session;
    const before = type === "mutation" ? new Set((await readAudit()).map(({ id }) => id)) : undefined;
    const { status, text } = await callProcedure(options.api, procedure, { input, headers });
    if (status !== 200) throw new Error(`${path} answered ${status}: ${text}`);
    const answer =
      type === "subscription" ? firstMessage(text) : Answered.parse(JSON.parse(text)).result.data;
    if (!output && answer !== undefined) throw new Error(`${path} answers what no schema describes: ${text}`);
    output?.parse(answer);
    examples[path] = {
      ...(input !== undefined && { input: z.json().parse(input) }),
      ...(answer !== undefined && { answer }),
    };
    if (before) {
      const added = (await readAudit()).filter(({ id }) => !before.has(id));
      audited[path] = added.map(({ action }) => action);
    }
    return answer;
  };
  // The schema of the output has just been checked against the answer.
  return { record: record as RecordExample, examples, audited };
}

function firstMessage(stream: string): z.infer<ReturnType<typeof z.json>> {
  const [, data] = /^(?:id: .*\n)?data: (.+)$/m.exec(stream.slice(stream.indexOf("\n\n") + 2)) ?? [];
  if (data === undefined) throw new Error(`No message has come: ${stream}`);
  return z.json().parse(JSON.parse(data));
}
