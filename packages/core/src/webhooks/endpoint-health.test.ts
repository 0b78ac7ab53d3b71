import { expect } from "vitest";
import { answer, deliveryTest } from "../testing/delivery-test.ts";
import { disableEndpoint, enableEndpoint, readEndpointHealth } from "./index.ts";

const hour = 3_600_000;

deliveryTest(
  "an endpoint's last day is counted by the hour, attempts of older deliveries included",
  async ({ hooks, deps, clock }) => {
    const owner = await hooks.owner();
    const answers = { status: 500 };
    const receiver = await hooks.receiver((response) => response.writeHead(answers.status).end());
    const { id } = await hooks.endpoint(owner, receiver.url);
    const pump = await hooks.pump();
    const health = () => readEndpointHealth(deps, owner, { id });
    const counts = async () =>
      (await health()).hours.flatMap(({ succeeded, failed }, at) =>
        succeeded + failed > 0 ? [{ hour: at, succeeded, failed }] : [],
      );

    const empty = await health();
    expect(empty.hours).toHaveLength(24);
    expect(empty.hours[0]).toEqual({ from: empty.since, succeeded: 0, failed: 0 });

    // Held for longer than a delivery's attempts take, then delivered.
    await disableEndpoint(deps, owner, { id });
    await hooks.emit(owner);
    await clock.advance(100 * hour);
    await enableEndpoint(deps, owner, { id, held: "deliver", perSecond: 10 });
    for (const wait of [0, 1_000, 60_000]) {
      await clock.advance(wait);
      await pump.drain();
    }
    expect(await counts()).toEqual([{ hour: 23, succeeded: 0, failed: 2 }]);

    // Before the time moves: the pump may send the retry as soon as it is due.
    answers.status = 200;
    await clock.advance(2 * hour);
    await hooks.emit(owner);
    await pump.drain();
    expect(await health()).toMatchObject({
      attempts: { succeeded: 2, failed: 2 },
      deliveries: { succeeded: 1, pending: 0 },
      lastFailure: { outcome: "status_500" },
    });
    await clock.advance(1);
    expect(await counts()).toEqual([
      { hour: 21, succeeded: 0, failed: 2 },
      { hour: 23, succeeded: 2, failed: 0 },
    ]);

    await clock.advance(23 * hour);
    expect(await counts()).toEqual([{ hour: 0, succeeded: 2, failed: 0 }]);
    await clock.advance(hour);
    expect(await counts()).toEqual([]);
  },
);

deliveryTest("nothing of another endpoint is counted", async ({ hooks, deps }) => {
  const owner = await hooks.owner();
  const receiver = await hooks.receiver(answer(200));
  const first = await hooks.endpoint(owner, receiver.url);
  const pump = await hooks.pump();
  await hooks.emit(owner);
  await pump.drain();
  const second = await hooks.endpoint(owner, receiver.url);
  expect((await readEndpointHealth(deps, owner, { id: first.id })).attempts.succeeded).toBe(1);
  expect((await readEndpointHealth(deps, owner, { id: second.id })).attempts).toEqual({
    succeeded: 0,
    failed: 0,
  });
});

deliveryTest("an endpoint without attempts has no durations and no last failure", async ({ hooks, deps }) => {
  const owner = await hooks.owner();
  const { id } = await hooks.endpoint(owner, "http://127.0.0.1:9/hook");
  await hooks.emit(owner);
  expect(await readEndpointHealth(deps, owner, { id })).toMatchObject({
    attempts: { succeeded: 0, failed: 0 },
    deliveries: { pending: 1, held: 0, succeeded: 0 },
    medianMs: null,
    lastFailure: null,
  });
});
