import { Prisma, type Tx } from "@querybell/db";
import {
  AppError,
  type AttachReference,
  type Caller,
  type Clock,
  type CreateOptimisticReference,
  type CreateReference,
  type DeletedReference,
  defaultTitle,
  newId,
  ParameterDefinition,
  parseJsxConfig,
  type Reference,
  type ReferenceShortId,
  type UpdateReference,
} from "@querybell/domain";
import { engineOf } from "@querybell/engines";
import {
  checkPlaceholders,
  parseDefaultValue,
  parseStatement,
  refuseSystemDefinitions,
} from "@querybell/statements";
import { type Actor, recordAudit } from "../audit.ts";
import type { Deps } from "../deps.ts";
import { newShortId } from "../organizations/permalinks.ts";
import { lockQuery } from "../queries/get-query.ts";
import { readOwnDefinitions } from "../queries/parameters.ts";
import { definesParameters, maxDefiningReferences } from "../runs/prepare-run.ts";
import { lockReference, type ReferenceRow, toDeletedReference, toReference } from "./get-reference.ts";

export async function createReference(
  deps: Deps,
  caller: Caller,
  { queryId, ...content }: CreateReference,
): Promise<Reference> {
  return deps.db.transaction(async (tx) => {
    const query = await lockQuery(tx, caller, queryId);
    return toReference(await insertReference({ ...deps, tx }, caller, { query, ...content }));
  });
}

/** Creates a reference whose query does not exist yet. The query is attached later. */
export async function createOptimisticReference(
  deps: Deps,
  caller: Caller,
  content: CreateOptimisticReference,
): Promise<Reference> {
  return deps.db.transaction(async (tx) =>
    toReference(await insertReference({ ...deps, tx }, caller, { query: null, ...content })),
  );
}

export async function insertReference(
  { tx, clock }: { tx: Tx } & Pick<Deps, "clock">,
  creator: Actor & { userId: string },
  { query, ...content }: { query: Prisma.QueryModel | null } & CreateOptimisticReference,
): Promise<ReferenceRow> {
  const { organizationId, userId } = creator;
  checkContent(content, clock);
  if (query) await checkAgainstQuery(tx, query, content);
  const now = clock.now();
  const row = await tx.queryReference.create({
    data: {
      id: newId(clock),
      organizationId,
      shortId: newShortId(),
      queryId: query?.id ?? null,
      title: defaultTitle,
      ...contentColumns(content),
      createdBy: userId,
      createdAt: now,
      updatedAt: now,
    },
  });
  await recordAudit({ tx, clock }, creator, { action: "reference.created", ...toTarget(row) });
  return { ...row, query };
}

export async function updateReference(
  { db, clock }: Deps,
  caller: Caller,
  { shortId, isOptimistic, basedOn, ...content }: UpdateReference,
): Promise<Reference> {
  checkContent(content, clock);
  return db.transaction(async (tx) => {
    const before = await lockReference(tx, caller, { shortId, isOptimistic });
    const { id, query } = before;
    if (basedOn !== undefined && new Date(basedOn).getTime() !== before.updatedAt.getTime()) {
      throw referenceChanged(before.updatedAt);
    }
    if (query) await checkAgainstQuery(tx, query, { ...content, before: before.parameters });
    // Later than before, also within a millisecond, so that it tells two states apart.
    const updatedAt = new Date(Math.max(clock.now().getTime(), before.updatedAt.getTime() + 1));
    const row = await tx.queryReference.update({
      where: { id },
      data: { ...contentColumns(content), updatedAt },
    });
    const changed = Object.keys(contentColumns(content));
    await recordAudit({ tx, clock }, caller, { action: "reference.changed", ...toTarget(row, { changed }) });
    return toReference({ ...row, query });
  });
}

const referenceChanged = (at: Date) =>
  new AppError(
    "reference_changed",
    `The reference was changed at ${at.toISOString()}, after you read it. Read it again, and make your change to that.`,
  );

/** Links an optimistic reference to its query. An existing link is never changed. */
export async function attachReference(
  { db, clock }: Deps,
  caller: Caller,
  { shortId, queryId }: AttachReference,
): Promise<Reference> {
  return db.transaction(async (tx) => {
    // Every transaction locks the query before the reference, which prevents deadlocks.
    const query = await lockQuery(tx, caller, queryId);
    const before = await lockReference(tx, caller, { shortId });
    if (before.query) {
      throw new AppError("conflict", "This reference has its query. Create another reference instead.");
    }
    await checkAgainstQuery(tx, query, { parameters: ParameterDefinition.array().parse(before.parameters) });
    const row = await tx.queryReference.update({
      where: { id: before.id },
      data: { queryId, updatedAt: clock.now() },
    });
    const changed = ["queryId"];
    await recordAudit({ tx, clock }, caller, { action: "reference.changed", ...toTarget(row, { changed }) });
    return toReference({ ...row, query });
  });
}

/** Soft delete: the query and its history remain, and the short id is never reused. */
export async function deleteReference(
  { db, clock }: Deps,
  caller: Caller,
  named: ReferenceShortId,
): Promise<DeletedReference> {
  return db.transaction(async (tx) => {
    const { id } = await lockReference(tx, caller, named);
    const deletedAt = clock.now();
    const row = await tx.queryReference.update({ where: { id }, data: { deletedAt } });
    await recordAudit({ tx, clock }, caller, { action: "reference.deleted", ...toTarget(row) });
    return toDeletedReference(row, deletedAt);
  });
}

/** What the audit log says about a reference. */
const toTarget = (
  { id, title, shortId, queryId }: Prisma.QueryReferenceModel,
  more: { changed?: string[] } = {},
) => ({ targetId: id, detail: { title, shortId, queryId, ...more } });

type Content = CreateOptimisticReference;

/** Throws if the visualization contains code, or if a default does not match its type. */
function checkContent({ visualization, parameters = [] }: Content, clock: Clock): void {
  if (visualization) parseJsxConfig(visualization.jsxConfig);
  refuseSystemDefinitions(parameters);
  for (const { defaultValue, ...context } of parameters) {
    if (defaultValue !== undefined) parseDefaultValue({ ...context, clock }, defaultValue);
  }
}

/**
 * Throws if neither the reference nor its query defines a placeholder, or if a list is defined for a placeholder inside a
 * string. `before` are the current definitions of the reference.
 */
async function checkAgainstQuery(
  tx: Tx,
  query: Prisma.QueryModel,
  { parameters = [], before }: Content & { before?: Prisma.JsonValue },
): Promise<void> {
  if (parameters.length === 0) return;
  if (!Array.isArray(before) || before.length === 0) await refuseTooManyDefining(tx, query.id);
  const id = query.analyticalDatabaseConfigId;
  const database = await tx.analyticalDatabaseConfig.findUniqueOrThrow({ where: { id } });
  const statement = parseStatement(query.sql, engineOf(database.engine).dialect);
  const own = new Set(parameters.map(({ name }) => name));
  const others = statement.placeholders.filter((name) => !own.has(name));
  const ofQuery = others.length === 0 ? [] : await readOwnDefinitions(tx, query.id);
  checkPlaceholders(statement, [...parameters, ...ofQuery.filter(({ name }) => !own.has(name))]);
}

/** The columns of the given fields. Absent fields stay absent. */
const contentColumns = ({ title, description, visualization, parameters }: Content) => ({
  ...(title !== undefined && { title }),
  ...(description !== undefined && { description }),
  ...(visualization !== undefined && { visualization: visualization ?? Prisma.DbNull }),
  ...(parameters && { parameters }),
});

/**
 * Throws if the query has the maximum number of defining references. Concurrent calls can exceed it; a run then ignores
 * the newest ones.
 */
export async function refuseTooManyDefining(tx: Tx, queryId: string): Promise<void> {
  const rows = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM query_references
    WHERE query_id = ${queryId}::uuid AND deleted_at IS NULL AND ${definesParameters}
    LIMIT ${maxDefiningReferences}`;
  if (rows.length < maxDefiningReferences) return;
  throw new AppError(
    "conflict",
    `This query has ${maxDefiningReferences} references with parameters, and cannot have more. Delete one, or leave the parameters out: the other references define them for this one too.`,
  );
}
