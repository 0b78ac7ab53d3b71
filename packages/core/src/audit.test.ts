import { ListAudit } from "@querybell/domain";
import { describe, expect } from "vitest";
import { listAudit } from "./audit.ts";
import { createKey } from "./keys/index.ts";
import { changeSettingsAsOperator } from "./operator/index.ts";
import { updateSettings } from "./organizations/index.ts";
import { appError } from "./testing/app-error.ts";
import { dbTest } from "./testing/db-test.ts";

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
