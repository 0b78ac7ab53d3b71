import type { Caller, ReferenceDetail, ReferenceShortId } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { permalinkNotFound } from "../organizations/permalink-not-found.ts";
import { referenceNotFound, whereReference } from "./lock-reference.ts";
import { toReferenceDetail } from "./reference-row.ts";

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
  if (!row) throw await toNotFoundError({ db }, caller, named);
  return toReferenceDetail(row);
}

async function toNotFoundError({ db }: Pick<Deps, "db">, caller: Caller, { shortId }: ReferenceShortId) {
  const elsewhere = await db.prisma.queryReference.findFirst({ where: { shortId, deletedAt: null } });
  return permalinkNotFound({ db }, caller, {
    organizationId: elsewhere?.organizationId,
    otherwise: referenceNotFound(),
  });
}
