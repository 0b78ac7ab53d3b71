import { expect } from "vitest";
import { pumpStepsTest as test } from "../testing/pump-steps-test.ts";
import { createClaimer } from "./claimer.ts";
import { readEndpointSettings, toEndpointSettings } from "./endpoint-settings.ts";
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
  const [row] = await readEndpointSettings(pool, pumpId, [endpointId]);
  if (!row) throw new Error("The endpoint is not held.");
  const endpoint = new HeldEndpoint(toEndpointSettings(row, hooks), {
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

test("of many endpoints that are not healthy a claim takes a few, and all healthy ones", async ({
  steps,
  hooks,
  clock,
}) => {
  const { pool, owner } = steps;
  const pumpId = await steps.pump();
  const ids: string[] = [];
  for (let index = 0; index < 40; index++) ids.push((await hooks.endpoint(owner, "http://127.0.0.1:9/")).id);
  await hooks.emit(owner);
  await acquireEndpoints(pool, pumpId, ids);
  const rows = await readEndpointSettings(pool, pumpId, ids);
  const endpoints = ids.map((id, index) => {
    const row = rows.find((each) => each.id === id);
    if (!row) throw new Error("The endpoint is not held.");
    return new HeldEndpoint(toEndpointSettings(row, hooks), {
      clock,
      lane: index < 37 ? "untried" : "healthy",
    });
  });
  const claims: HeldEndpoint[][] = [];
  const claimer = createClaimer({
    pool,
    pumpId,
    held: new Map(endpoints.map((endpoint) => [endpoint.settings.id, endpoint])),
    dispatcher: {
      buffered: 0,
      unrecorded: 0,
      dispatch: () => {},
      enqueue: (held, deliveries) => {
        for (const { id } of deliveries) held.claimedIds.add(id);
        if (deliveries.length > 0) claims.at(-1)?.push(held);
      },
    },
    refreshSettings: async () => {},
    signal: new AbortController().signal,
  });
  while (claims.flat().length < endpoints.length) {
    claims.push([]);
    await claimer.claim();
  }
  const byLane = claims.map((held) => Object.groupBy(held, ({ lane }) => lane));
  expect(byLane[0]?.healthy).toHaveLength(3);
  expect(byLane[0]?.untried).toHaveLength(16);
  expect(Math.max(...byLane.map(({ untried = [] }) => untried.length))).toBe(16);
  expect(new Set(claims.flat()).size).toBe(endpoints.length);
});
