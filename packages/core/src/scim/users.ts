import type { Prisma, Tx } from "@querybell/db";
import { newId, type ScimListQuery, type ScimPatch, type ScimUserContent } from "@querybell/domain";
import { z } from "zod";
import { recordAudit } from "../audit.ts";
import type { Deps } from "../deps.ts";
import { setGroupsOfMember } from "../groups/index.ts";
import { createUser, takeOverAccount } from "../identity/accounts.ts";
import { lockRow } from "../lock-row.ts";
import { addMember } from "../members/members.ts";
import { ownsAddress } from "../single-sign-on/domains.ts";
import { patchUser } from "./patch.ts";
import { notFound, readFilter, ScimError, type ScimList, toPage, whereId } from "./protocol.ts";
import type { Provisioner } from "./tokens.ts";

export interface ScimUser {
  id: string;
  content: ScimUserContent;
  createdAt: Date;
  updatedAt: Date;
}

export async function listScimUsers(
  { db }: Deps,
  { organizationId }: Provisioner,
  query: ScimListQuery,
): Promise<ScimList<ScimUser>> {
  const filter = readFilter(query.filter, ["userName", "externalId", "id", "emails.value"] as const);
  const where = { organizationId, ...(filter && whereFilter(filter)) };
  const [total, rows] = await Promise.all([
    db.prisma.scimUser.count({ where }),
    db.prisma.scimUser.findMany({ where, orderBy: { id: "asc" }, ...toPage(query) }),
  ]);
  return { total, startIndex: Math.max(1, query.startIndex), resources: rows.map(toScimUser) };
}

function whereFilter({ attribute, value }: { attribute: string; value: string }): Prisma.ScimUserWhereInput {
  if (attribute === "id") return whereId(value);
  if (attribute === "externalId") return { externalId: value };
  return attribute === "userName" ? { userNameKey: value.toLowerCase() } : { email: value.toLowerCase() };
}

const toScimUser = (row: Prisma.ScimUserModel): ScimUser => ({
  id: row.id,
  content: {
    userName: row.userName,
    externalId: row.externalId,
    displayName: row.displayName,
    name: { formatted: row.displayName, givenName: row.givenName, familyName: row.familyName },
    emails: [{ value: row.email, primary: true, type: "work" }],
    active: row.active,
  },
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
});

/** The address of a user: the name if it is one, as with most providers, or the primary address. */
function emailOf({ userName, emails }: ScimUserContent): string {
  const primary = emails?.find((email) => email.primary)?.value ?? emails?.[0]?.value;
  const Email = z.email().max(254).toLowerCase();
  const found = [userName, primary].flatMap((text) => Email.safeParse(text).data ?? [])[0];
  if (found === undefined)
    throw new ScimError(400, "userName or emails must have an email address.", "invalidValue");
  return found;
}

const toColumns = (content: ScimUserContent) => {
  const { userName, externalId, displayName, name, active } = content;
  const parts = [name?.givenName, name?.familyName].filter((part) => part);
  return {
    userName,
    userNameKey: userName.toLowerCase(),
    email: emailOf(content),
    externalId: externalId ?? null,
    displayName: displayName || name?.formatted || parts.join(" ") || null,
    givenName: name?.givenName ?? null,
    familyName: name?.familyName ?? null,
    active,
  };
};

export async function getScimUser(
  { db }: Deps,
  { organizationId }: Provisioner,
  id: string,
): Promise<ScimUser> {
  const row = await db.prisma.scimUser.findFirst({ where: { ...whereId(id), organizationId } });
  if (!row) throw notFound();
  return toScimUser(row);
}

export async function createScimUser(
  deps: Deps,
  provisioner: Provisioner,
  content: ScimUserContent,
): Promise<ScimUser> {
  const { organizationId } = provisioner;
  return change(deps, provisioner, async (tx) => {
    const columns = toColumns(content);
    const { userNameKey } = columns;
    if (await tx.scimUser.findFirst({ where: { organizationId, userNameKey } })) {
      throw new ScimError(409, "There is a user with this userName already.", "uniqueness");
    }
    const now = deps.clock.now();
    return tx.scimUser.create({
      data: { id: newId(deps.clock), organizationId, ...columns, createdAt: now, updatedAt: now },
    });
  });
}

export const replaceScimUser = (deps: Deps, provisioner: Provisioner, id: string, content: ScimUserContent) =>
  change(deps, provisioner, (tx) => update(deps, tx, provisioner, id, () => content));

export const patchScimUser = (deps: Deps, provisioner: Provisioner, id: string, patch: ScimPatch) =>
  change(deps, provisioner, (tx) =>
    update(deps, tx, provisioner, id, (row) => patchUser(toScimUser(row).content, patch)),
  );

async function update(
  { clock }: Deps,
  tx: Tx,
  { organizationId }: Provisioner,
  id: string,
  toContent: (row: Prisma.ScimUserModel) => ScimUserContent,
): Promise<Prisma.ScimUserModel> {
  const row = await lockScimUser(tx, organizationId, id);
  const columns = toColumns(toContent(row));
  const { userNameKey, email } = columns;
  if (await tx.scimUser.findFirst({ where: { organizationId, userNameKey, id: { not: row.id } } })) {
    throw new ScimError(409, "There is another user with this userName.", "uniqueness");
  }
  // The address of an account belongs to its person: another address here stands for another account.
  const userId = email === row.email ? row.userId : null;
  if (row.userId !== null && userId === null && row.active) {
    throw new ScimError(
      400,
      "The email address of a user cannot change. Disable the user, and create another.",
      "mutability",
    );
  }
  return tx.scimUser.update({ where: { id: row.id }, data: { ...columns, userId, updatedAt: clock.now() } });
}

async function lockScimUser(tx: Tx, organizationId: string, id: string): Promise<Prisma.ScimUserModel> {
  const row = await tx.scimUser.findFirst({ where: { ...whereId(id), organizationId } });
  if (!row) throw notFound();
  await tx.$queryRaw`SELECT 1 FROM scim_users WHERE id = ${row.id}::uuid FOR UPDATE`;
  return tx.scimUser.findUniqueOrThrow({ where: { id: row.id } });
}

/** Disables the user and forgets it. The account stays: it belongs to the person. */
export async function deleteScimUser(deps: Deps, provisioner: Provisioner, id: string): Promise<void> {
  const userId = await deps.db.transaction(async (tx) => {
    const row = await lockScimUser(tx, provisioner.organizationId, id);
    await disable({ ...deps, tx }, provisioner, row);
    await tx.scimUser.delete({ where: { id: row.id } });
    return row.userId;
  });
  if (userId !== null) deps.keyCache.forgetKeysOf({ userId });
}

/** Changes a user, and then the membership, in one transaction. */
async function change(
  deps: Deps,
  provisioner: Provisioner,
  write: (tx: Tx) => Promise<Prisma.ScimUserModel>,
): Promise<ScimUser> {
  const row = await deps.db.transaction(async (tx) => {
    const written = await write(tx);
    if (written.active) return enable({ ...deps, tx }, provisioner, written);
    await disable({ ...deps, tx }, provisioner, written);
    return written;
  });
  if (row.userId !== null) deps.keyCache.forgetKeysOf({ userId: row.userId });
  return toScimUser(row);
}

type TxDeps = { tx: Tx } & Omit<Deps, "db">;

/** Makes the user a member: with the account that is linked, that of a member, or one whose address is proven. */
async function enable(
  deps: TxDeps,
  provisioner: Provisioner,
  row: Prisma.ScimUserModel,
): Promise<Prisma.ScimUserModel> {
  const { tx } = deps;
  const { organizationId } = provisioner;
  const userId = row.userId ?? (await findAccount(deps, provisioner, row));
  const key = { organizationId_userId: { organizationId, userId } };
  if (!(await tx.member.findUnique({ where: key }))) {
    await addMember(deps, { organizationId, userId }, provisioner.defaultRole);
  }
  const linked = await tx.scimUser.update({ where: { id: row.id }, data: { userId } });
  await applyGroups(deps, provisioner, linked);
  return linked;
}

/** Brings the groups of a member in line with those that the provider has put them into. */
export async function applyGroups(
  deps: { tx: Tx } & Pick<Deps, "clock">,
  { organizationId }: Provisioner,
  { id, userId, active }: Pick<Prisma.ScimUserModel, "id" | "userId" | "active">,
): Promise<void> {
  if (userId === null || !active) return;
  const groups = await deps.tx.scimGroup.findMany({ where: { members: { some: { scimUserId: id } } } });
  await setGroupsOfMember(
    deps,
    { organizationId, userId, source: "scim" },
    groups.map((group) => ({ externalId: group.id, name: group.displayName })),
  );
}

/**
 * As with single sign-on: an organization adds accounts only of addresses whose domain it has proven to own. The answer
 * for other addresses is the same whether they have an account or not.
 */
async function findAccount(
  deps: TxDeps,
  { organizationId }: Provisioner,
  { email, displayName }: Prisma.ScimUserModel,
): Promise<string> {
  const { tx } = deps;
  const member = await tx.member.findFirst({ where: { organizationId, user: { email } } });
  if (member) return member.userId;
  if (!(await ownsAddress(tx, { organizationId, email }))) {
    throw new ScimError(
      400,
      `Prove that the organization owns the domain of ${email} first, in Querybell under Settings, Sign-in.`,
      "invalidValue",
    );
  }
  const user = await tx.user.findUnique({ where: { email } });
  if (!user) {
    const name = displayName?.slice(0, 100) || email;
    return createUser(deps, { name, email, password: null, emailVerified: true });
  }
  await lockRow(tx, { table: "users", key: { id: user.id } });
  const { emailVerified } = await tx.user.findUniqueOrThrow({ where: { id: user.id } });
  // Somebody else may have registered with this address.
  if (!emailVerified) await takeOverAccount(deps, { userId: user.id, password: null });
  return user.id;
}

/** Ends the membership, its API keys and the sessions in the organization. */
async function disable(
  deps: TxDeps,
  provisioner: Provisioner,
  { userId }: Prisma.ScimUserModel,
): Promise<void> {
  if (userId === null) return;
  const { tx } = deps;
  const { organizationId } = provisioner;
  const [removed] = await tx.$queryRaw<{ role: string }[]>`
    DELETE FROM members WHERE organization_id = ${organizationId}::uuid AND user_id = ${userId}::uuid RETURNING role`;
  if (!removed) return;
  const isElsewhere = (await tx.member.count({ where: { userId } })) > 0;
  await tx.session.deleteMany({
    where: {
      userId,
      ...(isElsewhere && {
        OR: [{ activeOrganizationId: organizationId }, { onlyOrganizationId: organizationId }],
      }),
    },
  });
  await recordAudit(
    deps,
    { organizationId, userId: provisioner.userId },
    { action: "member.removed", targetId: userId, detail: { role: removed.role, by: "provisioning" } },
  );
}
