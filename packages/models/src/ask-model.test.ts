import { parseNetworks } from "@querybell/guard";
import { describe, expect, test } from "vitest";
import { type AskOptions, askModel, createModelGuard, type ModelMessage } from "./index.ts";
import { startModelServer, type Turn } from "./testing/index.ts";

const clock = { now: () => new Date("2026-11-15T12:00:00Z") };
const guard = createModelGuard({ networks: parseNetworks("127.0.0.0/8"), clock });
const messages: ModelMessage[] = [{ role: "user", text: "How are sales?" }];

async function ask(turns: Turn[], more: Partial<AskOptions> = {}) {
  await using server = await startModelServer((_, number) => turns[number - 1] ?? { kind: "filter" });
  const texts: string[] = [];
  const waits: number[] = [];
  const asked = await askModel(
    { server: { url: server.url, name: "m1", apiKey: "secret" }, messages, tools: [], maxOutputTokens: 1000 },
    {
      guard,
      limits: { silenceMs: 200, maxBytes: 1024 ** 2 },
      signal: new AbortController().signal,
      clock,
      deadline: new Date("2026-11-15T13:00:00Z"),
      mayRetry: async () => true,
      onText: (text) => texts.push(text),
      wait: async (ms) => void waits.push(ms),
      ...more,
    },
  );
  return { asked, texts, waits, requests: server.requests, keys: server.keys };
}

describe("an answer", () => {
  test("streams, and is counted by the server", async () => {
    const turn: Turn = {
      kind: "say",
      pieces: ["Sales ", "are ", "up."],
      usage: { prompt: 7, completion: 3 },
    };
    const { asked, texts, requests, keys } = await ask([turn]);
    expect(asked).toEqual({
      kind: "answered",
      text: "Sales are up.",
      toolCalls: [],
      isCut: false,
      usage: { inputTokens: 7, outputTokens: 3 },
      calls: 1,
    });
    expect(texts).toEqual(["Sales ", "Sales are ", "Sales are up."]);
    expect(requests[0]).toMatchObject({ model: "m1", max_tokens: 1000, stream: true });
    expect(keys).toEqual(["Bearer secret"]);
  });

  test("has several calls, with arguments that may be no JSON", async () => {
    const calls = [
      { name: "one", input: { a: 1 } },
      { name: "two", input: "{not json" },
    ];
    const { asked } = await ask([{ kind: "say", calls }]);
    expect(asked).toMatchObject({
      kind: "answered",
      toolCalls: [
        { name: "one", input: '{"a":1}' },
        { name: "two", input: "{not json" },
      ],
    });
  });

  test.each([
    [{ prompt: -5, completion: -1 }],
    [{ prompt: 1.5, completion: 2.5 }],
    [{ prompt: Number.NaN, completion: Number.NaN }],
  ])("is estimated where the server counts what cannot be: %j", async (usage) => {
    const counted = await ask([{ kind: "say", pieces: ["x".repeat(300)], usage }]);
    const estimated = await ask([{ kind: "say", pieces: ["x".repeat(300)], usage: null }]);
    expect(counted.asked.usage).toEqual(estimated.asked.usage);
  });

  test("has no more tokens than its bytes, or than were asked for, whatever the server counts", async () => {
    const usage = { prompt: 2_000_000_000, completion: 2_000_000_000 };
    const { asked } = await ask([{ kind: "say", pieces: ["Fine."], usage }]);
    expect(asked.usage.inputTokens).toBeLessThan(200);
    expect(asked.usage.outputTokens).toBe(1000);
  });

  test("that refuses shows neither the key nor addresses", async () => {
    const body = JSON.stringify({
      error: { message: "Key secret of 10.1.2.3 is wrong: see https://evil.example" },
    });
    const { asked } = await ask([{ kind: "status", status: 401, body }]);
    expect(asked).toMatchObject({
      kind: "refused",
      reason: "It answered 401: Key [removed] of [removed] is wrong: see [removed]",
    });
  });

  test("is estimated where the server does not count", async () => {
    const { asked } = await ask([{ kind: "say", pieces: ["x".repeat(300)], usage: null }]);
    expect(asked.usage.outputTokens).toBe(100);
    expect(asked.usage.inputTokens).toBeGreaterThan(5);
  });

  test.each<[string, Turn]>([
    ["a refusal", { kind: "refuse", text: "I will not." }],
    ["a content filter", { kind: "filter" }],
    ["a wrong key", { kind: "status", status: 401 }],
    ["an unknown model", { kind: "status", status: 404 }],
    ["a redirect", { kind: "status", status: 302, headers: { location: "http://127.0.0.1:1/" } }],
  ])("that is %s is not asked for again", async (_name, turn) => {
    const { asked, requests } = await ask([turn]);
    expect(asked.kind).toBe("refused");
    expect(requests).toHaveLength(1);
  });

  test("without an end is cut off", async () => {
    const { asked } = await ask([{ kind: "endless", piece: "more and more " }]);
    expect(asked).toMatchObject({ kind: "too_long", calls: 1 });
    expect(asked.usage.outputTokens).toBeGreaterThan(1000);
  });
});

describe("a request is made again", () => {
  const good: Turn = { kind: "say", pieces: ["Fine."] };
  test.each<[string, Turn, number]>([
    [
      "after the time that the server says",
      { kind: "status", status: 429, headers: { "retry-after": "7" } },
      7_000,
    ],
    [
      "at the time that the server says",
      { kind: "status", status: 503, headers: { "retry-after": "Sun, 15 Nov 2026 12:00:30 GMT" } },
      30_000,
    ],
    ["after a failure", { kind: "status", status: 500 }, 1_000],
    [
      "after a time that cannot be read",
      { kind: "status", status: 429, headers: { "retry-after": "1.5" } },
      1_000,
    ],
    ["after a connection that dropped", { kind: "drop", pieces: ["Fi"] }, 1_000],
    ["after a stream without an end", { kind: "no_finish", pieces: ["Fi"] }, 1_000],
    ["after an answer that is no JSON", { kind: "garbage" }, 1_000],
    ["after silence", { kind: "hang" }, 1_000],
    ["after silence in the middle", { kind: "hang", pieces: ["Fi"] }, 1_000],
  ])("%s", async (_name, turn, delayMs) => {
    const { asked, waits, texts } = await ask([turn, good]);
    expect(asked).toMatchObject({ kind: "answered", text: "Fine.", calls: 2 });
    expect(waits).toEqual([delayMs]);
    expect(texts.at(-1)).toBe("Fine.");
  });

  test("five times at most, with growing delays", async () => {
    const broken: Turn = { kind: "status", status: 500 };
    const { asked, waits } = await ask(Array.from({ length: 9 }, () => broken));
    expect(asked).toMatchObject({ kind: "failed", calls: 5 });
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000]);
  });

  test("not if that would be too late, or use too many tokens", async () => {
    const busy: Turn = { kind: "status", status: 429, headers: { "retry-after": "3600" } };
    expect((await ask([busy, good])).asked).toMatchObject({ kind: "failed", calls: 1 });
    const dropped: Turn = { kind: "drop", pieces: ["x".repeat(900)] };
    expect(
      (await ask([dropped, good], { mayRetry: async ({ outputTokens }) => outputTokens < 300 })).asked,
    ).toMatchObject({
      kind: "failed",
      calls: 1,
    });
  });
});

test("an abort ends a request at once, with its reason", async () => {
  const leaving = new AbortController();
  const asking = ask([{ kind: "hang", pieces: ["Fi"] }], {
    signal: leaving.signal,
    onText: () => leaving.abort(new Error("The run was stopped.")),
    limits: { silenceMs: 60_000, maxBytes: 1024 ** 2 },
  });
  await expect(asking).rejects.toThrow("The run was stopped.");
});

describe("a server is not connected to", () => {
  const refused = async (url: string) => {
    const asked = await askModel(
      { server: { url, name: "m1", apiKey: null }, messages, tools: [], maxOutputTokens: 10 },
      {
        guard: createModelGuard({ networks: parseNetworks("10.0.0.0/8"), clock }),
        limits: { silenceMs: 200, maxBytes: 1000 },
        signal: new AbortController().signal,
        clock,
        deadline: new Date("2026-11-15T13:00:00Z"),
        mayRetry: async () => true,
        onText: () => {},
      },
    );
    return asked.kind === "failed" && !asked.isRetryable ? asked.reason : asked.kind;
  };
  test.each([
    ["http://127.0.0.1:1/v1", /MODEL_NETWORKS/],
    ["http://169.254.169.254/v1", /not a publicly routable/],
    ["http://localhost:1/v1", /MODEL_NETWORKS/],
    ["http://1.1.1.1/v1", /use https/],
    ["ftp://1.1.1.1/v1", /must use https/],
    ["https://user:pass@1.1.1.1/v1", /credentials/],
  ])("%s", async (url, reason) => {
    expect(await refused(url)).toMatch(reason);
  });
});
