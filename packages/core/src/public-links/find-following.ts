import type { Caller, PublicLinkItem } from "@querybell/domain";
import { StoredChoices } from "@querybell/public-pages";
import { findActingMember } from "../access/find-acting-member.ts";
import type { Deps } from "../deps.ts";
import { itemOf } from "./list-links.ts";

export interface FollowingLink {
  id: string;
  item: PublicLinkItem;
  choices: StoredChoices;
  /** Its owner, with whose rights its pages are made. */
  caller: Caller;
  /** By the number of the page: the runs whose results it shows. */
  runIds: ReadonlyMap<number, readonly string[]>;
}

/** A link that follows newer results. Undefined if it does not, or if nobody can open it now. */
export async function findFollowing(
  { db, clock }: Pick<Deps, "db" | "clock">,
  id: string,
): Promise<FollowingLink | undefined> {
  const link = await db.prisma.publicLink.findFirst({
    where: {
      ...{ id, isFollowing: true, organization: { publicLinks: true } },
      OR: [{ expiresAt: null }, { expiresAt: { gt: clock.now() } }],
    },
    include: { pages: { select: { number: true, charts: { select: { runId: true } } } } },
  });
  if (!link) return undefined;
  const { organizationId, ownerId: userId, choices, pages } = link;
  const caller = await findActingMember({ db }, { organizationId, userId });
  if (!caller) return undefined;
  return {
    ...{ id, item: itemOf(link), choices: StoredChoices.parse(choices), caller },
    runIds: new Map(pages.map(({ number, charts }) => [number, charts.map(({ runId }) => runId)])),
  };
}
