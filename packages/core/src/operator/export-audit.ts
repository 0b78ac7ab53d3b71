import type { AuditEntry } from "@querybell/domain";
import { exportAudit, getOperatorActor } from "../audit.ts";
import type { Deps } from "../deps.ts";

interface ExportedBatch {
  slug: string;
  entries: AuditEntry[];
}

interface Choice {
  /** Absent: all organizations. */
  slug?: string | undefined;
  /** Absent: everything that is kept. */
  since?: string | undefined;
}

/** The entries of one or all organizations, one organization after the other. Each log gets an entry about it first. */
export async function* exportAuditAsOperator(
  deps: Pick<Deps, "db" | "clock">,
  { slug, since }: Choice,
): AsyncGenerator<ExportedBatch> {
  if (slug !== undefined) await getOperatorActor(deps.db.prisma, slug);
  const organizations = await deps.db.prisma.organization.findMany({
    where: { ...(slug !== undefined && { slug }) },
    select: { id: true, slug: true },
    orderBy: { id: "asc" },
  });
  for (const { id, slug } of organizations) {
    const operator = { organizationId: id, userId: null };
    for await (const entries of exportAudit(deps, operator, { format: "jsonl", from: since })) {
      yield { slug, entries };
    }
  }
}
