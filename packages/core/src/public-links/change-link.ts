import type { Tx } from "@querybell/db";
import {
  AppError,
  type AuditAction,
  type Caller,
  type CreatedPublicLink,
  type CreatePublicLink,
  maxPublicLinks,
  newId,
  type PublicLink,
  type PublicLinkId,
  type PublicLinkItem,
  type UpdatePublicLink,
} from "@querybell/domain";
import { hashPassword, newPageToken } from "@querybell/public-pages";
import { recordAudit } from "../audit.ts";
import type { Deps } from "../deps.ts";
import { lockRow } from "../lock-row.ts";
import { getLinkRow, itemOf, type LinkRow, linkNotFound, toPublicLink } from "./list-links.ts";
import { readItem, type Snapshot, takeSnapshot } from "./take-snapshot.ts";
import { writePage } from "./write-page.ts";

/** Publishes an item under a new address, which only this answer tells. */
export async function createPublicLink(
  deps: Deps,
  caller: Caller,
  { item, expiresAt, password, isFollowing }: CreatePublicLink,
): Promise<CreatedPublicLink> {
  const base = requireServed(deps);
  const expiry = toExpiry(deps, expiresAt);
  const snapshot = await snapshotOf(deps, caller, item);
  const passwordHash = password === null ? null : await hashPassword(password);
  const { token, tokenHash } = newPageToken();
  const id = newId(deps.clock);
  await deps.db.transaction(async (tx) => {
    await requireRoom(tx, caller);
    await tx.publicLink.create({
      data: {
        ...{
          id,
          organizationId: caller.organizationId,
          tokenHash,
          passwordHash,
          expiresAt: expiry,
          isFollowing,
        },
        ...(item.kind === "reference" ? { referenceId: item.id } : { dashboardId: item.id }),
        ...{ createdBy: caller.userId, ownerId: caller.userId, createdAt: deps.clock.now() },
      },
    });
    await writePage(tx, { linkId: id, organizationId: caller.organizationId, snapshot });
    await record({ ...deps, tx }, caller, {
      action: "public_link.created",
      link: { id, kind: item.kind, title: snapshot.content.title },
      detail: { expiresAt: expiry?.toISOString() ?? null, hasPassword: password !== null },
    });
  });
  return { ...(await getLink(deps, caller, id)), url: `${base}/p/${token}` };
}

/** Changes the expiry, the password or whether the page follows newer results. */
export async function updatePublicLink(
  deps: Deps,
  caller: Caller,
  { id, expiresAt, password, isFollowing }: UpdatePublicLink,
): Promise<PublicLink> {
  const data = {
    ...(expiresAt !== undefined && { expiresAt: toExpiry(deps, expiresAt) }),
    ...(password !== undefined && { passwordHash: password === null ? null : await hashPassword(password) }),
    ...(isFollowing !== undefined && { isFollowing }),
  };
  const row = await getLinkRow(deps, caller, id);
  if (Object.keys(data).length === 0) return toPublicLink(deps, row);
  await changeLink(deps, caller, row, {
    action: "public_link.changed",
    data,
    detail: { changed: Object.keys(data).map((name) => (name === "passwordHash" ? "password" : name)) },
  });
  return getLink(deps, caller, id);
}

/** Gives a link another address. The one before ends at once. The caller becomes its owner. */
export async function rotatePublicLink(
  deps: Deps,
  caller: Caller,
  { id }: PublicLinkId,
): Promise<CreatedPublicLink> {
  const base = requireServed(deps);
  const row = await getLinkRow(deps, caller, id);
  const { token, tokenHash } = newPageToken();
  const data = { tokenHash, ownerId: caller.userId };
  await changeLink(deps, caller, row, { action: "public_link.rotated", data });
  return { ...(await getLink(deps, caller, id)), url: `${base}/p/${token}` };
}

/** Replaces the page by what the item shows now. The caller becomes the owner of the link. */
export async function publishAgain(deps: Deps, caller: Caller, { id }: PublicLinkId): Promise<PublicLink> {
  const row = await getLinkRow(deps, caller, id);
  const snapshot = await snapshotOf(deps, caller, itemOf(row));
  const data = { ownerId: caller.userId, failure: null };
  await changeLink(deps, caller, row, { action: "public_link.published", data, snapshot });
  return getLink(deps, caller, id);
}

/** Ends a link for good, with its page. */
export async function revokePublicLink(deps: Deps, caller: Caller, { id }: PublicLinkId): Promise<void> {
  const row = await getLinkRow(deps, caller, id);
  await deps.db.transaction(async (tx) => {
    const { count } = await tx.publicLink.deleteMany({ where: { id } });
    if (count === 0) throw linkNotFound();
    await record({ ...deps, tx }, caller, { action: "public_link.revoked", link: toAudited(row) });
  });
}

const getLink = async (deps: Deps, caller: Caller, id: string): Promise<PublicLink> =>
  toPublicLink(deps, await getLinkRow(deps, caller, id));

interface LinkChange {
  action: AuditAction;
  data: Parameters<Tx["publicLink"]["update"]>[0]["data"];
  detail?: Record<string, string[]>;
  snapshot?: Snapshot;
}

async function changeLink(
  deps: Deps,
  caller: Caller,
  row: LinkRow,
  { action, data, detail, snapshot }: LinkChange,
): Promise<void> {
  const { id } = row;
  const { organizationId } = caller;
  await deps.db.transaction(async (tx) => {
    await lockRow(tx, { table: "public_links", key: { id }, organizationId, strength: "NO KEY UPDATE" });
    if ((await tx.publicLink.count({ where: { id, organizationId } })) === 0) throw linkNotFound();
    await tx.publicLink.update({ where: { id }, data });
    if (snapshot) await writePage(tx, { linkId: id, organizationId, snapshot });
    await record({ ...deps, tx }, caller, { action, link: toAudited(row), detail });
  });
}

interface AuditedLink extends Pick<PublicLinkItem, "kind"> {
  id: string;
  title: string;
}

const toAudited = (row: LinkRow): AuditedLink => ({ kind: itemOf(row).kind, id: row.id, title: row.title });

interface AuditedChange {
  action: AuditAction;
  link: AuditedLink;
  detail?: Record<string, string | boolean | null | string[]> | undefined;
}

const record = (
  deps: { tx: Tx } & Pick<Deps, "clock">,
  caller: Caller,
  { action, link: { id, kind, title }, detail }: AuditedChange,
): Promise<void> =>
  recordAudit(deps, caller, { action, targetId: id, detail: { item: kind, title, ...detail } });

/** How often newer results may replace those that are being drawn. */
const maxTries = 3;

/** What the item shows now. A chart by itself needs a result that everybody may see. */
async function snapshotOf(deps: Deps, caller: Caller, { kind, id }: PublicLinkItem): Promise<Snapshot> {
  for (let tries = 1; ; tries++) {
    const readAt = deps.clock.now();
    const item = await readItem(deps, caller, { kind, id });
    if (kind === "reference") requireResult(item, id);
    try {
      return await takeSnapshot(deps, caller, { kind, item, readAt });
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "result_expired") throw error;
      if (tries === maxTries) throw new AppError("unavailable", "Newer results arrive just now. Try again.");
    }
  }
}

function requireResult({ charts, runs }: Awaited<ReturnType<typeof readItem>>, id: string): void {
  const result = charts.get(id)?.result;
  if (!result) {
    throw new AppError(
      "conflict",
      "This chart has no stored result for its default values. Run it with them, and publish it then.",
    );
  }
  if (!runs.has(result.runId)) {
    throw new AppError(
      "conflict",
      "The rows of this chart depend on who looks at it, so it cannot be published.",
    );
  }
}

function requireServed({ deployment }: Pick<Deps, "deployment">): string {
  if (deployment.publicPagesUrl !== null) return deployment.publicPagesUrl;
  throw new AppError(
    "forbidden",
    "This deployment serves no public pages. Its operator sets PUBLIC_PAGES_URL and starts the public process.",
  );
}

/** Locks the organization, so that two links do not both become the last one that is allowed. */
async function requireRoom(tx: Tx, { organizationId: id }: Caller): Promise<void> {
  await lockRow(tx, { table: "organizations", key: { id }, strength: "NO KEY UPDATE" });
  const { publicLinks } = await tx.organization.findUniqueOrThrow({
    where: { id },
    select: { publicLinks: true },
  });
  if (!publicLinks) {
    throw new AppError("forbidden", "Public links are off in this organization. An admin can allow them.");
  }
  if ((await tx.publicLink.count({ where: { organizationId: id } })) >= maxPublicLinks) {
    throw new AppError(
      "conflict",
      `The organization has ${maxPublicLinks} public links already. Revoke one that is not needed any more.`,
    );
  }
}

function toExpiry({ clock }: Pick<Deps, "clock">, text: string | null): Date | null {
  const at = text === null ? null : new Date(text);
  if (at && at <= clock.now()) {
    const errors = [{ path: "expiresAt", message: "must be in the future" }];
    throw new AppError("invalid_request", "The link must expire in the future.", { errors });
  }
  return at;
}
