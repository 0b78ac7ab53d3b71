import { asService, onPool, withRights } from "@querybell/db";
import { AppError, type JobPayload } from "@querybell/domain";
import { textsOfPages } from "@querybell/public-pages";
import { readRights } from "../access/rights-cache.ts";
import type { Deps } from "../deps.ts";
import { lockRow } from "../lock-row.ts";
import { type FollowingLink, findFollowing } from "./find-following.ts";
import { publishedRuns, readItem } from "./item-to-publish.ts";
import { type Snapshot, takeSnapshot } from "./take-snapshot.ts";
import { writePage } from "./write-page.ts";

type Outcome = "replaced" | "unchanged" | "failed" | "not wanted any more";

/**
 * Brings the pages of a link up to date with the newest results, with the rights of its owner. Does nothing to a page that shows
 * them already. It reads stored results and runs nothing.
 */
export async function updatePublishedPage(
  deps: Deps,
  { linkId }: JobPayload<"update_published_page">,
): Promise<Outcome> {
  const link = await asService(() => findFollowing(deps, linkId));
  if (!link) return "not wanted any more";
  const pages = textsOfPages(link.choices);
  let replaced = 0;
  let failure: string | undefined;
  for (const number of pages.keys()) {
    try {
      if (await updatePage(deps, link, number)) replaced++;
    } catch (error) {
      failure ??= toFailure(error);
    }
  }
  if (failure !== undefined) {
    await deps.db.prisma.publicLink.updateMany({ where: { id: linkId }, data: { failure } });
    return "failed";
  }
  if (replaced === 0) return "unchanged";
  // A page that is still missing may be why there is a failure.
  if ((await deps.db.prisma.publishedPage.count({ where: { linkId } })) === pages.length) {
    await deps.db.prisma.publicLink.updateMany({ where: { id: linkId }, data: { failure: null } });
  }
  return "replaced";
}

/** What the list of links says. Rethrows what is tried again: a newer result has replaced one of these, or the hosts are busy. */
export function toFailure(error: unknown): string {
  if (!(error instanceof AppError) || ["result_expired", "unavailable"].includes(error.code)) throw error;
  return error.code === "not_found" ? "The owner of this link does not see it any more." : error.message;
}

/** Whether there were newer results. A page stays as it is when there are none for its values any more. */
async function updatePage(deps: Deps, link: FollowingLink, number: number): Promise<boolean> {
  const { id: linkId, item, choices, caller, runIds } = link;
  const pages = textsOfPages(choices);
  const page = { choices, texts: pages[number] ?? {} };
  const snapshot = await withRights(
    await readRights(onPool(deps.db), caller),
    async (): Promise<Snapshot | undefined> => {
      const readAt = deps.clock.now();
      const found = await readItem(deps, caller, { item, page });
      const foundIds = publishedRuns(found).map(({ runId }) => runId);
      if (foundIds.length === 0 || isSame(foundIds, runIds.get(number))) return undefined;
      return takeSnapshot(deps, caller, {
        ...{ kind: item.kind, item: found, readAt, hasPreview: number === 0, pages: pages.length },
      });
    },
  );
  if (!snapshot) return false;
  const { organizationId } = caller;
  await deps.db.transaction(async (tx) => {
    await lockRow(tx, { table: "public_links", key: { id: linkId }, strength: "NO KEY UPDATE" });
    await writePage(tx, { linkId, organizationId, number, choices, snapshot });
  });
  return true;
}

const isSame = (found: readonly string[], published: readonly string[] | undefined): boolean =>
  published !== undefined && found.toSorted().join() === published.toSorted().join();
