import { runQuery } from "@querybell/core/runs";
import { createEndpoint } from "@querybell/core/webhooks";
import { CreateWebhookEndpoint, newId } from "@querybell/domain";
import { emitEvents } from "@querybell/webhooks";
import { describe, expect } from "vitest";
import { apiTest } from "../testing/api-test.ts";
import { changeRun, toCompleted, toFailed, toRunning } from "@querybell/core/testing";

describe("the start page's overview", () => {
  apiTest("ticks off first steps as they are done", async ({ api, make }) => {
    const owner = await make.owner();
    const client = await api.signedIn(owner);
    const before = await client.home.overview.query();
    expect(Object.values(before.firstSteps)).toEqual(Array(7).fill(false));
    await make.automation(owner);
    await make.member(owner.organizationId);
    const { firstSteps } = await client.home.overview.query();
    expect(firstSteps).toEqual({
      ...{ database: true, query: true, reference: true, automation: true, colleague: true },
      ...{ run: false, endpoint: false },
    });
  });

  apiTest("names a query whose latest run failed, until one succeeds", async ({ api, make, deps, clock }) => {
    const owner = await make.owner();
    const client = await api.signedIn(owner);
    const query = await make.query(owner, "SELECT 1\nFROM nowhere");
    const end = async (set: string) => {
      const { id } = await runQuery(deps, owner, { id: query.id, parameterValues: {} });
      await changeRun(deps, id, toRunning);
      await changeRun(deps, id, set);
      await clock.advance(1000);
    };
    await end(toFailed.replace("cancelled", "query_failed"));
    expect((await client.home.overview.query()).failedQueries).toEqual([
      {
        queryId: query.id,
        title: "SELECT 1",
        reason: "x",
        failedAt: expect.stringMatching(/Z$/),
      },
    ]);
    await end(toCompleted);
    expect((await client.home.overview.query()).failedQueries).toEqual([]);
  });

  apiTest("shows endpoints in trouble to admins alone", async ({ api, make, deps, clock }) => {
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
    const client = await api.signedIn(owner);
    expect((await client.home.overview.query()).endpoints).toEqual([]);

    const data = { automationId: newId(clock), runId: newId(clock), reason: "It failed." };
    const occurrence = { type: "automation.run.failed", data } as const;
    const { organizationId } = owner;
    await deps.db.transaction((tx) =>
      emitEvents({ tx, clock }, [{ organizationId, occurrence, cause: "a run" }]),
    );
    expect((await client.home.overview.query()).endpoints).toEqual([]);
    await deps.db.prisma.webhookDelivery.updateMany({
      where: { endpointId: id },
      data: { attemptCount: 1, nextAttemptAt: new Date(clock.now().getTime() + 60_000) },
    });
    expect((await client.home.overview.query()).endpoints).toMatchObject([
      { endpointId: id, state: "enabled", consecutiveFailures: 0, retrying: 1 },
    ]);

    await deps.db.prisma.webhookEndpoint.update({
      where: { id },
      data: { state: "disabled", disabledReason: "failures", disabledAt: clock.now() },
    });
    expect((await client.home.overview.query()).endpoints).toMatchObject([
      { endpointId: id, state: "disabled", held: 0 },
    ]);
    await deps.db.pool.query(
      `INSERT INTO webhook_deliveries (id, event_id, endpoint_id, round, state, next_attempt_at, created_at, state_changed_at)
       SELECT uuidv7(), event_id, endpoint_id, n, 'held', created_at, created_at, created_at
       FROM webhook_deliveries, generate_series(1, 1001) n WHERE endpoint_id = $1`,
      [id],
    );
    expect((await client.home.overview.query()).endpoints).toMatchObject([{ held: 1000 }]);
    const member = await api.signedIn(await make.member(owner.organizationId));
    expect((await member.home.overview.query()).endpoints).toEqual([]);
  });
});

describe("a permalink", () => {
  apiTest("is located in the organizations of the person alone", async ({ api, make, deps }) => {
    const owner = await make.owner();
    const { shortId } = await make.reference(owner, "SELECT 1");
    const elsewhere = await make.owner();
    const client = await api.signedIn(elsewhere);
    const locate = () => client.me.locatePermalink.query({ kind: "reference", shortId });
    expect(await locate()).toBeNull();
    const { organizationId } = owner;
    await deps.db.prisma.member.create({
      data: { organizationId, userId: elsewhere.userId, role: "member", createdAt: deps.clock.now() },
    });
    expect(await locate()).toMatchObject({ organizationId });
    await deps.db.prisma.queryReference.update({ where: { shortId }, data: { deletedAt: deps.clock.now() } });
    expect(await locate()).toBeNull();
  });
});

describe("a profile", () => {
  apiTest("takes another name, and refuses an empty one", async ({ api, make }) => {
    const owner = await make.owner();
    const client = await api.signedIn(owner);
    await client.me.updateProfile.mutate({ name: " Ada Lovelace " });
    expect((await client.me.get.query()).user.name).toBe("Ada Lovelace");
    await expect(client.me.updateProfile.mutate({ name: " " })).rejects.toThrow("must not be empty");
  });
});
