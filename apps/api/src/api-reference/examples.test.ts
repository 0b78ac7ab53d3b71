import { createTestClock } from "@querybell/core/testing";
import { expect } from "vitest";
import { apiTest } from "../testing/api-test.ts";
import { recordEverything } from "../testing/examples/record-everything.ts";
import { stabilize } from "../testing/examples/stabilize.ts";
import { jsonText } from "./example-text.ts";
import { procedures } from "./procedures.ts";

// In the past, so that sessions, which use the machine's clock, have not expired.
const monday = new Date("2026-11-02T08:00:00.000Z");

const test = apiTest.extend("clock", { scope: "file" }, async ({ databaseUrl }) => {
  const clock = createTestClock(databaseUrl, monday);
  await clock.advance(0);
  return clock;
});

test("every example in the reference works, and answers what the reference shows", async ({
  api,
  deps,
  make,
}) => {
  const { examples } = await recordEverything({ api, deps, make, mailDomain: "example.com" });
  expect(Object.keys(examples).sort()).toEqual(procedures.map(({ path }) => path).sort());
  const recorded = Object.fromEntries(procedures.map(({ path }) => [path, examples[path] ?? {}]));
  // After a change, `vitest run src/api-reference/examples.test.ts -u` records them anew.
  await expect(`${jsonText(stabilize(recorded))}\n`).toMatchFileSnapshot("examples.json");
});
