import { asService, onPool, withRights } from "@querybell/db";
import { AppError, type Caller, type JobPayload } from "@querybell/domain";
import { findActingMember } from "../access/find-acting-member.ts";
import { readRights } from "../access/rights-cache.ts";
import type { Deps } from "../deps.ts";
import { lockRow } from "../lock-row.ts";
import { itemOf, type LinkRow } from "./list-links.ts";
import { publishedRuns, readItem, takeSnapshot } from "./take-snapshot.ts";
import { writePage } from "./write-page.ts";

type Outcome = "replaced" | "unchanged" | "failed" | "not wanted any more";

/**
 * Brings the page of a link up to date with the newest results, with the rights of its owner. Does nothing if the page shows
 * them already. It reads stored results and runs nothing.
 */
export async function updatePublishedPage(
  deps: Deps,
  { linkId }: JobPayload<"update_published_page">,
): Promise<Outcome> {
  const link = await asService(() => findFollowing(deps, linkId));
  if (!link) return "not wanted any more";
  const { caller, publishedRunIds, ...row } = link;
  const { kind, id } = itemOf(row);
  try {
    const snapshot = await withRights(await readRights(onPool(deps.db), caller), async () => {
      const readAt = deps.clock.now();
      const item = await readItem(deps, caller, { kind, id });
      const runIds = publishedRuns(item).map(({ runId }) => runId);
      if (runIds.toSorted().join() === publishedRunIds) return undefined;
      return takeSnapshot(deps, caller, { kind, item, readAt });
    });
    if (!snapshot) return "unchanged";
    await deps.db.transaction(async (tx) => {
      const { organizationId } = caller;
      await lockRow(tx, { table: "public_links", key: { id: linkId }, strength: "NO KEY UPDATE" });
      const { count } = await tx.publicLink.updateMany({ where: { id: linkId }, data: { failure: null } });
      if (count === 1) await writePage(tx, { linkId, organizationId, snapshot });
    });
    return "replaced";
  } catch (error) {
    // A newer result has replaced one of these meanwhile, or the hosts are busy: the job is tried again.
    if (!(error instanceof AppError) || ["result_expired", "unavailable"].includes(error.code)) throw error;
    const failure =
      error.code === "not_found" ? "The owner of this link does not see it any more." : error.message;
    await deps.db.prisma.publicLink.updateMany({ where: { id: linkId }, data: { failure } });
    return "failed";
  }
}

type Following = Pick<LinkRow, "referenceId" | "dashboardId"> & { caller: Caller; publishedRunIds: string };

async function findFollowing({ db, clock }: Deps, linkId: string): Promise<Following | undefined> {
  const link = await db.prisma.publicLink.findFirst({
    where: {
      ...{ id: linkId, isFollowing: true, organization: { publicLinks: true } },
      OR: [{ expiresAt: null }, { expiresAt: { gt: clock.now() } }],
    },
    include: { page: { include: { charts: { select: { runId: true } } } } },
  });
  if (!link) return undefined;
  const { organizationId, ownerId: userId, referenceId, dashboardId, page } = link;
  const caller = await findActingMember({ db }, { organizationId, userId });
  if (!caller) return undefined;
  const publishedRunIds = (page?.charts ?? [])
    .map(({ runId }) => runId)
    .toSorted()
    .join();
  return { caller, referenceId, dashboardId, publishedRunIds };
}
