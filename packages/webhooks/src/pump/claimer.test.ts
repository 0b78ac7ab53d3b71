import { expect } from "vitest";
import { pumpStepsTest as test } from "../testing/pump-steps-test.ts";
import { createClaimer } from "./claimer.ts";
import { readEndpoints, toEndpoint } from "./endpoint.ts";
import { HeldEndpoint } from "./held-endpoint.ts";
import { acquireEndpoints } from "./leases.ts";

test("a delivery that is announced while a claim is under way is claimed by the next one", async ({
  steps,
  hooks,
  clock,
}) => {
  const { pool, endpointId, owner } = steps;
  const pumpId = await steps.pump();
  await acquireEndpoints(pool, pumpId, [endpointId]);
  const [row] = await readEndpoints(pool, pumpId, [endpointId]);
  if (!row) throw new Error("The endpoint is not held.");
  const endpoint = new HeldEndpoint(toEndpoint(row, hooks), {
    clock,
    lane: "healthy",
  });
  const claimed: string[] = [];
  /** Runs when the statement of a claim has been executed, and its answer not yet been read. */
  let afterStatement = async () => {};
  const slowPool = Object.assign(Object.create(pool), {
    async query(statement: Parameters<typeof pool.query>[0]) {
      const answer = await pool.query(statement);
      await afterStatement();
      return answer;
    },
  });
  const claimer = createClaimer({
    pool: slowPool,
    pumpId,
    held: new Map([[endpointId, endpoint]]),
    dispatcher: {
      buffered: 0,
      unrecorded: 0,
      dispatch: () => {},
      enqueue: (held, deliveries) =>
        deliveries.forEach(({ id, eventId }) => {
          held.claimedIds.add(id);
          claimed.push(eventId);
        }),
    },
    refreshSettings: async () => {},
    signal: new AbortController().signal,
  });
  let late = "";
  afterStatement = async () => {
    afterStatement = async () => {};
    late = await hooks.emit(owner);
    endpoint.announceDue();
  };
  await claimer.claim();
  expect(claimed).toHaveLength(1);
  expect(claimer.nextClaimInMs()).toBe(0);
  await claimer.claim();
  expect(claimed[1]).toBe(late);
});
