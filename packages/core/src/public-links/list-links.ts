import {
  AppError,
  type Caller,
  countPages,
  maxPublicLinks,
  type PublicLink,
  type PublicLinkItem,
  type PublicLinkList,
  type PublicLinksOfItem,
} from "@querybell/domain";
import { StoredChoices } from "@querybell/public-pages";
import type { Deps } from "../deps.ts";
import { readFilteredItem } from "./item-to-publish.ts";

/** All links of the organization, for its admins. */
export const listPublicLinks = (deps: Deps, caller: Caller): Promise<PublicLinkList> =>
  readList(deps, caller, null);

/** The links of one item, and what it has to choose. Throws if the caller does not see it. */
export async function listPublicLinksOf(
  deps: Deps,
  caller: Caller,
  item: PublicLinkItem,
): Promise<PublicLinksOfItem> {
  const { definitions, choices, ranges } = (await readFilteredItem(deps, caller, item)).content.filters;
  return { ...(await readList(deps, caller, item)), inputs: { definitions, choices, ranges } };
}

async function readList(deps: Deps, caller: Caller, item: PublicLinkItem | null): Promise<PublicLinkList> {
  const { publicLinks } = await deps.db.prisma.organization.findUniqueOrThrow({
    where: { id: caller.organizationId },
    select: { publicLinks: true },
  });
  const rows = await readRows(deps, caller, { item });
  return {
    isServed: deps.deployment.publicPagesUrl !== null,
    isAllowed: publicLinks,
    links: rows.map((row) => toPublicLink(deps, row)),
  };
}

export interface LinkRow {
  id: string;
  referenceId: string | null;
  dashboardId: string | null;
  title: string;
  shortId: string | null;
  isAllowed: boolean;
  hasOwner: boolean;
  hasPassword: boolean;
  expiresAt: Date | null;
  isFollowing: boolean;
  choices: unknown;
  createdBy: string;
  createdAt: Date;
  ownerId: string;
  publishedAt: Date | null;
  pagesMade: number;
  failure: string | null;
  /** A bigint, as text. */
  views: string;
  lastViewAt: Date | null;
}

/** Gets a link of an item that the caller sees. */
export async function getLinkRow(deps: Pick<Deps, "db">, caller: Caller, id: string): Promise<LinkRow> {
  const [row] = await readRows(deps, caller, { item: null, id });
  if (!row) throw linkNotFound();
  return row;
}

export const linkNotFound = () =>
  new AppError("not_found", "There is no such public link in this organization. It may have been revoked.");

/** With the rights of the caller: links of items that they do not see, and of deleted ones, are left out. */
async function readRows(
  { db }: Pick<Deps, "db">,
  { organizationId }: Pick<Caller, "organizationId">,
  { item, id }: { item: PublicLinkItem | null; id?: string },
): Promise<LinkRow[]> {
  const { rows } = await db.pool.query<LinkRow>({
    name: "read_public_links",
    text: `
      SELECT l.id, l.reference_id AS "referenceId", l.dashboard_id AS "dashboardId", coalesce(r.title, d.title) AS title,
        r.short_id AS "shortId", o.public_links AS "isAllowed",
        coalesce(m.role <> 'viewer' AND u.disabled_at IS NULL, false) AS "hasOwner",
        l.password_hash IS NOT NULL AS "hasPassword", l.expires_at AS "expiresAt", l.is_following AS "isFollowing",
        l.choices, l.created_by AS "createdBy", l.created_at AS "createdAt", l.owner_id AS "ownerId",
        p.read_at AS "publishedAt", p.count AS "pagesMade", l.failure, l.views, l.last_view_at AS "lastViewAt"
      FROM public_links l JOIN organizations o ON o.id = l.organization_id
        JOIN users u ON u.id = l.owner_id
        LEFT JOIN members m ON m.organization_id = l.organization_id AND m.user_id = l.owner_id
        LEFT JOIN query_references r ON r.id = l.reference_id AND r.deleted_at IS NULL
        LEFT JOIN dashboards d ON d.id = l.dashboard_id AND d.deleted_at IS NULL
        CROSS JOIN LATERAL (
          SELECT max(read_at) AS read_at, count(*)::int FROM published_pages WHERE link_id = l.id) p
      WHERE l.organization_id = $1 AND ($2::uuid IS NULL OR l.id = $2)
        AND ($3::uuid IS NULL OR l.reference_id = $3) AND ($4::uuid IS NULL OR l.dashboard_id = $4)
        AND (r.id IS NOT NULL OR d.id IS NOT NULL)
      ORDER BY l.created_at DESC, l.id DESC LIMIT ${maxPublicLinks}`,
    values: [
      organizationId,
      id ?? null,
      item?.kind === "reference" ? item.id : null,
      item?.kind === "dashboard" ? item.id : null,
    ],
  });
  return rows;
}

export const itemOf = ({
  referenceId,
  dashboardId,
}: Pick<LinkRow, "referenceId" | "dashboardId">): PublicLinkItem =>
  referenceId === null
    ? { kind: "dashboard", id: dashboardId ?? "" }
    : { kind: "reference", id: referenceId };

function stateOf({ clock, deployment }: Deps, row: LinkRow): PublicLink["state"] {
  if (row.expiresAt !== null && row.expiresAt <= clock.now()) return "expired";
  if (!row.isAllowed || deployment.publicPagesUrl === null) return "not_allowed";
  if (!row.hasOwner) return "owner_left";
  return row.publishedAt === null ? "no_page" : "open";
}

function toPages({ choices: stored, pagesMade }: LinkRow) {
  const choices = StoredChoices.parse(stored);
  return { choices, pagesTotal: countPages(choices), pagesMade };
}

export const toPublicLink = (deps: Deps, row: LinkRow): PublicLink => ({
  id: row.id,
  item: { ...itemOf(row), title: row.title, shortId: row.shortId },
  state: stateOf(deps, row),
  hasPassword: row.hasPassword,
  expiresAt: row.expiresAt?.toISOString() ?? null,
  isFollowing: row.isFollowing,
  ...toPages(row),
  createdBy: row.createdBy,
  createdAt: row.createdAt.toISOString(),
  ownerId: row.ownerId,
  publishedAt: row.publishedAt?.toISOString() ?? null,
  failure: row.failure,
  views: Number(row.views),
  lastViewAt: row.lastViewAt?.toISOString() ?? null,
});
