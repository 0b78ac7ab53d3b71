import { newId } from "@querybell/domain";
import { hashEmbedValues, hashScope, type PublishedContent, readGrant } from "@querybell/public-pages";
import { createSigner, signToken } from "@querybell/public-pages/testing";
import { describe, expect } from "vitest";
import { setFolderAccess } from "../access/index.ts";
import { getDashboard, updateDashboard } from "../dashboards/index.ts";
import { makeDashboard } from "../dashboards/testing/make-dashboard.ts";
import type { Deps } from "../deps.ts";
import { createFolder } from "../folders/index.ts";
import { moveItems } from "../library/index.ts";
import { createServiceAccount } from "../members/index.ts";
import { updateSettings } from "../organizations/index.ts";
import { createQuery, setParameters, updateQuery } from "../queries/index.ts";
import { createReference } from "../references/index.ts";
import { appError } from "../testing/app-error.ts";
import { auditDuring } from "../testing/audit-during.ts";
import { dbTest } from "../testing/db-test.ts";
import { execute } from "../testing/run-states.ts";
import {
  createEmbeddingKey,
  listEmbeddingKeys,
  makeEmbedPage,
  purgeEmbeds,
  revokeEmbeddingKey,
  rotateEmbeddingKey,
  updateEmbeddingKey,
} from "./index.ts";

const test = dbTest
  .extend("portal", { scope: "file" }, async ({ deps, make }) => {
    const owner = await make.owner();
    await updateSettings(deps, owner, { embedding: true });
    const { id: analyticalDatabaseConfigId } = await make.database(owner);
    const { userId: serviceAccountId } = await createServiceAccount(deps, owner, {
      ...{ name: "Portal", role: "viewer" },
    });
    const signer = createSigner();
    const key = await createEmbeddingKey(deps, owner, {
      ...{ name: "Portal", publicKey: signer.publicKey, serviceAccountId, cacheMinutes: 10 },
      origins: ["https://app.example.com"],
    });
    const chart = async (sql: string) => {
      const query = await createQuery(deps, owner, { sql, analyticalDatabaseConfigId });
      return createReference(deps, owner, { queryId: query.id, title: "Fruit" });
    };
    return { owner, serviceAccountId, signer, key, chart, analyticalDatabaseConfigId };
  })
  /** Asks for the page of an item as the public process does, and returns its id. */
  .extend(
    "request",
    { scope: "file" },
    ({ deps, portal, clock }) =>
      async (shortId: string, { kind = "chart", locked = {} }: { kind?: string; locked?: object } = {}) => {
        const iat = Math.floor(clock.now().getTime() / 1000);
        const times = { aud: "querybell-embed", iat, exp: iat + 3600 };
        const claims = { ...times, item: { kind, id: shortId }, locked };
        const token = signToken(portal.signer.privateKey, { kid: portal.key.id }, claims);
        const grant = readGrant(token);
        const hash = await openSession(deps, { ...portal.key, token });
        const values = Buffer.from(hashEmbedValues(grant, {}) ?? []);
        const ask = async () => {
          const { rows } = await deps.db.pool.query(
            `SELECT page_id AS "pageId", state FROM request_embed_page($1, $2, '{}')`,
            [hash, values],
          );
          return rows[0];
        };
        return { ask, pageId: (await ask()).pageId };
      },
  );

/** Opens a session, and returns the hash of its address. Throws if it is not opened. */
async function openSession(
  { db, clock }: Pick<Deps, "db" | "clock">,
  { id, publicKey, token }: { id: string; publicKey: string; token: string },
): Promise<Buffer> {
  const grant = readGrant(token);
  const hash = Buffer.from(newId(clock));
  const { rows } = await db.pool.query("SELECT open_embed_session($1, $2, $3, $4, $5, $6) AS outcome", [
    ...[id, publicKey, hash, Buffer.from(hashScope(grant)), token, grant.expiresAt],
  ]);
  if (rows[0].outcome !== "opened") throw new Error(rows[0].outcome);
  return hash;
}

/** Executes the runs of a page, as a worker does. */
async function executeRuns(deps: Deps, pageId: string): Promise<void> {
  const { runIds } = await deps.db.prisma.embedPage.findUniqueOrThrow({ where: { id: pageId } });
  const runs = await deps.db.prisma.queryRun.findMany({ where: { id: { in: runIds }, leaderId: null } });
  for (const { id } of runs) await execute(deps, id);
}

test("keys are added, changed, replaced and revoked by admins, each with an entry in the audit log", async ({
  deps,
  portal: { owner, serviceAccountId, signer },
}) => {
  const actions = await auditDuring(deps, owner.organizationId, async () => {
    const key = await createEmbeddingKey(deps, owner, {
      ...{ name: "Shop", publicKey: signer.publicKey, serviceAccountId, cacheMinutes: 5 },
      origins: ["https://a.example", "https://a.example"],
    });
    expect(key).toMatchObject({ isActive: true, origins: ["https://a.example"], lastUsedAt: null });
    await updateEmbeddingKey(deps, owner, { id: key.id, origins: ["https://b.example"] });
    const { publicKey } = createSigner();
    expect(await rotateEmbeddingKey(deps, owner, { id: key.id, publicKey })).toMatchObject({
      ...{ publicKey, origins: ["https://b.example"] },
    });
    const privatePem = signer.privateKey.export({ type: "pkcs8", format: "pem" }).toString();
    await expect(
      rotateEmbeddingKey(deps, owner, { id: key.id, publicKey: privatePem }),
    ).rejects.toMatchObject(appError("invalid_request", /no Ed25519 public key/));
    await revokeEmbeddingKey(deps, owner, { id: key.id });
    await expect(revokeEmbeddingKey(deps, owner, { id: key.id })).rejects.toMatchObject(
      appError("not_found"),
    );
  });
  expect(actions.map(({ action }) => action)).toEqual([
    ...["embedding_key.created", "embedding_key.changed", "embedding_key.rotated", "embedding_key.revoked"],
  ]);
  const { keys } = await listEmbeddingKeys(deps, owner);
  expect(keys.map(({ name }) => name)).toEqual(["Portal"]);
});

test("a replaced key opens no session, although its token was verified just before", async ({
  deps,
  portal: { owner, serviceAccountId, signer },
  clock,
}) => {
  const key = await createEmbeddingKey(deps, owner, {
    ...{ name: "Shop", publicKey: signer.publicKey, serviceAccountId, cacheMinutes: 5 },
    origins: ["https://a.example"],
  });
  const iat = Math.floor(clock.now().getTime() / 1000);
  const claims = { aud: "querybell-embed", iat, exp: iat + 600, item: { kind: "chart", id: "fruit" } };
  const token = signToken(signer.privateKey, { kid: key.id }, claims);
  await openSession(deps, { ...key, token });
  await rotateEmbeddingKey(deps, owner, { id: key.id, publicKey: createSigner().publicKey });
  await expect(openSession(deps, { ...key, token })).rejects.toThrow("refused");
  expect(await deps.db.prisma.embedSession.count({ where: { keyId: key.id } })).toBe(0);
  await revokeEmbeddingKey(deps, owner, { id: key.id });
});

test("a person is no service account", async ({ deps, portal: { owner, key } }) => {
  await expect(
    updateEmbeddingKey(deps, owner, { id: key.id, serviceAccountId: owner.userId }),
  ).rejects.toMatchObject(appError("not_found", /service account/));
});

describe("the page of a frame", () => {
  test("is made by a job that starts the run, and another one that draws its result", async ({
    deps,
    portal,
    request,
    clock,
  }) => {
    const { shortId } = await portal.chart("SELECT name FROM fruits");
    const { pageId, ask } = await request(shortId);
    expect(await makeEmbedPage(deps, { pageId })).toBe("runs started");
    expect(await ask()).toEqual({ pageId, state: "running" });
    const run = await deps.db.prisma.queryRun.findFirstOrThrow({
      where: { triggerId: `user:${portal.serviceAccountId}`, status: "pending" },
    });
    await execute(deps, run.id);
    expect(await ask()).toEqual({ pageId, state: "requested" });
    expect(await makeEmbedPage(deps, { pageId })).toBe("made");
    expect(await makeEmbedPage(deps, { pageId })).toBe("not wanted any more");
    expect(await ask()).toEqual({ pageId, state: "ready" });
    const page = await deps.db.prisma.embedPage.findUniqueOrThrow({ where: { id: pageId } });
    expect(page).toMatchObject({ token: null, content: { title: "Fruit" } });
    // A newer result is needed only after the minutes of the key.
    await clock.advance(10 * 60_000 + 1);
    const again = await request(shortId);
    expect(again.pageId).toBe(pageId);
    expect(await makeEmbedPage(deps, { pageId })).toBe("runs started");
  });

  test("counts for the minutes of its key from the time of its data", async ({
    deps,
    portal,
    request,
    clock,
  }) => {
    const { shortId } = await portal.chart("SELECT name, weight FROM fruits");
    const first = await request(shortId);
    expect(await makeEmbedPage(deps, first)).toBe("runs started");
    await executeRuns(deps, first.pageId);
    // Nobody has asked for it until its result was too old.
    await clock.advance(11 * 60_000);
    expect(await first.ask()).toMatchObject({ state: "requested" });
    expect(await makeEmbedPage(deps, first)).toBe("runs started");
    await executeRuns(deps, first.pageId);
    await first.ask();
    expect(await makeEmbedPage(deps, first)).toBe("made");
    // Another page of the same result, when it is six minutes old.
    await clock.advance(6 * 60_000);
    await deps.db.prisma.embedPage.deleteMany({ where: { id: first.pageId } });
    const second = await request(shortId);
    expect(await makeEmbedPage(deps, second)).toBe("made");
    expect(await second.ask()).toMatchObject({ state: "ready" });
    await clock.advance(5 * 60_000);
    expect(await second.ask()).toMatchObject({ state: "requested" });
  });

  test("shows no result that was computed without a locked value", async ({
    deps,
    portal: { owner, analyticalDatabaseConfigId },
    request,
    clock,
  }) => {
    const { id, charts } = await makeDashboard(deps, owner, {
      analyticalDatabaseConfigId,
      statements: ["SELECT {{customer}} || {{unit}} AS customer", "SELECT 'everybody' AS customer"],
    });
    const setUnit = (defaultValue: string, version: number) =>
      setParameters(deps, owner, {
        ...{ id: charts[0]?.queryId ?? "", version, choices: {}, ranges: [] },
        definitions: [{ name: "unit", displayName: "", type: "string", description: "", defaultValue }],
      });
    await setUnit("kg", 0);
    const { title, description, content, version } = await getDashboard(deps, owner, { id });
    const customer = { name: "customer", displayName: "", type: "string" as const, description: "" };
    await updateDashboard(deps, owner, {
      ...{ id, version, title, description },
      content: { ...content, filters: { ...content.filters, definitions: [customer] } },
    });
    const kindsOf = async (pageId: string) => {
      const page = await deps.db.prisma.embedPage.findUniqueOrThrow({ where: { id: pageId } });
      const { tabs } = page.content as unknown as PublishedContent;
      return tabs.flatMap(({ tiles }) => tiles.map(({ kind }) => kind));
    };
    /** Makes the page anew, within the minutes of the key. */
    const makeAgain = async () => {
      await clock.advance(60_000);
      await deps.db.prisma.embedPage.deleteMany();
      const asked = await request(id, { kind: "dashboard", locked: { customer: "a" } });
      const outcome = await makeEmbedPage(deps, asked);
      if (outcome !== "runs started") return { outcome, kinds: await kindsOf(asked.pageId) };
      await executeRuns(deps, asked.pageId);
      await asked.ask();
      expect(await makeEmbedPage(deps, asked)).toBe("made");
      return { outcome, kinds: await kindsOf(asked.pageId) };
    };
    expect(await makeAgain()).toEqual({ outcome: "runs started", kinds: ["table", "empty"] });
    expect(await makeAgain()).toEqual({ outcome: "made", kinds: ["table", "empty"] });
    // The chart has other values.
    await setUnit("t", 1);
    expect(await makeAgain()).toEqual({ outcome: "runs started", kinds: ["table", "empty"] });
    // The other chart gets the placeholder, and cannot be computed.
    await updateQuery(deps, owner, {
      id: charts[1]?.queryId ?? "",
      sql: "SELECT no_such_column AS customer WHERE {{customer}} <> ''",
    });
    expect(await makeAgain()).toEqual({ outcome: "runs started", kinds: ["table", "empty"] });
  });

  test("is not made, and nothing runs, for a chart that the service account does not see", async ({
    deps,
    portal: { owner, chart },
    request,
  }) => {
    const { id, shortId } = await chart("SELECT weight FROM fruits");
    const folder = await createFolder(deps, owner, { name: "Board", parentId: null });
    await moveItems(deps, owner, { items: [{ kind: "reference", id }], folderId: folder.id });
    await setFolderAccess(deps, owner, { folderId: folder.id, grants: [] });
    const runs = await deps.db.prisma.queryRun.count();
    const { pageId, ask } = await request(shortId);
    expect(await makeEmbedPage(deps, { pageId })).toMatchObject({ failed: expect.any(String) });
    expect(await ask()).toMatchObject({ state: "failed" });
    expect(await deps.db.prisma.queryRun.count()).toBe(runs);
  });

  test("is not made, and nothing runs, for rows that depend on the reader", async ({
    deps,
    portal: { chart },
    request,
  }) => {
    const { shortId } = await chart("SELECT name FROM fruits WHERE name <> {{user_email}}");
    const runs = await deps.db.prisma.queryRun.count();
    const { pageId } = await request(shortId);
    expect(await makeEmbedPage(deps, { pageId })).toEqual({
      failed: "The rows of this chart depend on who looks at it: it cannot be embedded.",
    });
    expect(await deps.db.prisma.queryRun.count()).toBe(runs);
  });

  test("is deleted when nobody has asked for it in two hours, and a session when it has expired", async ({
    deps,
    portal: { chart },
    request,
    clock,
  }) => {
    await request((await chart("SELECT 1 AS one")).shortId);
    await clock.advance(61 * 60_000);
    expect(await purgeEmbeds(deps)).toMatchObject({ sessions: expect.any(Number), pages: 0 });
    expect(await deps.db.prisma.embedSession.count()).toBe(0);
    await clock.advance(3600_000);
    expect((await purgeEmbeds(deps)).pages).toBeGreaterThan(0);
    expect(await deps.db.prisma.embedPage.count()).toBe(0);
  });
});
