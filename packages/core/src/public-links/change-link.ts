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
import { hashPassword, newPageToken, StoredChoices } from "@querybell/public-pages";
import { recordAudit } from "../audit.ts";
import type { Deps } from "../deps.ts";
import { lockRow } from "../lock-row.ts";
import { getLinkRow, itemOf, type LinkRow, linkNotFound, toPublicLink } from "./list-links.ts";
import { type PreparedContent, prepareContent, writeContent } from "./prepare-content.ts";

/** Publishes an item under a new address, which only this answer tells. */
export async function createPublicLink(
  deps: Deps,
  caller: Caller,
  { item, expiresAt, password, isFollowing, choices }: CreatePublicLink,
): Promise<CreatedPublicLink> {
  const base = requireServed(deps);
  const expiry = toExpiry(deps, expiresAt);
  requireFollowing({ isFollowing, choices });
  const content = await prepareContent(deps, caller, { item, choices });
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
          choices,
        },
        ...(item.kind === "reference" ? { referenceId: item.id } : { dashboardId: item.id }),
        ...{ createdBy: caller.userId, ownerId: caller.userId, createdAt: deps.clock.now() },
      },
    });
    await writeContent({ ...deps, tx }, caller, { linkId: id, content });
    await record({ ...deps, tx }, caller, {
      action: "public_link.created",
      link: { id, kind: item.kind, title: content.title },
      detail: {
        expiresAt: expiry?.toISOString() ?? null,
        hasPassword: password !== null,
        ...(choices.length > 0 && { choices: choices.map(({ name }) => name) }),
      },
    });
  });
  return { ...(await getLink(deps, caller, id)), url: `${base}/p/${token}` };
}

/** Changes the expiry, the password, whether the page follows newer results, or what visitors choose. */
export async function updatePublicLink(
  deps: Deps,
  caller: Caller,
  { id, expiresAt, password, isFollowing, choices }: UpdatePublicLink,
): Promise<PublicLink> {
  const data = {
    ...(expiresAt !== undefined && { expiresAt: toExpiry(deps, expiresAt) }),
    ...(password !== undefined && { passwordHash: password === null ? null : await hashPassword(password) }),
    ...(isFollowing !== undefined && { isFollowing }),
    // Whoever changes what is published answers for it.
    ...(choices !== undefined && { choices, ownerId: caller.userId, failure: null }),
  };
  const row = await getLinkRow(deps, caller, id);
  if (Object.keys(data).length === 0) return toPublicLink(deps, row);
  await changeLink(deps, caller, row, {
    action: "public_link.changed",
    data,
    detail: { changed: Object.keys(data).flatMap((name) => changeNames[name] ?? []) },
    ...(choices && { content: await prepareContent(deps, caller, { item: itemOf(row), choices }) }),
  });
  return getLink(deps, caller, id);
}

/** By field: what the audit log calls it. */
const changeNames: Record<string, string> = {
  expiresAt: "expiresAt",
  passwordHash: "password",
  isFollowing: "isFollowing",
  choices: "choices",
};

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

/**
 * Replaces the page by what the item shows now or, with choices, runs the queries of all pages. The caller becomes the owner of
 * the link.
 */
export async function publishAgain(deps: Deps, caller: Caller, { id }: PublicLinkId): Promise<PublicLink> {
  const row = await getLinkRow(deps, caller, id);
  const choices = StoredChoices.parse(row.choices);
  const content = await prepareContent(deps, caller, { item: itemOf(row), choices });
  const data = { ownerId: caller.userId, failure: null };
  await changeLink(deps, caller, row, { action: "public_link.published", data, content });
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
  data: Parameters<Tx["publicLink"]["update"]>[0]["data"] & { isFollowing?: boolean };
  detail?: Record<string, string[]>;
  content?: PreparedContent;
}

async function changeLink(
  deps: Deps,
  caller: Caller,
  row: LinkRow,
  { action, data, detail, content }: LinkChange,
): Promise<void> {
  const { id } = row;
  const { organizationId } = caller;
  await deps.db.transaction(async (tx) => {
    await lockRow(tx, { table: "public_links", key: { id }, organizationId, strength: "NO KEY UPDATE" });
    const locked = await tx.publicLink.findFirst({
      where: { id, organizationId },
      select: { isFollowing: true, choices: true },
    });
    if (!locked) throw linkNotFound();
    requireFollowing({ ...locked, ...data });
    await tx.publicLink.update({ where: { id }, data });
    if (content) await writeContent({ ...deps, tx }, caller, { linkId: id, content });
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

function requireFollowing({ isFollowing, choices }: { isFollowing: boolean; choices: unknown }): void {
  if (isFollowing || StoredChoices.parse(choices).length === 0) return;
  const message = "must be true for a page with choices: its results are computed after it is published";
  throw new AppError("invalid_request", `isFollowing ${message}.`, {
    errors: [{ path: "isFollowing", message }],
  });
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
