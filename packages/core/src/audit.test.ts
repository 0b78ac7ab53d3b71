import { CreateWebhookEndpoint, ListAudit } from "@querybell/domain";
import { describe, expect } from "vitest";
import { exportAudit, listAudit } from "./audit.ts";
import { createInvitation } from "./invitations/index.ts";
import { createKey } from "./keys/index.ts";
import { changeSettingsAsOperator } from "./operator/index.ts";
import { updateSettings } from "./organizations/index.ts";
import { deleteQuery, updateQuery } from "./queries/index.ts";
import { createReference } from "./references/index.ts";
import { appError } from "./testing/app-error.ts";
import { dbTest } from "./testing/db-test.ts";
import { insertEndpoint } from "./webhooks/index.ts";

const test = dbTest.extend("log", { scope: "file" }, async ({ make, deps }) => {
  const owner = await make.owner();
  for (let seconds = 100; seconds < 145; seconds++) {
    await updateSettings(deps, owner, { resultLifetimeSeconds: seconds });
  }
  const list = (page: Partial<ListAudit> = {}) => listAudit(deps, owner, ListAudit.parse(page));
  return { owner, list };
});

describe("the audit log", () => {
  test("lists twenty entries, newest first, with who did what", async ({ log, clock }) => {
    const { userId, name, email, organizationId } = log.owner;
    const { items: entries } = await log.list();
    expect(entries).toHaveLength(20);
    expect(entries.map(({ detail }) => detail.to)).toEqual(Array.from({ length: 20 }, (_, at) => 144 - at));
    expect(entries[0]).toEqual({
      id: expect.any(String),
      at: clock.now().toISOString(),
      action: "settings.changed",
      byOperator: false,
      actor: { userId, name, email },
      keyId: null,
      targetId: organizationId,
      detail: { setting: "resultLifetimeSeconds", from: 143, to: 144 },
    });
  });

  test("is read page by page, each entry once", async ({ log }) => {
    const pages: string[][] = [];
    let cursor: string | undefined;
    do {
      const page = await log.list({ limit: 10, cursor });
      pages.push(page.items.map(({ id }) => id));
      cursor = page.nextCursor;
    } while (cursor);
    expect(pages.map(({ length }) => length)).toEqual([10, 10, 10, 10, 5]);
    const { items, ...rest } = await log.list({ limit: 100 });
    expect(pages.flat()).toEqual(items.map(({ id }) => id));
    expect(rest).toEqual({});
  });

  test("is filtered by who did it, what was done and when", async ({ make, deps, clock }) => {
    const owner = await make.owner();
    const admin = await make.member(owner.organizationId, "admin");
    const { slug } = await updateSettings(deps, owner, { name: "First" });
    await clock.advance(60_000);
    const second = clock.now().toISOString();
    await updateSettings(deps, admin, { name: "Second" });
    const { id } = await createKey(deps, owner, { name: "Key", scopes: ["queries:read"] });
    await clock.advance(60_000);
    const third = clock.now().toISOString();
    await changeSettingsAsOperator(deps, { slug, webhooksEnabled: true });

    const list = (filter: Partial<ListAudit>) => listAudit(deps, owner, ListAudit.parse(filter));
    const found = async (filter: Partial<ListAudit>) =>
      (await list(filter)).items.map(({ targetId, detail }) => detail.to ?? targetId);
    expect(await found({})).toEqual([true, id, "Second", "First"]);
    expect(await found({ actor: owner.userId })).toEqual([id, "First"]);
    expect(await found({ actor: "operator" })).toEqual([true]);
    expect(await found({ action: "settings.changed", actor: owner.userId })).toEqual(["First"]);
    expect(await found({ from: second })).toEqual([true, id, "Second"]);
    expect(await found({ from: second, until: third })).toEqual([id, "Second"]);
    expect(await found({ until: second })).toEqual(["First"]);
    expect(await found({ actor: (await make.owner()).userId })).toEqual([]);

    const page = await list({ actor: owner.userId, limit: 1 });
    const { nextCursor: cursor = "" } = page;
    const rest = await list({ actor: owner.userId, limit: 1, cursor });
    expect(rest).toMatchObject({ items: [{ detail: { to: "First" } }] });
    await expect(list({ limit: 1, cursor })).rejects.toEqual(appError("invalid_cursor"));
  });

  test("is filtered by what was changed, and says with which key", async ({ make, deps }) => {
    const owner = await make.owner();
    const query = await make.query(owner, "SELECT 1 AS a");
    const other = await make.query(owner, "SELECT 2 AS a");
    const { id: keyId } = await createKey(deps, owner, { name: "Key", scopes: ["references:write"] });
    const byKey = { ...owner, via: { kind: "key", keyId, scopes: ["references:write"] } } as const;
    await updateQuery(deps, owner, { id: query.id, sql: "SELECT 3 AS a", name: "Threes" });
    const { id, shortId } = await createReference(deps, byKey, { queryId: query.id, title: "Chart" });
    await deleteQuery(deps, owner, { id: query.id });
    await deleteQuery(deps, owner, { id: other.id });
    const found = async (targetId: string) =>
      (await listAudit(deps, owner, ListAudit.parse({ targetId }))).items.map((entry) => ({
        action: entry.action,
        keyId: entry.keyId,
        detail: entry.detail,
      }));
    expect(await found(query.id)).toEqual([
      { action: "query.deleted", keyId: null, detail: { name: "Threes" } },
      {
        action: "query.changed",
        keyId: null,
        detail: { name: "Threes", changed: ["name", "sql"], version: 2 },
      },
      expect.objectContaining({ action: "query.created" }),
    ]);
    expect(await found(id)).toEqual([
      { action: "reference.deleted", keyId: null, detail: { title: "Chart", queryId: query.id } },
      { action: "reference.created", keyId, detail: { title: "Chart", shortId, queryId: query.id } },
    ]);
  });

  test("holds the id of an invited person, whose address can be erased", async ({ make, deps }) => {
    const owner = await make.owner();
    const email = "invited@example.test";
    await createInvitation(deps, owner, { email, role: "member" });
    const { organizationId } = owner;
    const list = async () => (await listAudit(deps, owner, ListAudit.parse({}))).items;
    expect(await list()).toMatchObject([{ detail: { email, role: "member" } }]);
    const [row] = await deps.db.prisma.auditEntry.findMany({ where: { organizationId } });
    expect(row?.detail).toEqual({ personId: expect.any(String), role: "member" });
    await deps.db.prisma.auditPerson.deleteMany({ where: { organizationId } });
    expect(await list()).toMatchObject([{ detail: { email: null, role: "member" } }]);
  });

  test("is exported whole, in batches, with the export as its newest entry", async ({ log, deps, make }) => {
    const ids: string[] = [];
    const filter = { format: "csv", action: "settings.changed" } as const;
    for await (const batch of exportAudit(deps, log.owner, filter)) ids.push(...batch.map(({ id }) => id));
    const { items } = await log.list({ limit: 100 });
    const [exported, ...rest] = items;
    expect(exported).toMatchObject({ action: "audit_log.exported", detail: filter });
    expect(ids).toEqual(rest.map(({ id }) => id));

    const large = await make.owner();
    await deps.db.pool.query(
      `INSERT INTO audit_entries (id, organization_id, at, action, target_id, detail)
       SELECT uuidv7(), $1, querybell_now(), 'settings.changed', 'target', '{}' FROM generate_series(1, 1001)`,
      [large.organizationId],
    );
    const sizes: number[] = [];
    for await (const batch of exportAudit(deps, large, { format: "jsonl" })) sizes.push(batch.length);
    expect(sizes).toEqual([500, 500, 2]);
  });

  test("is sent to the endpoints that ask for it, with ids only", async ({ make, deps }) => {
    const owner = await make.owner();
    const { organizationId, userId } = owner;
    await deps.db.prisma.organization.update({
      where: { id: organizationId },
      data: { webhooksEnabled: true },
    });
    const url = "http://127.0.0.1:9/";
    const create = (eventTypes: string[]) =>
      deps.db.transaction((tx) =>
        insertEndpoint({ ...deps, tx }, owner, CreateWebhookEndpoint.parse({ url, eventTypes })),
      );
    await create(["automation.run.completed", "automation.run.failed"]);
    await createInvitation(deps, owner, { email: "first@example.test", role: "member" });
    expect(await deps.db.prisma.webhookEvent.count({ where: { organizationId } })).toBe(0);
    const asking = await create(["audit.entry.created"]);
    const invitation = await createInvitation(deps, owner, { email: "second@example.test", role: "member" });
    const events = await deps.db.prisma.webhookEvent.findMany({
      where: { organizationId },
      include: { deliveries: true },
    });
    expect(
      events.map(({ deliveries }) => deliveries.map(({ endpointId, state }) => [endpointId, state])),
    ).toEqual([[[asking.id, "pending"]], [[asking.id, "pending"]]]);
    const [entry] = (await listAudit(deps, owner, ListAudit.parse({ limit: 1 }))).items;
    const event = events.find(({ dedupeKey }) => dedupeKey === `audit_entry:${entry?.id}`);
    expect(JSON.parse(Buffer.from(event?.body ?? []).toString())).toEqual({
      id: event?.id,
      type: "audit.entry.created",
      createdAt: entry?.at,
      data: {
        entryId: entry?.id,
        action: "invitation.created",
        byOperator: false,
        userId,
        keyId: null,
        targetId: invitation.id,
        detail: { personId: expect.any(String), role: "member" },
      },
    });
  });

  test("names nobody for somebody whose account is gone, and keeps the entry", async ({ make, deps }) => {
    const owner = await make.owner();
    const admin = await make.member(owner.organizationId, "admin");
    await updateSettings(deps, admin, { name: "By somebody who left" });
    await deps.db.prisma.user.delete({ where: { id: admin.userId } });
    const { items } = await listAudit(deps, owner, ListAudit.parse({}));
    expect(items).toMatchObject([{ actor: null, byOperator: false, detail: { to: "By somebody who left" } }]);
  });

  test("cannot be edited, not even by SQL", async ({ log, deps }) => {
    const before = await log.list({ limit: 100 });
    for (const statement of [
      "UPDATE audit_entries SET detail = '{}'",
      "UPDATE audit_entries SET actor_user_id = NULL",
      "DELETE FROM audit_entries",
      "TRUNCATE audit_entries",
      "TRUNCATE organizations CASCADE",
    ]) {
      await expect(deps.db.pool.query(statement), statement).rejects.toThrow("the audit log is never edited");
    }
    await expect(log.list({ limit: 100 })).resolves.toEqual(before);
  });

  test("goes with its organization", async ({ make, deps }) => {
    const owner = await make.owner();
    await updateSettings(deps, owner, { name: "Soon gone" });
    const { organizationId } = owner;
    await deps.db.prisma.organization.delete({ where: { id: organizationId } });
    expect(await deps.db.prisma.auditEntry.count({ where: { organizationId } })).toBe(0);
  });
});
