import { expect, test } from "vitest";
import { describeEndpoint } from "./describe-endpoint.ts";

const quiet = { state: "enabled", consecutiveFailures: 0, held: 0, retrying: 0 } as const;

test.each([
  [{ held: 1 }, "1 delivery is held."],
  [{ retrying: 999 }, "999 deliveries failed and are tried again."],
  [
    { state: "disabled", consecutiveFailures: 10, held: 1000 },
    "This endpoint is disabled. 1,000 or more deliveries are held.",
  ],
  [
    { consecutiveFailures: 2, retrying: 1 },
    "2 events in a row have failed at this endpoint. 1 delivery failed and is tried again.",
  ],
] as const)("an endpoint with %j: %s", (change, text) => {
  expect(describeEndpoint({ ...quiet, ...change })).toBe(text);
});
