import { AppError, type Caller, type TestedModel, type TestModel } from "@querybell/domain";
import { askModel, type ModelServer } from "@querybell/models";
import type { Deps } from "../deps.ts";
import { checkModelUrl, chooseApiKey } from "./model-settings.ts";

const testWithinMs = 30_000;
const maxOutputTokens = 200;

/** Asks a model to say a word, before or after it is saved. No data is sent. */
export async function testModel(
  deps: Deps,
  caller: Caller,
  { connection, signal }: TestModel & { signal?: AbortSignal | undefined },
): Promise<TestedModel> {
  const server = await toServer(deps, caller, connection);
  const limits = { ...deps.models.limits, silenceMs: Math.min(deps.models.limits.silenceMs, testWithinMs) };
  const timeout = AbortSignal.timeout(testWithinMs);
  const messages = [{ role: "user" as const, text: "Answer with the one word: ready" }];
  const asking = askModel(
    { server, messages, tools: [], maxOutputTokens },
    {
      guard: deps.models.guard,
      limits,
      clock: deps.clock,
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      // No retries: the admin who waits should see the first failure.
      deadline: deps.clock.now(),
      mayRetry: async () => false,
      onText: () => {},
    },
  );
  const asked = await asking.catch((error: unknown) => {
    if (!timeout.aborted) throw error;
    return {
      kind: "failed" as const,
      reason: `There was no whole answer in ${testWithinMs / 1000} seconds.`,
    };
  });
  switch (asked.kind) {
    case "answered":
      return { text: asked.text.trim().slice(0, 500) };
    case "too_long":
      return { text: "The model answers, and writes more than it was asked for." };
    case "refused":
      throw new AppError(
        "model_refused",
        `The model's server refused: ${asked.reason} Check the key and the name.`,
      );
    case "failed":
      throw new AppError(
        "model_unreachable",
        `The model's server did not answer: ${asked.reason} Check the URL.`,
      );
  }
}

async function toServer(
  deps: Deps,
  caller: Caller,
  connection: TestModel["connection"],
): Promise<ModelServer> {
  if (connection) {
    await checkModelUrl(deps, connection.url);
    const apiKey = await chooseApiKey({ ...deps, tx: deps.db.prisma }, caller, connection);
    return { url: connection.url, name: connection.name, apiKey };
  }
  if (deps.models.operator) return deps.models.operator;
  throw new AppError(
    "conflict",
    "The operator of this deployment has set up no model. Enter one of your own.",
  );
}
