import type { Prisma } from "@querybell/db";
import {
  type DeletedReference,
  ParameterDefinition,
  type Reference,
  type ReferenceDetail,
  type ReferenceOfQuery,
  Visualization,
} from "@querybell/domain";

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

export const toReferenceDetail = (row: ReferenceRow): ReferenceDetail => ({
  ...toReference(row),
  ...(row.visualization !== null && { visualization: Visualization.parse(row.visualization) }),
  parameters: ParameterDefinition.array().parse(row.parameters),
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
