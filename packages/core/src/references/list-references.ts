import type { Caller, ListPage, Page, Reference } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { readPage } from "../paging/read-page.ts";
import { toReference } from "./reference-row.ts";

export async function listReferences(
  { db }: Deps,
  { organizationId }: Caller,
  input: ListPage,
): Promise<Page<Reference>> {
  const page = await readPage(input, ({ where, ...order }) =>
    db.prisma.queryReference.findMany({
      where: { organizationId, deletedAt: null, ...where },
      include: { query: true },
      ...order,
    }),
  );
  return { ...page, items: page.items.map(toReference) };
}
