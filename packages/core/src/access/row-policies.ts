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
import { type AuditRecord, recordAudit } from "../audit.ts";
import { getDatabaseRow } from "../databases/get-database.ts";
import type { Deps } from "../deps.ts";
import { lockRow } from "../lock-row.ts";
import { turnOnRowRights } from "./row-rights.ts";

export async function getRowPolicies(
  { db }: Deps,
  caller: Caller,
  { databaseId }: DatabaseOfAccess,
): Promise<RowPolicies> {
  const { rowPolicies } = await getDatabaseRow(db.prisma, caller, databaseId);
  return RowPolicies.parse(rowPolicies);
}

export async function getGroupRoles(
  { db }: Deps,
  caller: Caller,
  { databaseId }: DatabaseOfAccess,
): Promise<GroupRoles> {
  const { groupRoles } = await getDatabaseRow(db.prisma, caller, databaseId);
  return GroupRoles.parse(groupRoles);
}

/** Replaces the policies of a database. Saved queries that break them are refused when they run. */
export const setRowPolicies = (
  deps: Deps,
  caller: Caller,
  { databaseId, policies }: SetRowPolicies,
): Promise<void> =>
  changeRowRights(deps, caller, {
    databaseId,
    data: { rowPolicies: policies.map((policy) => ({ ...policy })) },
    entry: {
      action: "row_policies.changed",
      detail: { policies: policies.map(({ table, placeholder }) => `${table}: {{${placeholder}}}`) },
    },
  });

/** Replaces the roles as which groups run queries on a Postgres. */
export const setGroupRoles = (
  deps: Deps,
  caller: Caller,
  { databaseId, roles }: SetGroupRoles,
): Promise<void> =>
  changeRowRights(deps, caller, {
    databaseId,
    async check(tx, { engine }) {
      if (engine !== "postgres") {
        throw new AppError("invalid_request", "Only Postgres has roles for groups. Use policies instead.");
      }
      const ids = [...new Set(roles.map(({ groupId }) => groupId))];
      const { organizationId } = caller;
      if ((await tx.group.count({ where: { organizationId, id: { in: ids } } })) < ids.length) {
        throw new AppError("not_found", "There is no such group in this organization.");
      }
    },
    data: { groupRoles: roles.map((one) => ({ ...one })) },
    entry: {
      action: "group_roles.changed",
      detail: { roles: roles.map(({ groupId, role }) => `group ${groupId}: ${role}`) },
    },
  });

interface RowRightsChange {
  databaseId: string;
  /** Throws if the database cannot have them. */
  check?: (tx: Tx, database: Prisma.AnalyticalDatabaseConfigModel) => Promise<void>;
  data: { rowPolicies: Prisma.InputJsonArray } | { groupRoles: Prisma.InputJsonArray };
  entry: Pick<AuditRecord, "action" | "detail">;
}

/** From now on, people see only runs with their own values and role, and no result from before. */
async function changeRowRights(
  { db, clock, rights }: Deps,
  caller: Caller,
  { databaseId: id, check, data, entry }: RowRightsChange,
): Promise<void> {
  const { organizationId } = caller;
  await db.transaction(async (tx) => {
    await lockRow(tx, {
      table: "analytical_database_configs",
      key: { id },
      organizationId,
      strength: "NO KEY UPDATE",
    });
    const database = await getDatabaseRow(tx, caller, id);
    await check?.(tx, database);
    await tx.analyticalDatabaseConfig.update({
      where: { id },
      data: { ...data, rowRightsVersion: { increment: 1 } },
    });
    await turnOnRowRights(tx, caller);
    await recordAudit({ tx, clock }, caller, { targetId: id, ...entry });
  });
  rights.forget(caller);
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
