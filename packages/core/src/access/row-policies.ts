import type { Prisma, Tx } from "@querybell/db";
import {
  AppError,
  type Caller,
  type DatabaseOfAccess,
  GroupRoles,
  RowPolicies,
  type SetGroupRoles,
  type SetRowPolicies,
} from "@querybell/domain";
import type { Statement } from "@querybell/statements";
import { isSignificant, type Token } from "@querybell/statements/tokenizer";
import { recordAudit } from "../audit.ts";
import { getDatabaseRow } from "../databases/get-database.ts";
import type { Deps } from "../deps.ts";
import { lockRow } from "../lock-row.ts";

export async function getRowPolicies(
  { db }: Deps,
  caller: Caller,
  { databaseId }: DatabaseOfAccess,
): Promise<RowPolicies> {
  const { rowPolicies } = await getDatabaseRow(db.prisma, caller, databaseId);
  return RowPolicies.parse(rowPolicies);
}

/** Replaces the policies of a database. Saved queries that break them are refused when they run. */
export async function setRowPolicies(
  { db, clock }: Deps,
  caller: Caller,
  { databaseId: id, policies }: SetRowPolicies,
): Promise<void> {
  const { organizationId } = caller;
  await db.transaction(async (tx: Tx) => {
    await lockRow(tx, {
      table: "analytical_database_configs",
      key: { id },
      organizationId,
      strength: "NO KEY UPDATE",
    });
    await getDatabaseRow(tx, caller, id);
    const rowPolicies: Prisma.InputJsonArray = policies.map((policy) => ({ ...policy }));
    await tx.analyticalDatabaseConfig.update({ where: { id }, data: { rowPolicies } });
    await recordAudit({ tx, clock }, caller, {
      action: "row_policies.changed",
      targetId: id,
      detail: { policies: policies.map(({ table, placeholder }) => `${table}: {{${placeholder}}}`) },
    });
  });
}

/** Functions of Postgres that execute SQL, or read a table, that is given to them as a value. */
const runsSqlOfValue =
  /^(?:(?:query|table|schema|database|cursor)_to_xml\w*|dblink\w*|crosstab\w*|connectby|ts_stat|ts_rewrite|xpath_table)$/;

/** Whether a name or text is written with escapes, so that it does not show what it says. */
const isEscaped = ({ kind, text }: Token): boolean =>
  kind === "escapeString" ? text.includes("\\") : /^u&/i.test(text);

/**
 * Throws if a statement names a table of a policy without its placeholder. Strict rather than exact: a text or quoted name
 * that contains the table's name counts, and so does whatever could hide it.
 */
export function requirePolicies({ tokens, placeholders }: Statement, rowPolicies: unknown): void {
  const broken = RowPolicies.parse(rowPolicies).filter(
    ({ placeholder }) => !placeholders.includes(placeholder),
  );
  if (broken.length === 0) return;
  for (const token of tokens.filter(isSignificant)) {
    const written = token.text.toLowerCase();
    const isWord = token.kind === "word";
    const named = broken.find(({ table }) =>
      isWord ? written === table.toLowerCase() : written.includes(table.toLowerCase()),
    );
    if (named) throw policyBroken(named.table, named.placeholder);
    if (isEscaped(token) || runsSqlOfValue.test(isWord ? written : written.replaceAll('"', ""))) {
      throw hidesNames(token.text);
    }
  }
}

/** Throws if the table has a policy: its rows are read only by queries that filter them. */
export function refuseTableWithPolicy(table: string, rowPolicies: unknown): void {
  const policy = RowPolicies.parse(rowPolicies).find(
    (one) => one.table.toLowerCase() === table.toLowerCase(),
  );
  if (policy) throw policyBroken(policy.table, policy.placeholder);
}

/** Throws if the database has roles for groups: only runs have the role of their person. */
export function refuseWithRoles(groupRoles: unknown): void {
  if (GroupRoles.parse(groupRoles).length === 0) return;
  throw new AppError(
    "forbidden",
    "On this database, rows are read with the role of a group, by queries only. Write a query instead.",
  );
}

export async function getGroupRoles(
  { db }: Deps,
  caller: Caller,
  { databaseId }: DatabaseOfAccess,
): Promise<GroupRoles> {
  const { groupRoles } = await getDatabaseRow(db.prisma, caller, databaseId);
  return GroupRoles.parse(groupRoles);
}

/** Replaces the roles as which groups run queries on a Postgres. */
export async function setGroupRoles(
  { db, clock, rights }: Deps,
  caller: Caller,
  { databaseId: id, roles }: SetGroupRoles,
): Promise<void> {
  const { organizationId } = caller;
  await db.transaction(async (tx: Tx) => {
    await lockRow(tx, {
      table: "analytical_database_configs",
      key: { id },
      organizationId,
      strength: "NO KEY UPDATE",
    });
    const { engine } = await getDatabaseRow(tx, caller, id);
    if (engine !== "postgres") {
      throw new AppError("invalid_request", "Only Postgres has roles for groups. Use policies instead.");
    }
    const groups = [...new Set(roles.map(({ groupId }) => groupId))];
    if ((await tx.group.count({ where: { organizationId, id: { in: groups } } })) < groups.length) {
      throw new AppError("not_found", "There is no such group in this organization.");
    }
    const groupRoles: Prisma.InputJsonArray = roles.map((one) => ({ ...one }));
    await tx.analyticalDatabaseConfig.update({ where: { id }, data: { groupRoles } });
    // From now on, people see only runs with their own role.
    await tx.organization.update({ where: { id: organizationId }, data: { hasRowRights: true } });
    await recordAudit({ tx, clock }, caller, {
      action: "group_roles.changed",
      targetId: id,
      detail: { roles: roles.map(({ groupId, role }) => `group ${groupId}: ${role}`) },
    });
  });
  rights.forget(caller);
}

const hidesNames = (text: string) =>
  new AppError(
    "forbidden",
    `Some tables of this database are read only by queries with values of their reader, and ${text} could hide such a table. Write it without, or ask an admin.`,
  );

const policyBroken = (table: string, placeholder: string) =>
  new AppError(
    "forbidden",
    `Rows of ${table} are read only by queries with {{${placeholder}}}. Filter by it, or ask an admin.`,
  );
