import { Prisma, type Tx } from "@querybell/db";
import {
  AppError,
  type Caller,
  type Draft,
  type DraftId,
  DraftParameters,
  type FindDraft,
  type ListedDraft,
  maxDrafts,
  type RunStatus,
} from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { lockRow } from "../lock-row.ts";
import { getQueryRow } from "../queries/get-query.ts";

/** Whose drafts: those of one person in one organization. Nobody else sees them, not even an admin. */
export type Author = Pick<Caller, "organizationId" | "userId">;

export const draftNotFound = () =>
  new AppError(
    "not_found",
    "There is no such draft of yours. It was saved or deleted, or was not used for 30 days.",
  );

export const draftChanged = (revision: number) =>
  new AppError(
    "draft_changed",
    `The draft was changed in another window or on another device: it is at revision ${revision} now. Read it, and choose which text to keep.`,
  );

interface DraftRow {
  id: string;
  queryId: string | null;
  queryVersion: number | null;
  analyticalDatabaseConfigId: string;
  sql: string;
  name: string | null;
  parameters: unknown;
  revision: number;
  updatedAt: Date;
  expiresAt: Date;
  /** Null without a trial. */
  runId: string | null;
  runStatus: RunStatus;
  /** Whether it ran the text that the draft has now. */
  isSameText: boolean;
  runTypes: Record<string, string>;
}

/** Reads a draft of the caller, by its id or by the query that it changes. */
export async function readDraft(
  tx: Pick<Tx, "$queryRaw">,
  { organizationId, userId }: Author,
  by: { id: string } | { queryId: string },
): Promise<Draft | undefined> {
  const isWanted =
    "id" in by ? Prisma.sql`d.id = ${by.id}::uuid` : Prisma.sql`d.query_id = ${by.queryId}::uuid`;
  const [row] = await tx.$queryRaw<DraftRow[]>`
    SELECT d.id, q.id AS "queryId", CASE WHEN q.id IS NOT NULL THEN d.query_version END AS "queryVersion",
      d.analytical_database_config_id AS "analyticalDatabaseConfigId", d.sql, d.name, d.parameters, d.revision,
      d.updated_at AS "updatedAt", d.expires_at AS "expiresAt",
      run.id AS "runId", run.status::text AS "runStatus", run.parameter_types AS "runTypes",
      trial.sql = d.sql AND trial.analytical_database_config_id = d.analytical_database_config_id AS "isSameText"
    FROM query_drafts d
      LEFT JOIN queries q ON q.id = d.query_id AND q.deleted_at IS NULL
      LEFT JOIN LATERAL (
        SELECT id, sql, analytical_database_config_id FROM queries
        WHERE draft_id = d.id ORDER BY created_at DESC, id DESC LIMIT 1) AS trial ON true
      LEFT JOIN LATERAL (
        SELECT id, status, parameter_types FROM query_runs
        WHERE query_id = trial.id ORDER BY created_at DESC, id DESC LIMIT 1) AS run ON true
    WHERE ${isWanted} AND d.user_id = ${userId}::uuid AND d.organization_id = ${organizationId}::uuid
      AND d.deleted_at IS NULL`;
  return row && toDraft(row);
}

function toDraft(row: DraftRow): Draft {
  const parameters = DraftParameters.nullable().parse(row.parameters);
  return {
    id: row.id,
    queryId: row.queryId,
    queryVersion: row.queryVersion,
    analyticalDatabaseConfigId: row.analyticalDatabaseConfigId,
    sql: row.sql,
    name: row.name,
    parameters,
    revision: row.revision,
    updatedAt: row.updatedAt.toISOString(),
    expiresAt: row.expiresAt.toISOString(),
    trial:
      row.runId === null
        ? null
        : {
            runId: row.runId,
            status: row.runStatus,
            isCurrent: row.isSameText && hasTypes(parameters, row.runTypes),
          },
  };
}

/** Whether the draft does not define another type for a parameter than its trial had. */
const hasTypes = (parameters: DraftParameters | null, types: Readonly<Record<string, string>>): boolean =>
  parameters?.definitions.every(({ name, type }) => !Object.hasOwn(types, name) || types[name] === type) ??
  true;

export async function getDraft({ db }: Pick<Deps, "db">, caller: Author, { id }: DraftId): Promise<Draft> {
  const draft = await readDraft(db.prisma, caller, { id });
  if (!draft) throw draftNotFound();
  return draft;
}

/** The caller's draft of a saved query; null if there is none. */
export async function findDraft(
  { db }: Pick<Deps, "db">,
  caller: Author,
  { queryId }: FindDraft,
): Promise<Draft | null> {
  await getQueryRow(db.prisma, caller, queryId);
  return (await readDraft(db.prisma, caller, { queryId })) ?? null;
}

/** The caller's draft, locked until the transaction ends. Throws if it has another revision. */
export async function lockDraft(
  tx: Tx,
  caller: Author,
  { id, revision }: { id: string; revision?: number },
): Promise<Draft> {
  await lockRow(tx, { table: "query_drafts", key: { id }, organizationId: caller.organizationId });
  const draft = await readDraft(tx, caller, { id });
  if (!draft) throw draftNotFound();
  if (revision !== undefined && revision !== draft.revision) throw draftChanged(draft.revision);
  return draft;
}

const shownCharacters = 300;

interface ListedRow extends Omit<ListedDraft, "updatedAt" | "expiresAt"> {
  updatedAt: Date;
  expiresAt: Date;
}

/** Lists the caller's drafts, the last changed one first. */
export async function listDrafts(
  { db }: Pick<Deps, "db">,
  { organizationId, userId }: Author,
): Promise<ListedDraft[]> {
  const rows = await db.prisma.$queryRaw<ListedRow[]>`
    SELECT d.id, q.id AS "queryId", q.name AS "queryName", d.name,
      d.analytical_database_config_id AS "analyticalDatabaseConfigId", left(d.sql, ${shownCharacters}) AS "sqlStart",
      d.updated_at AS "updatedAt", d.expires_at AS "expiresAt"
    FROM query_drafts d LEFT JOIN queries q ON q.id = d.query_id AND q.deleted_at IS NULL
    WHERE d.user_id = ${userId}::uuid AND d.organization_id = ${organizationId}::uuid AND d.deleted_at IS NULL
    ORDER BY d.updated_at DESC LIMIT ${maxDrafts}`;
  return rows.map((row) => ({
    ...row,
    updatedAt: row.updatedAt.toISOString(),
    expiresAt: row.expiresAt.toISOString(),
  }));
}
