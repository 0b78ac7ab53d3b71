import type { Prisma } from "@querybell/db";
import { DeletedReference, Reference, ReferenceDetail } from "@querybell/domain";

export interface ReferenceRow extends Prisma.QueryReferenceModel {
  query: Prisma.QueryModel | null;
}

const base = <Row extends Omit<ReferenceRow, "parameters" | "visualization">>(row: Row) => ({
  ...row,
  isOptimistic: row.query === null,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
  currentQuery: row.query,
});

export const toReference = (row: Omit<ReferenceRow, "parameters" | "visualization">): Reference =>
  Reference.parse(base(row));

export const toReferenceDetail = (row: ReferenceRow): ReferenceDetail => {
  const { visualization, ...rest } = base(row);
  return ReferenceDetail.parse(visualization === null ? rest : { ...rest, visualization });
};

export const toDeletedReference = (row: Prisma.QueryReferenceModel): DeletedReference =>
  DeletedReference.parse({
    ...row,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    deletedAt: row.deletedAt?.toISOString(),
  });
