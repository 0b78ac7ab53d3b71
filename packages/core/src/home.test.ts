import {
  type Caller,
  CreateWebhookEndpoint,
  maxRecentItems,
  newId,
  type RecordOpened,
} from "@querybell/domain";
import { emitEvents } from "@querybell/webhooks/testing/emit-events";
import { describe, expect } from "vitest";
import { readHomeOverview, recordOpened } from "./home.ts";
import { archiveItems } from "./library/index.ts";
import { deleteQuery } from "./queries/index.ts";
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

  dbTest("names a query whose latest run failed, unless archived", async ({ deps, make, clock }) => {
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
    const archive = async (isArchived: boolean) =>
      archiveItems(deps, owner, { items: [{ kind: "query", id: query.id }], isArchived });
    await archive(true);
    expect((await readHomeOverview(deps, owner)).failedQueries).toEqual([]);
    await archive(false);
    expect((await readHomeOverview(deps, owner)).failedQueries).toHaveLength(1);
    await end(toCompleted);
    expect((await readHomeOverview(deps, owner)).failedQueries).toEqual([]);
  });

  dbTest("lists what the caller opened last, and nobody else", async ({ deps, make, clock }) => {
    const owner = await make.owner();
    const colleague = await make.member(owner.organizationId);
    const elsewhere = await make.owner();
    const [query, deleted] = [await make.query(owner, "SELECT 1"), await make.query(owner, "SELECT 2")];
    const reference = await make.reference(owner, "SELECT 3");
    const { id: automationId } = await make.automation(owner);
    const open = async (caller: Caller, kind: RecordOpened["kind"], id: string) => {
      await clock.advance(1000);
      await recordOpened(deps, caller, { kind, id });
    };
    await open(owner, "query", query.id);
    await open(owner, "query", deleted.id);
    await open(owner, "reference", reference.id);
    await open(owner, "automation", automationId);
    await open(owner, "query", query.id);
    await open(owner, "reference", query.id);
    await open(elsewhere, "query", query.id);
    await open(colleague, "reference", reference.id);
    await deleteQuery(deps, owner, { id: deleted.id });
    const recentOf = async (caller: Caller) =>
      (await readHomeOverview(deps, caller)).recent.map(({ kind, id, shortId }) => [kind, id, shortId]);
    const shown = ["reference", reference.id, reference.shortId];
    expect(await recentOf(owner)).toEqual([
      ["query", query.id, null],
      ["automation", automationId, null],
      shown,
    ]);
    expect(await recentOf(colleague)).toEqual([shown]);
    expect(await recentOf(elsewhere)).toEqual([]);
  });

  dbTest("forgets all but the last twenty opened items", async ({ deps, make, clock }) => {
    const owner = await make.owner();
    for (let count = 0; count < maxRecentItems + 2; count++) {
      const { id } = await make.query(owner, `SELECT ${count}`);
      await clock.advance(1000);
      await recordOpened(deps, owner, { kind: "query", id });
    }
    const { organizationId } = owner;
    const stored = await deps.db.prisma.recentItem.findMany({ where: { organizationId } });
    expect(stored).toHaveLength(maxRecentItems);
    const { recent } = await readHomeOverview(deps, owner);
    expect(recent.map(({ title }) => title).slice(0, 2)).toEqual(["SELECT 21", "SELECT 20"]);
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
