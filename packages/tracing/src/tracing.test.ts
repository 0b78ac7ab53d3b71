import { setImmediate } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { activeTraceparent, inSpan, installTracer, type SpanOptions, startSpan } from "./tracing.ts";

afterEach(() => installTracer(undefined));

/** Numbers the spans, and records what happens to them. */
function recordSpans() {
  const started: SpanOptions[] = [];
  const log: string[] = [];
  installTracer({
    startSpan(options) {
      const number = started.push(options);
      return {
        traceparent: `span-${number}`,
        setAttributes: () => {},
        fail: (code) => void log.push(`${number} failed: ${code}`),
        end: () => void log.push(`${number} ended`),
      };
    },
  });
  return { started, log };
}

test("without a tracer there are no spans, and the work is done all the same", async () => {
  expect(startSpan({ name: "a" })).toBeUndefined();
  await expect(inSpan({ name: "a" }, async (span) => [span, activeTraceparent()])).resolves.toEqual([
    undefined,
    undefined,
  ]);
});

test("a span is the parent of those that begin in it, also after a pause, and of no others", async () => {
  const { started, log } = recordSpans();
  await Promise.all([
    inSpan({ name: "outer" }, async () => {
      await setImmediate();
      expect(activeTraceparent()).toBe("span-1");
      await inSpan({ name: "inner" }, async () => {});
    }),
    inSpan({ name: "beside" }, async () => {}),
  ]);
  const parents = Object.fromEntries(started.map(({ name, parent }) => [name, parent]));
  expect(parents).toEqual({ outer: null, inner: "span-1", beside: null });
  expect(log).toEqual(["2 ended", "3 ended", "1 ended"]);
});

test("a given parent counts, and null begins a new trace", async () => {
  const { started } = recordSpans();
  await inSpan({ name: "outer" }, async () => {
    await inSpan({ name: "of a row", parent: "from-a-row" }, async () => {});
    await inSpan({ name: "new", parent: null }, async () => {});
  });
  expect(started.map(({ parent }) => parent)).toEqual([null, "from-a-row", null]);
});

test("work that throws fails its span with the name of the error, not with its message", async () => {
  const { log } = recordSpans();
  const failing = inSpan({ name: "a" }, async () => {
    throw new TypeError("the value 'secret' is wrong");
  });
  await expect(failing).rejects.toThrow("secret");
  expect(log).toEqual(["1 failed: TypeError", "1 ended"]);
});
