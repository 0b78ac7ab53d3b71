import { CreateWebhookEndpoint, newId } from "@querybell/domain";
import { emitEvents } from "@querybell/webhooks/testing/emit-events";
import { describe, expect } from "vitest";
import { readHomeOverview } from "./home.ts";
import { runQuery } from "./runs/index.ts";
import { dbTest } from "./testing/db-test.ts";
import { changeRun, toCompleted, toFailed, toRunning } from "./testing/run-states.ts";
import { createEndpoint } from "./webhooks/index.ts";

describe("the start page's overview", () => {
  dbTest("ticks off first steps as they are done", async ({ deps, make }) => {
    const owner = await make.owner();
    const before = await readHomeOverview(deps, owner);
    expect(Object.values(before.firstSteps)).toEqual(Array(7).fill(false));
    await make.automation(owner);
    await make.member(owner.organizationId);
    const { firstSteps } = await readHomeOverview(deps, owner);
    expect(firstSteps).toEqual({
      ...{ database: true, query: true, reference: true, automation: true, colleague: true },
      ...{ run: false, endpoint: false },
    });
  });

  dbTest("names a query whose latest run failed, until one succeeds", async ({ deps, make, clock }) => {
    const owner = await make.owner();
    const query = await make.query(owner, "SELECT 1\nFROM nowhere");
    const end = async (set: string) => {
      const { id } = await runQuery(deps, owner, { id: query.id, parameterValues: {} });
      await changeRun(deps, id, toRunning);
      await changeRun(deps, id, set);
      await clock.advance(1000);
    };
    await end(toFailed.replace("cancelled", "query_failed"));
    expect((await readHomeOverview(deps, owner)).failedQueries).toEqual([
      {
        queryId: query.id,
        title: "SELECT 1",
        reason: "x",
        failedAt: expect.stringMatching(/Z$/),
      },
    ]);
    await end(toCompleted);
    expect((await readHomeOverview(deps, owner)).failedQueries).toEqual([]);
  });

  dbTest("shows endpoints in trouble to admins alone", async ({ deps, make, clock }) => {
    const owner = await make.owner();
    await deps.db.prisma.organization.update({
      where: { id: owner.organizationId },
      data: { webhooksEnabled: true },
    });
    const { id } = await createEndpoint(
      deps,
      owner,
      CreateWebhookEndpoint.parse({
        url: "http://127.0.0.1:9/hook",
        eventTypes: ["automation.run.failed"],
      }),
    );
    expect((await readHomeOverview(deps, owner)).endpoints).toEqual([]);

    const data = { automationId: newId(clock), runId: newId(clock), reason: "It failed." };
    const occurrence = { type: "automation.run.failed", data } as const;
    const { organizationId } = owner;
    await deps.db.transaction((tx) =>
      emitEvents({ tx, clock }, [{ organizationId, occurrence, cause: "a run" }]),
    );
    expect((await readHomeOverview(deps, owner)).endpoints).toEqual([]);
    await deps.db.prisma.webhookDelivery.updateMany({
      where: { endpointId: id },
      data: { attemptCount: 1, nextAttemptAt: new Date(clock.now().getTime() + 60_000) },
    });
    expect((await readHomeOverview(deps, owner)).endpoints).toMatchObject([
      { endpointId: id, state: "enabled", consecutiveFailures: 0, retrying: 1 },
    ]);

    await deps.db.prisma.webhookEndpoint.update({
      where: { id },
      data: { state: "disabled", disabledReason: "failures", disabledAt: clock.now() },
    });
    expect((await readHomeOverview(deps, owner)).endpoints).toMatchObject([
      { endpointId: id, state: "disabled", held: 0 },
    ]);
    await deps.db.pool.query(
      `INSERT INTO webhook_deliveries (id, event_id, endpoint_id, round, state, next_attempt_at, created_at, state_changed_at)
       SELECT uuidv7(), event_id, endpoint_id, n, 'held', created_at, created_at, created_at
       FROM webhook_deliveries, generate_series(1, 1001) n WHERE endpoint_id = $1`,
      [id],
    );
    expect((await readHomeOverview(deps, owner)).endpoints).toMatchObject([{ held: 1000 }]);
    const member = await make.member(owner.organizationId);
    expect((await readHomeOverview(deps, member)).endpoints).toEqual([]);
  });
});
