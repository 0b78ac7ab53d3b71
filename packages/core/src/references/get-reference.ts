import type { Caller, ReferenceDetail, ReferenceShortId } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { referenceNotFound, whereReference } from "./lock-reference.ts";
import { toReferenceDetail } from "./reference-row.ts";

/** What a permalink opens. */
export async function getReference(
  { db }: Deps,
  caller: Caller,
  named: ReferenceShortId,
): Promise<ReferenceDetail> {
  const row = await db.prisma.queryReference.findFirst({
    where: whereReference(caller, named),
    include: { query: true },
  });
  if (!row) throw referenceNotFound();
  return toReferenceDetail(row);
}
