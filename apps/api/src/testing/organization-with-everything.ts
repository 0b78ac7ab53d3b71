import { createHash } from "node:crypto";
import { gzipSync, zstdCompressSync } from "node:zlib";
import type { Deps } from "@querybell/core";
import { seeAs, setFolderAccess } from "@querybell/core/access";
import { createDashboard, refreshDashboard, updateDashboard } from "@querybell/core/dashboards";
import { createDatabase, saveDescription } from "@querybell/core/databases";
import { createDraft, runDraft } from "@querybell/core/drafts";
import { createEmbeddingKey } from "@querybell/core/embedding";
import { requestDeletion } from "@querybell/core/erasure";
import { createExport } from "@querybell/core/exports";
import { createFolder } from "@querybell/core/folders";
import { changeGroupMembers, createGroup } from "@querybell/core/groups";
import { recordOpened } from "@querybell/core/home";
import { createInvitation } from "@querybell/core/invitations";
import { createKey } from "@querybell/core/keys";
import { deleteItems, moveItems, setFavourite } from "@querybell/core/library";
import { createServiceAccount } from "@querybell/core/members";
import { updateModel } from "@querybell/core/models";
import { createOrganization, updateSettings } from "@querybell/core/organizations";
import { createPublicLink } from "@querybell/core/public-links";
import { createQuery, setParameters, updateQuery } from "@querybell/core/queries";
import { createReference, updateReference } from "@querybell/core/references";
import { createRestCallRecorder } from "@querybell/core/rest-calls";
import { runQuery } from "@querybell/core/runs";
import { createSampleShop } from "@querybell/core/sample-shop";
import { askForHelp } from "@querybell/core/sql-help";
import { changeRun, toCompleted, toRunning } from "@querybell/core/testing";
import { getUploadsDatabase } from "@querybell/core/uploads";
import { type Caller, CreateDatabase, newId, noFilters, type Person, Scope } from "@querybell/domain";
import { makeAutomationWithEverything } from "./automations-with-everything.ts";
import { connectProgram } from "./connect-program.ts";
import { recordMcpCall } from "./record-mcp-call.ts";
import { makeWebhooksWithEverything } from "./webhooks-with-everything.ts";

interface Members {
  owner: Person;
  member: Pick<Person, "userId">;
}

/**
 * An organization with an object of every kind, each text of which contains `marker`. Add new kinds of objects here: the
 * isolation test fails until they are.
 */
export async function makeOrganizationWithEverything(
  deps: Deps,
  { owner, member }: Members,
  marker: string,
): Promise<Caller> {
  const { organizationId } = await createOrganization(deps, owner, { name: `Organization ${marker}` });
  const via = { kind: "session", sessionId: owner.sessionId } as const;
  const caller: Caller = { userId: owner.userId, organizationId, role: "owner", via };
  await deps.db.prisma.member.create({
    data: { organizationId, userId: member.userId, role: "member", createdAt: deps.clock.now() },
  });
  const { id: groupId } = await createGroup(deps, caller, { name: `Group ${marker}` });
  await changeGroupMembers(deps, caller, { groupId, add: [member.userId], remove: [] });
  await recordFailedSignIn(deps, owner);
  await makeFactors(deps, caller, member);
  await makeSingleSignOn(deps, caller, marker);
  await makeSeenAs(deps, caller, member.userId);
  await createInvitation(deps, caller, { email: `invited-${marker}@example.test`, role: "member" });
  const { id: keyId } = await createKey(deps, caller, { name: `Key ${marker}`, scopes: [...Scope.options] });
  await recordRestCall(deps, keyId);
  await connectProgram(deps, caller, `Program ${marker}`);
  await recordMcpCall(deps, { organizationId, keyId, tool: `tool_${marker}` });
  const { shortId, ...content } = await makeQuery(deps, caller, marker);
  await makeLibrary(deps, caller, { marker, ...content });
  await makeDashboard(deps, caller, { marker, referenceId: content.referenceId });
  await recordOpened(deps, caller, { kind: "query", id: content.queryId });
  await createSampleShop(deps, caller);
  await createExport(deps, caller);
  await requestDeletion(deps, caller, { name: `Organization ${marker}` });
  await makeAutomationWithEverything(deps, caller, { shortId, marker });
  await makeWebhooksWithEverything(deps, caller, marker);
  await makeUploads(deps, caller, marker);
  await makeEmbedding(deps, caller, marker);
  await makeModel(deps, caller, marker);
  await askForHelp(deps, caller, {
    kind: "write",
    analyticalDatabaseConfigId: content.analyticalDatabaseConfigId,
    question: `Question ${marker}`,
  });
  return caller;
}

async function recordFailedSignIn(deps: Deps, { userId }: Pick<Person, "userId">): Promise<void> {
  const at = deps.clock.now();
  const failed = { count: 1, firstAt: at, lastAt: at, lastAddress: "192.0.2.7" };
  await deps.db.prisma.failedSignIns.upsert({
    where: { userId },
    create: { userId, ...failed },
    update: failed,
  });
}

/** Second factors of the member: the owner's would be asked for before the calls of a test. */
async function makeFactors(
  { db: { prisma }, clock }: Deps,
  { organizationId, userId: requestedBy }: Caller,
  { userId }: Pick<Person, "userId">,
): Promise<void> {
  const now = clock.now();
  const totp = { sealedSecret: "sealed", lastUsedStep: 0, createdAt: now, confirmedAt: now };
  await prisma.totpFactor.upsert({ where: { userId }, create: { userId, ...totp }, update: totp });
  const publicKey = new Uint8Array(1);
  const id = newId(clock);
  await prisma.passkey.create({
    data: { id, userId, name: "Phone", credentialId: id, publicKey, counter: 0, createdAt: now },
  });
  await prisma.recoveryCode.create({ data: { id, userId, codeHash: hashOf(id) } });
  await prisma.signInRequest.create({
    data: { id, userId, tokenHash: hashOf(id), sealed: "sealed", expiresAt: now },
  });
  const reset = { organizationId, requestedBy, requestedAt: now, effectiveAt: now };
  await prisma.factorReset.upsert({ where: { userId }, create: { userId, ...reset }, update: reset });
}

/** A provider, a domain, and what the provider has sent. */
async function makeSingleSignOn(
  { db: { prisma }, clock }: Deps,
  { organizationId, userId: createdBy }: Caller,
  marker: string,
): Promise<void> {
  const now = clock.now();
  const id = newId(clock);
  const times = { createdAt: now, updatedAt: now };
  await prisma.identityProvider.create({
    data: {
      ...{ id, organizationId, issuer: `https://${marker}.example`, clientId: marker, ...times },
      ...{ sealedClientSecret: "sealed", groupsClaim: marker, adminGroups: [marker] },
    },
  });
  await prisma.organizationDomain.create({
    data: { id, organizationId, domain: `${marker}.example`, token: marker, createdAt: now },
  });
  await prisma.scimToken.create({
    data: { id, organizationId, tokenHash: hashOf(`scim ${id}`), createdBy, createdAt: now },
  });
  await prisma.scimUser.create({
    data: {
      ...{ id, organizationId, userName: marker, userNameKey: marker, email: `${marker}@example.test` },
      ...{ active: false, ...times },
    },
  });
  await prisma.scimGroup.create({ data: { id, organizationId, displayName: marker, ...times } });
  await prisma.scimGroupMember.create({ data: { organizationId, groupId: id, scimUserId: id } });
}

const hashOf = (text: string) => new Uint8Array(createHash("sha256").update(text).digest());

/** The owner sees the organization as the member, in another session than that of the test. */
async function makeSeenAs(deps: Deps, caller: Caller, userId: string): Promise<void> {
  const [sessionId, now] = [newId(deps.clock), deps.clock.now()];
  await deps.db.prisma.session.create({
    data: {
      id: sessionId,
      userId: caller.userId,
      token: sessionId,
      expiresAt: new Date(now.getTime() + 86_400_000),
      createdAt: now,
      updatedAt: now,
    },
  });
  await seeAs(deps, { ...caller, via: { kind: "session", sessionId } }, { userId });
}

async function makeModel(deps: Deps, caller: Caller, marker: string): Promise<void> {
  const connection = {
    url: `http://127.0.0.1:1/${marker}`,
    name: `Model ${marker}`,
    apiKey: `Key ${marker}`,
  };
  await updateModel(deps, caller, { connection, monthlyTokens: 1000, consent: true });
  const month = new Date("2026-11-01");
  await deps.db.prisma.modelUsage.create({
    data: { organizationId: caller.organizationId, month, tokens: 1n },
  });
}

async function recordRestCall(deps: Deps, keyId: string): Promise<void> {
  const failures: unknown[] = [];
  const recorder = createRestCallRecorder({ ...deps, onError: (error) => failures.push(error) });
  recorder.record({ keyId, route: "GET /api/queries", retired: false });
  await recorder.close();
  if (failures.length > 0) throw failures[0];
}

/** A query with a database, an earlier version, parameters, an edited reference, a completed run and its result, and a draft of it. */
async function makeQuery(deps: Deps, caller: Caller, marker: string) {
  const { id: analyticalDatabaseConfigId } = await createDatabase(
    deps,
    caller,
    CreateDatabase.parse({
      name: `Database ${marker}`,
      connection: {
        engine: "postgres",
        settings: { host: "127.0.0.1", port: 1, database: marker, user: marker },
        credentials: { password: marker },
      },
    }),
  );
  await saveDescription(deps, caller, {
    id: analyticalDatabaseConfigId,
    schema: marker,
    table: marker,
    column: marker,
    description: `Description ${marker}`,
  });
  const query = await createQuery(deps, caller, {
    sql: `SELECT 1 AS "${marker}"`,
    name: `Query ${marker}`,
    description: `Description ${marker}`,
    analyticalDatabaseConfigId,
  });
  await updateQuery(deps, caller, { id: query.id, sql: `SELECT '${marker}'` });
  await setParameters(deps, caller, {
    id: query.id,
    version: 0,
    definitions: [{ name: "unused", displayName: marker, type: "string", description: marker }],
    choices: { unused: { kind: "list", items: [{ value: marker }] } },
    ranges: [],
  });
  const { shortId, id: referenceId } = await createReference(deps, caller, {
    queryId: query.id,
    title: `Before ${marker}`,
  });
  await updateReference(deps, caller, { shortId, title: `Reference ${marker}` });
  const { id: runId } = await runQuery(deps, caller, { id: query.id, parameterValues: {} });
  const { organizationId } = caller;
  await changeRun(deps, runId, toRunning);
  await changeRun(deps, runId, toCompleted);
  const json = JSON.stringify({ fields: [{ name: marker, type: "string" }], rows: [[marker]], rowCount: 1 });
  await deps.db.pool.query(
    `INSERT INTO query_results SELECT $1, $2, $3, parameter_values_hash, $4, $5, 1, NULL, $6::text, now(),
       now() + interval '1 day' FROM query_runs WHERE id = $1`,
    [runId, organizationId, query.id, gzipSync(json), json.length, marker],
  );
  const chainId = newId(deps.clock);
  await deps.db.pool.query(
    `INSERT INTO past_result_chains (id, organization_id, query_id, parameter_values_hash, first_at, last_at, expires_at, result_count, byte_count)
     SELECT $2, organization_id, query_id, parameter_values_hash, now(), now(), now() + interval '90 days', 1, 9 FROM query_runs WHERE id = $1`,
    [runId, chainId],
  );
  await deps.db.pool.query(
    `INSERT INTO past_results (run_id, organization_id, query_id, parameter_values_hash, completed_at, json_bytes, row_count, etag, chain_id, position, bytes)
     SELECT id, organization_id, query_id, parameter_values_hash, now(), $3, 1, $4::text, $2, 0, $5 FROM query_runs WHERE id = $1`,
    [runId, chainId, json.length, marker, zstdCompressSync(json)],
  );
  const draft = await createDraft(deps, caller, {
    sql: `SELECT 2 AS "${marker}"`,
    name: `Draft ${marker}`,
    analyticalDatabaseConfigId,
    queryId: query.id,
    parameters: {
      base: null,
      definitions: [{ name: "unused", displayName: marker, type: "string", description: marker }],
      choices: {},
      ranges: [],
    },
  });
  await runDraft(deps, caller, { ...draft, parameterValues: {} });
  return { shortId, referenceId, queryId: query.id, analyticalDatabaseConfigId };
}

interface Content {
  marker: string;
  queryId: string;
  analyticalDatabaseConfigId: string;
}

/** A folder with a favourite in it, and a deletion that can be undone. */
async function makeLibrary(
  deps: Deps,
  caller: Caller,
  { marker, queryId, ...content }: Content,
): Promise<void> {
  const { id: folderId } = await createFolder(deps, caller, { name: `Folder ${marker}`, parentId: null });
  const everybody = { grantee: { kind: "everybody" }, level: "edit" } as const;
  await setFolderAccess(deps, caller, { folderId, grants: [everybody] });
  const item = { kind: "query", id: queryId } as const;
  await moveItems(deps, caller, { items: [item], folderId });
  await setFavourite(deps, caller, { ...item, isFavourite: true });
  const deleted = await createQuery(deps, caller, { sql: `SELECT 'deleted ${marker}'`, ...content });
  await deleteItems(deps, caller, { items: [{ kind: "query", id: deleted.id }] });
}

/** A dashboard with a chart and an earlier version. */
async function makeDashboard(
  deps: Deps,
  caller: Caller,
  { marker, referenceId }: { marker: string; referenceId: string },
): Promise<void> {
  const { id } = await createDashboard(deps, caller, {
    ...{ title: `Dashboard ${marker}`, description: `Description ${marker}`, folderId: null },
  });
  const text = { id: "text", kind: "text", text: marker, x: 0, y: 0, w: 6, h: 2 } as const;
  const chart = { id: "chart", kind: "chart", referenceId, shows: "chart", x: 0, y: 2, w: 6, h: 6 } as const;
  const filter = { name: "region", displayName: marker, type: "string", description: marker } as const;
  const content = {
    tabs: [{ id: "tab", title: marker, tiles: [text, chart] }],
    filters: { ...noFilters(), definitions: [{ ...filter, defaultValue: marker }] },
  };
  await updateDashboard(deps, caller, { id, content });
  await refreshDashboard(deps, caller, { id });
  await updateSettings(deps, caller, { publicLinks: true });
  const item = { kind: "dashboard", id } as const;
  const link = { expiresAt: null, password: null, isFollowing: false, choices: [] };
  const { id: linkId } = await createPublicLink(deps, caller, { item, ...link });
  const { organizationId } = caller;
  await deps.db.prisma.publishedFile.create({
    data: { linkId, referenceId, organizationId, name: `${marker}.svg`, bytes: new Uint8Array(1) },
  });
}

/** An embedding key, with a frame that it opened and a page. */
async function makeEmbedding(deps: Deps, caller: Caller, marker: string): Promise<void> {
  const { organizationId } = caller;
  await updateSettings(deps, caller, { embedding: true });
  const account = await createServiceAccount(deps, caller, { name: marker, role: "viewer" });
  const { id: keyId } = await createEmbeddingKey(deps, caller, {
    ...{ name: marker, serviceAccountId: account.userId, cacheMinutes: 10 },
    ...{ origins: [`https://${marker.toLowerCase()}.example`], publicKey: embeddingPublicKey },
  });
  const now = deps.clock.now();
  const [tokenHash, scopeHash, valuesHash] = [1, 2, 3].map((byte) =>
    new TextEncoder().encode(`${organizationId} ${byte}`),
  );
  if (!tokenHash || !scopeHash || !valuesHash) throw new Error("There are three hashes.");
  await deps.db.prisma.embedSession.create({
    data: { tokenHash, organizationId, keyId, scopeHash, token: marker, createdAt: now, expiresAt: now },
  });
  const page = await deps.db.prisma.embedPage.create({
    data: {
      ...{ id: newId(deps.clock), organizationId, keyId, scopeHash, valuesHash },
      ...{ sessionHash: tokenHash, token: marker },
      ...{ filterValues: { region: marker }, state: "failed", requestedAt: now, failure: marker },
    },
  });
  await deps.db.prisma.embedFile.create({
    data: { pageId: page.id, name: `${marker}.svg`, organizationId, bytes: new Uint8Array(1) },
  });
}

const embeddingPublicKey =
  "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n-----END PUBLIC KEY-----\n";

/** A file that waits, a table, and a database file that was replaced. */
async function makeUploads(deps: Deps, caller: Caller, marker: string): Promise<void> {
  const { db, clock } = deps;
  const { organizationId, userId } = caller;
  const now = clock.now();
  await db.prisma.upload.create({
    data: {
      id: newId(clock),
      organizationId,
      createdBy: userId,
      fileName: `${marker}.csv`,
      format: "csv",
      bytes: 1,
      isComplete: true,
      createdAt: now,
      expiresAt: new Date(now.getTime() + 86_400_000),
    },
  });
  await db.prisma.uploadedTable.create({
    data: {
      organizationId,
      name: `table_${marker}`,
      columns: [{ name: marker, type: "VARCHAR" }],
      rowCount: 1,
      bytes: 1,
      fileName: `${marker}.csv`,
      reading: { numbers: { [marker]: "1.234,56" } },
      key: [marker],
      updatedBy: userId,
      createdAt: now,
      updatedAt: now,
    },
  });
  await db.prisma.uploadStoreFile.create({
    data: { id: newId(clock), organizationId, changeNumber: 0, createdAt: now, replacedAt: now },
  });
  const { name } = await db.prisma.chartName.findFirstOrThrow({ where: { organizationId } });
  const { id: analyticalDatabaseConfigId } = await getUploadsDatabase(db.prisma, organizationId);
  const sql = `SELECT '${marker}' FROM charts.${name}`;
  await createQuery(deps, caller, { sql, analyticalDatabaseConfigId });
}
