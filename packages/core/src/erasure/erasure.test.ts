import { access, mkdir, readdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { ListAudit, newId, organizationDeletionDays } from "@querybell/domain";
import { waitUntilBlocked, whileOtherTransaction } from "@querybell/webhooks/testing";
import { expect } from "vitest";
import { listAudit } from "../audit.ts";
import type { Deps } from "../deps.ts";
import { createDraft } from "../drafts/index.ts";
import { createExport, executeExport } from "../exports/index.ts";
import { createInvitation } from "../invitations/index.ts";
import { createKey } from "../keys/index.ts";
import { changeRole } from "../members/index.ts";
import { listNotifications } from "../notifications/index.ts";
import { updateSettings } from "../organizations/index.ts";
import { updateQuery } from "../queries/index.ts";
import { runQuery } from "../runs/index.ts";
import { createSampleShop, executeSampleShopCreation } from "../sample-shop/index.ts";
import { appError } from "../testing/app-error.ts";
import { dbTest, execute, queuedJobs, queuedMailsTo, testPassword } from "../testing/index.ts";
import { listStoredFiles, receiveUpload } from "../uploads/index.ts";
import {
  cancelDeletion,
  cancelDeletionAsOperator,
  deleteAccount,
  deleteDueOrganizations,
  deleteFiles,
  erasePersonAsOperator,
  findDeletion,
  requestDeletion,
  requestDeletionAsOperator,
} from "./index.ts";

/** The tables that have this column. */
async function tablesWith({ db }: Pick<Deps, "db">, column: string): Promise<string[]> {
  const { rows } = await db.pool.query<{ name: string }>(
    `SELECT t.table_name AS name FROM information_schema.tables t
     JOIN information_schema.columns c USING (table_schema, table_name)
     WHERE t.table_schema = 'public' AND t.table_type = 'BASE TABLE' AND c.column_name = $1`,
    [column],
  );
  return rows.map(({ name }) => name);
}

const dayMs = 24 * 60 * 60 * 1000;

const test = dbTest.extend("nameOf", { scope: "file" }, ({ deps }) => async (id: string) => {
  const { name } = await deps.db.prisma.organization.findUniqueOrThrow({ where: { id } });
  return { name };
});

test("an organization is deleted after the waiting time, with its files, and no other one is", async ({
  make,
  deps,
  clock,
  nameOf,
}) => {
  const owner = await make.owner();
  const { organizationId } = owner;
  const member = await make.member(organizationId);
  const bystander = await make.owner();
  const kept = await make.query(bystander, "SELECT 1 AS a");
  const query = await make.query(owner, "SELECT 1 AS a");
  await updateQuery(deps, owner, { id: query.id, sql: "SELECT 2 AS a" });
  const run = await runQuery(deps, owner, { id: query.id, parameterValues: {} });
  await execute(deps, run.id);
  await make.automation(owner);
  await createKey(deps, member, { name: "Key", scopes: [] });
  await createInvitation(deps, owner, { email: "soon@example.test", role: "member" });
  const files = ["uploads", "exports"].map((folder) =>
    join(deps.deployment.dataFolder, folder, organizationId),
  );
  for (const folder of files) {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "file"), "content");
  }

  await expect(requestDeletion(deps, member, await nameOf(organizationId))).rejects.toEqual(
    appError("forbidden"),
  );
  await expect(requestDeletion(deps, owner, { name: "Another" })).rejects.toEqual(
    appError("invalid_request"),
  );
  const { dueAt } = await requestDeletion(deps, owner, await nameOf(organizationId));
  expect(Date.parse(dueAt) - clock.now().getTime()).toBe(organizationDeletionDays * dayMs);
  await clock.advance(organizationDeletionDays * dayMs - 1);
  expect(await deleteDueOrganizations(deps)).toBe(0);
  await clock.advance(1);

  // As a worker leaves it that is killed after the first step.
  await deps.db.prisma.organizationDeletion.update({
    where: { organizationId },
    data: { startedAt: clock.now() },
  });
  await deps.db.prisma.member.deleteMany({ where: { organizationId } });
  expect(await deleteDueOrganizations(deps)).toBe(1);
  expect(await deleteDueOrganizations(deps)).toBe(0);

  const tables = await tablesWith(deps, "organization_id");
  expect(tables.length).toBeGreaterThan(30);
  for (const table of tables) {
    const { rowCount } = await deps.db.pool.query(`SELECT 1 FROM "${table}" WHERE organization_id = $1`, [
      organizationId,
    ]);
    expect([table, rowCount]).toEqual([table, 0]);
  }
  const versions = "SELECT 1 FROM row_versions WHERE row->>'organization_id' = $1";
  expect((await deps.db.pool.query(versions, [organizationId])).rowCount).toBe(0);
  for (const folder of files) await expect(access(folder)).rejects.toThrow("ENOENT");
  expect(await deps.db.prisma.organization.count({ where: { id: organizationId } })).toBe(0);
  expect(await deps.db.prisma.query.count({ where: { id: kept.id, deletedAt: null } })).toBe(1);
  expect(await deps.db.prisma.member.count({ where: { organizationId: bystander.organizationId } })).toBe(1);
});

test("no file is left of what is written while an organization is deleted", async ({
  make,
  deps,
  clock,
  nameOf,
}) => {
  const owner = await make.owner();
  const { organizationId } = owner;
  const upload = (content: AsyncIterable<Uint8Array>) =>
    receiveUpload(deps, owner, { fileName: "a.csv", format: "csv", announcedBytes: undefined, content });
  await createSampleShop(deps, owner);
  const { id } = await createExport(deps, owner);
  await requestDeletion(deps, owner, await nameOf(organizationId));
  await clock.advance(organizationDeletionDays * dayMs);

  // The files are deleted, and the rows not yet.
  const lock = {
    has: "SELECT FROM audit_entries WHERE organization_id = $1 FOR UPDATE",
    values: [organizationId],
  };
  let deletion: Promise<number> | undefined;
  const received = upload(
    (async function* () {
      yield Buffer.from("a,b\n");
      await whileOtherTransaction(deps.db.pool, lock, async () => {
        deletion = deleteDueOrganizations(deps);
        await waitUntilBlocked(deps.db.pool, deletion);
        expect(await executeExport(deps, { organizationId, id })).toBe("not wanted any more");
        await executeSampleShopCreation(deps, { organizationId });
        await expect(upload(Readable.from([Buffer.from("a\n1\n")]))).rejects.toEqual(appError("forbidden"));
        expect(await listStoredFiles(deps.db.pool)).toEqual([]);
      });
      await deletion;
      yield Buffer.from("1,2\n");
    })(),
  );
  await expect(received).rejects.toEqual(appError("unavailable"));
  expect(await deletion).toBe(1);
  const { dataFolder } = deps.deployment;
  const listLeft = async () => {
    const left = await readdir(dataFolder, { recursive: true, withFileTypes: true });
    return left.filter(
      (entry) =>
        (entry.isFile() && entry.parentPath.includes(organizationId)) || entry.name.includes("sample-shop-"),
    );
  };
  expect(await listLeft()).toEqual([]);

  // As processes leave them that are killed while they write.
  const jobs = await queuedJobs(deps, "delete_files_of_organization");
  const files = jobs.find((job) => job.organizationId === organizationId);
  const sampleShop = files?.sampleShop ?? "";
  for (const path of [`uploads/${organizationId}/left`, `sample-shops/${organizationId}/left`, sampleShop]) {
    await mkdir(dirname(join(dataFolder, path)), { recursive: true });
    await writeFile(join(dataFolder, path), "half of a fi");
  }
  expect(await listLeft()).toHaveLength(3);
  if (files) await deleteFiles(deps, files);
  expect(await listLeft()).toEqual([]);
});

test("an export that goes on after the deletion deletes its files", async ({ make, deps, clock, nameOf }) => {
  const owner = await make.owner();
  const { organizationId } = owner;
  const { id } = await createExport(deps, owner);
  await requestDeletion(deps, owner, await nameOf(organizationId));
  await clock.advance(organizationDeletionDays * dayMs);
  const outcomes = await Promise.all([
    executeExport(deps, { organizationId, id }),
    deleteDueOrganizations(deps),
  ]);
  expect(outcomes[1]).toBe(1);
  const exports = join(deps.deployment.dataFolder, "exports", organizationId);
  await expect(access(exports)).rejects.toThrow("ENOENT");

  // As a worker leaves it that is killed; another one takes over the job.
  await mkdir(join(exports, id), { recursive: true });
  await writeFile(join(exports, id, "left.part"), "half of a fi");
  expect(await executeExport(deps, { organizationId, id })).toBe("not wanted any more");
  await expect(access(exports)).rejects.toThrow("ENOENT");
});

test("the deletion is told to all owners, and each of them can cancel it until it begins", async ({
  make,
  deps: { deployment, ...rest },
  clock,
  nameOf,
}) => {
  const deps = { ...rest, deployment: { ...deployment, sendsMail: true } };
  const owner = await make.owner();
  const { organizationId } = owner;
  const second = await make.member(organizationId, "owner");
  const admin = await make.member(organizationId, "admin");
  await requestDeletion(deps, owner, await nameOf(organizationId));
  await expect(requestDeletion(deps, owner, await nameOf(organizationId))).rejects.toEqual(
    appError("conflict"),
  );
  expect(await findDeletion(deps, admin)).toMatchObject({ requestedBy: owner.userId });
  await expect(cancelDeletion(deps, admin)).rejects.toEqual(appError("forbidden"));
  await cancelDeletion(deps, second);
  await expect(cancelDeletion(deps, second)).rejects.toEqual(appError("not_found"));
  const kindsOf = async (person: { userId: string; sessionId: string }) =>
    (await listNotifications(deps, person, { limit: 10, unreadOnly: false })).items.map(({ kind }) => kind);
  const told = ["organization_deletion_cancelled", "organization_deletion_requested"];
  expect(await kindsOf(owner)).toEqual(told);
  expect(await kindsOf(second)).toEqual(told);
  expect(await kindsOf(admin)).toEqual([]);
  expect(await queuedMailsTo(deps, second.email)).toHaveLength(2);
  await clock.advance(organizationDeletionDays * dayMs);
  await deleteDueOrganizations(deps);
  expect(await deps.db.prisma.organization.count({ where: { id: organizationId } })).toBe(1);
  const { items } = await listAudit(deps, owner, ListAudit.parse({}));
  expect(items.map(({ action }) => action)).toEqual([
    "organization.deletion_cancelled",
    "organization.deletion_requested",
  ]);

  await requestDeletion(deps, owner, await nameOf(organizationId));
  await clock.advance(organizationDeletionDays * dayMs);
  await deps.db.prisma.organizationDeletion.update({
    where: { organizationId },
    data: { startedAt: clock.now() },
  });
  await expect(cancelDeletion(deps, owner)).rejects.toEqual(appError("not_found"));
});

test("the operator asks for a deletion and cancels one, and the owners are told by whom", async ({
  make,
  deps: { deployment, ...rest },
  nameOf,
}) => {
  const deps = { ...rest, deployment: { ...deployment, sendsMail: true } };
  const owner = await make.owner();
  const { organizationId } = owner;
  const { slug } = await deps.db.prisma.organization.findUniqueOrThrow({ where: { id: organizationId } });
  await requestDeletionAsOperator(deps, { slug });
  expect(await findDeletion(deps, owner)).toMatchObject({ requestedBy: null });
  await cancelDeletion(deps, owner);
  await requestDeletion(deps, owner, await nameOf(organizationId));
  await expect(requestDeletionAsOperator(deps, { slug })).rejects.toEqual(appError("conflict"));
  await cancelDeletionAsOperator(deps, { slug });
  await expect(cancelDeletionAsOperator(deps, { slug })).rejects.toEqual(appError("not_found"));
  await expect(requestDeletionAsOperator(deps, { slug: "no-such" })).rejects.toEqual(appError("not_found"));
  const mails = await queuedMailsTo(deps, owner.email);
  expect(mails.map(({ text }) => text.split(" has ")[0])).toEqual([
    "The operator of this installation",
    "An owner",
    "An owner",
    "The operator of this installation",
  ]);
  const { items } = await listAudit(deps, owner, ListAudit.parse({}));
  expect(items.map(({ byOperator }) => byOperator)).toEqual([true, false, false, true]);
});

test("a person is erased, and what they made stays, by a deleted user", async ({ make, deps }) => {
  const owner = await make.owner();
  const { organizationId } = owner;
  const leaving = await make.member(organizationId, "admin");
  const { userId, email, name } = leaving;
  const query = await make.query(leaving, "SELECT 1 AS a");
  await updateSettings(deps, leaving, { name: "Renamed" });
  await createKey(deps, leaving, { name: "Key", scopes: [] });
  await createInvitation(deps, owner, { email: "x@example.test", role: "member" });
  // An entry that names their address, as of the invitation with which they came.
  await deps.db.prisma.auditPerson.updateMany({ where: { organizationId }, data: { email } });
  const { analyticalDatabaseConfigId } = query;
  await createDraft(deps, leaving, { sql: "SELECT 'private'", analyticalDatabaseConfigId });
  const filtered = await make.query(owner, "SELECT {{user_email}} AS mine");
  for (const person of [leaving, owner]) {
    const run = await runQuery(deps, person, { id: filtered.id, parameterValues: {} });
    await execute(deps, run.id);
  }
  const now = deps.clock.now();
  const passkey = {
    id: newId(deps.clock),
    name: "Phone",
    credentialId: "phone",
    publicKey: new Uint8Array(1),
  };
  await deps.db.prisma.passkey.create({ data: { ...passkey, userId, counter: 0, createdAt: now } });
  const totp = { sealedSecret: "sealed", lastUsedStep: 0, createdAt: now, confirmedAt: now };
  await deps.db.prisma.totpFactor.create({ data: { ...totp, userId } });
  const failed = { count: 1, firstAt: now, lastAt: now, lastAddress: "192.0.2.7" };
  await deps.db.prisma.failedSignIns.create({ data: { ...failed, userId } });

  const password = testPassword;
  await expect(deleteAccount(deps, leaving, { email: owner.email, password })).rejects.toEqual(
    appError("invalid_request"),
  );
  await expect(deleteAccount(deps, leaving, { email, password: "a wrong password" })).rejects.toEqual(
    appError("invalid_request"),
  );
  await deleteAccount(deps, leaving, { email, password });

  const user = await deps.db.prisma.user.findUniqueOrThrow({
    where: { id: userId },
    include: { accounts: true, sessions: true, memberships: true },
  });
  expect(user).toMatchObject({
    ...{ name: "Deleted user", email: `${userId}@deleted.invalid`, emailVerified: false },
    ...{ accounts: [], sessions: [], memberships: [] },
  });
  expect(await deps.db.prisma.query.findUniqueOrThrow({ where: { id: query.id } })).toMatchObject({
    createdBy: userId,
    deletedAt: null,
  });
  // Drafts go by a job, once their trials have ended.
  for (const table of await tablesWith(deps, "user_id")) {
    if (table === "query_drafts") continue;
    const { rowCount } = await deps.db.pool.query(`SELECT 1 FROM "${table}" WHERE user_id = $1`, [userId]);
    expect([table, rowCount]).toEqual([table, 0]);
  }
  expect(await deps.db.prisma.queryDraft.count({ where: { userId, deletedAt: null } })).toBe(0);
  const runs = await deps.db.prisma.queryRun.findMany({
    where: { queryId: filtered.id },
    select: { renderedSql: true, systemValues: true, statement: true },
  });
  expect(runs).toHaveLength(1);
  expect(JSON.stringify(runs)).not.toContain(email);
  const { items } = await listAudit(deps, owner, ListAudit.parse({}));
  expect(items.find(({ action }) => action === "settings.changed")).toMatchObject({
    actor: null,
    byOperator: false,
  });
  expect(items.find(({ action }) => action === "invitation.created")?.detail).toMatchObject({ email: null });
  expect(JSON.stringify(items)).not.toContain(email);
  expect(JSON.stringify(items)).not.toContain(`"${name}"`);

  // The address is free again.
  await make.user({ email });
});

test("the last owner of an organization is not erased, whoever asks", async ({ make, deps }) => {
  const owner = await make.owner();
  const { organizationId, email } = owner;
  const refused = appError("last_owner");
  await expect(deleteAccount(deps, owner, { email, password: testPassword })).rejects.toEqual(refused);
  await expect(erasePersonAsOperator(deps, { email })).rejects.toEqual(refused);
  expect(await deps.db.prisma.user.count({ where: { email } })).toBe(1);
  const successor = await make.member(organizationId);
  await changeRole(deps, owner, { userId: successor.userId, role: "owner" });
  await erasePersonAsOperator(deps, { email });
  expect(await deps.db.prisma.user.count({ where: { email } })).toBe(0);
  const [entry] = (await listAudit(deps, successor, ListAudit.parse({ limit: 1 }))).items;
  expect(entry).toMatchObject({ action: "member.removed", byOperator: true, targetId: owner.userId });
});
