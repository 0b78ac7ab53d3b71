import type { Prisma, Tx } from "@querybell/db";
import {
  type Caller,
  type CreateOptimisticReference,
  type CreateReference,
  defaultTitle,
  newId,
  type Reference,
} from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { lockQuery } from "../queries/lock-query.ts";
import { checkAgainstQuery, checkContent, contentColumns } from "./check-content.ts";
import { type ReferenceRow, toReference } from "./reference-row.ts";
import { newShortId } from "./short-id.ts";

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
  { organizationId, userId }: Pick<Caller, "organizationId" | "userId">,
  { query, ...content }: { query: Prisma.QueryModel | null } & CreateOptimisticReference,
): Promise<ReferenceRow> {
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
  return { ...row, query };
}
