import type { Prisma, Tx } from "@querybell/db";
import {
  AppError,
  type Caller,
  type DeletedReference,
  isSystemName,
  ParameterDefinition,
  type Reference,
  type ReferenceDetail,
  type ReferenceOfQuery,
  type ReferenceShortId,
  Visualization,
} from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { lockRow } from "../lock-row.ts";
import { permalinkNotFound } from "../organizations/permalinks.ts";

/** Gets the reference of a permalink. */
export async function getReference(
  { db }: Deps,
  caller: Caller,
  named: ReferenceShortId,
): Promise<ReferenceDetail> {
  const row = await db.prisma.queryReference.findFirst({
    where: whereReference(caller, named),
    include: { query: true },
  });
  if (row) return toReferenceDetail(row);
  const { shortId } = named;
  throw await permalinkNotFound({ db }, caller, {
    kind: "reference",
    shortId,
    otherwise: referenceNotFound(),
  });
}

export const referenceNotFound = () =>
  new AppError("not_found", "There is no reference with this short id. It may have been deleted.");

/** The condition that finds a reference: not deleted and, if `isOptimistic` is given, of that kind. */
const whereReference = ({ organizationId }: Caller, { shortId, isOptimistic }: ReferenceShortId) => ({
  shortId,
  organizationId,
  deletedAt: null,
  ...(isOptimistic !== undefined && { queryId: isOptimistic ? null : { not: null } }),
});

/** Gets the reference with its query and locks it until the transaction ends. */
export async function lockReference(tx: Tx, caller: Caller, named: ReferenceShortId): Promise<ReferenceRow> {
  const { organizationId } = caller;
  await lockRow(tx, { table: "query_references", key: { shortId: named.shortId }, organizationId });
  const row = await tx.queryReference.findFirst({
    where: whereReference(caller, named),
    include: { query: true },
  });
  if (!row) throw referenceNotFound();
  return row;
}

type ListedRow = Omit<Prisma.QueryReferenceModel, "parameters" | "visualization">;

interface WithQuery {
  query: Prisma.QueryModel | null;
}

export type ReferenceRow = Prisma.QueryReferenceModel & WithQuery;

export const toReferenceOfQuery = (row: ListedRow): ReferenceOfQuery => ({
  id: row.id,
  shortId: row.shortId,
  title: row.title,
  description: row.description,
  createdBy: row.createdBy,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
});

export const toReference = ({ query, ...row }: ListedRow & WithQuery): Reference => ({
  ...toReferenceOfQuery(row),
  isOptimistic: query === null,
  currentQuery: query && { id: query.id, sql: query.sql },
});

const toReferenceDetail = (row: ReferenceRow): ReferenceDetail => ({
  ...toReference(row),
  ...(row.visualization !== null && { visualization: Visualization.parse(row.visualization) }),
  // An older definition may have a name that is now filled in with who runs the query.
  parameters: ParameterDefinition.array()
    .parse(row.parameters)
    .filter(({ name }) => !isSystemName(name)),
});

export const toDeletedReference = (
  { id, shortId, title, description, queryId, ...row }: Prisma.QueryReferenceModel,
  deletedAt: Date,
): DeletedReference => ({
  id,
  shortId,
  title,
  description,
  queryId,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
  deletedAt: deletedAt.toISOString(),
});
