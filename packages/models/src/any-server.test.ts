import { parseNetworks } from "@querybell/guard";
import { describe, expect, test } from "vitest";
import { askModel, createModelGuard, type ModelServer, type ModelTool } from "./index.ts";
import { realModel, startModelServer, type Turn } from "./testing/index.ts";

// Tests that play failures, refusals or broken streams are in ask-model.test.ts and always use our own server.
const clock = { now: () => new Date() };
const guard = createModelGuard({ networks: parseNetworks("127.0.0.0/8, ::1/128"), clock });

const add: ModelTool = {
  name: "add",
  description: "Adds two numbers",
  input: {
    type: "object",
    properties: { a: { type: "number" }, b: { type: "number" } },
    required: ["a", "b"],
  },
};

interface Question {
  text: string;
  tools?: ModelTool[];
  /** How our own server answers. */
  played: Turn;
}

async function ask(server: ModelServer, { text, tools = [] }: Question) {
  const texts: string[] = [];
  const asked = await askModel(
    { server, messages: [{ role: "user", text }], tools, maxOutputTokens: 2_000 },
    {
      guard,
      limits: { silenceMs: 120_000, maxBytes: 1024 ** 2 },
      signal: new AbortController().signal,
      clock,
      deadline: new Date(Date.now() + 240_000),
      mayRetry: async () => true,
      onText: (said) => texts.push(said),
    },
  );
  return { asked, texts };
}

describe.each([
  { name: "our own server", real: null, isSkipped: false },
  { name: "the server of MODEL_URL (skipped unless it is set)", real: realModel, isSkipped: !realModel },
])("$name", ({ real, isSkipped }) => {
  /** Asks the real server, or our own, which plays the answer. */
  const askEither = async (question: Question) => {
    if (real) return ask(real, question);
    await using server = await startModelServer(() => question.played);
    return await ask({ url: server.url, name: "scripted", apiKey: null }, question);
  };
  const timeout = 300_000;

  test.skipIf(isSkipped)("streams an answer, and its tokens are counted", { timeout }, async () => {
    const { asked, texts } = await askEither({
      text: "Answer with the word ready and nothing else.",
      played: { kind: "say", pieces: ["rea", "dy"] },
    });
    expect(asked).toMatchObject({ kind: "answered", toolCalls: [], calls: 1 });
    expect(texts.at(-1)).toMatch(/ready/i);
    expect(asked.usage.inputTokens).toBeGreaterThan(0);
    expect(asked.usage.outputTokens).toBeGreaterThan(0);
  });

  test.skipIf(isSkipped)(
    "calls a tool with the arguments that its schema asks for",
    { timeout },
    async () => {
      const { asked } = await askEither({
        text: "Call the tool add with a = 2 and b = 3. Do not answer anything else.",
        tools: [add],
        played: { kind: "say", calls: [{ name: "add", input: { a: 2, b: 3 } }] },
      });
      const [call] = asked.kind === "answered" ? asked.toolCalls : [];
      expect(call?.name).toBe("add");
      expect(JSON.parse(call?.input ?? "null")).toEqual({ a: 2, b: 3 });
    },
  );
});
