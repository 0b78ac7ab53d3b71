import { createHash, timingSafeEqual } from "node:crypto";
import type { Tx } from "@querybell/db";
import {
  AppError,
  type Caller,
  maxSubscriptionsOfKey,
  maxSubscriptionsOfOrganization,
  newId,
} from "@querybell/domain";
import {
  type ChallengeFailure,
  challengeReceiver,
  endOfEventId,
  formatEventCursor,
  openSecret,
  type Sender,
  sealHeaders,
  sealSecret,
  wakePumps,
} from "@querybell/webhooks";
import { recordAudit } from "../audit.ts";
import type { Deps } from "../deps.ts";
import { requireWebhooks, unsealOrUndefined } from "../webhooks/get-endpoint.ts";
import { checkSubscription, type Subscribed, type SubscribeToEvents } from "./check-subscription.ts";
import { replayEvents } from "./replay.ts";

export interface SubscribeDeps extends Deps {
  sender: Sender;
  /** Counts a challenge of the organization. Throws `rate_limited` if it has made too many. */
  limitChallenges(caller: Caller): void;
}

export type EventSubscribed =
  | {
      kind: "subscribed";
      subscriptionId: string;
      expiresAt: Date;
      cursor: string;
      isTruncated: boolean;
      /** Whether events were being delivered before; undefined for a new subscription. */
      wasActive: boolean | undefined;
    }
  | { kind: "limit_reached"; limit: "key" | "organization"; max: number }
  | { kind: "challenge_failed"; reason: ChallengeFailure };

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
const lifetime = { min: 5 * minute, default: day, max: 7 * day };
/** How long an answered challenge counts for the same key and URL. */
const verifiedForMs = day;
/** How long the secret before the present one signs too. */
const secretOverlapMs = 24 * hour;
/** Programs that wake up by an event need few at once. */
const maxInFlight = 8;

/**
 * Subscribes a program to events, or renews its subscription: the term, the secret, and deliveries if they had failed too
 * often. With a cursor, what it has missed is sent again.
 */
export async function subscribeToEvents(
  deps: SubscribeDeps,
  caller: Caller,
  input: SubscribeToEvents,
): Promise<EventSubscribed> {
  const keyId = requireKey(caller);
  await requireWebhooks(deps, caller);
  const checked = await checkSubscription(deps, caller, input);
  const subscriptionId = toSubscriptionId(keyId, input);
  const now = deps.clock.now();
  const { prisma } = deps.db;
  const full = await findReachedLimit(prisma, { ...caller, keyId, subscriptionId });
  if (full) return full;
  const verified = await prisma.webhookEndpoint.findFirst({
    where: { keyId, url: input.url, verifiedAt: { gt: new Date(now.getTime() - verifiedForMs) } },
    orderBy: { verifiedAt: "desc" },
    select: { verifiedAt: true },
  });
  if (!verified) {
    deps.limitChallenges(caller);
    const { url } = input;
    const reason = await challengeReceiver(deps, { url, key: checked.key, subscriptionId });
    if (reason) return { kind: "challenge_failed", reason };
  }
  const verifiedAt = verified?.verifiedAt ?? now;
  return deps.db.transaction((tx) =>
    storeSubscription({ ...deps, tx }, caller, { ...input, ...checked, keyId, subscriptionId, verifiedAt }),
  );
}

function requireKey({ via }: Caller): string {
  if (via.kind === "key") return via.keyId;
  throw new AppError("forbidden", "Only programs with an API key subscribe to events.");
}

/** The same for the same key, URL, event and arguments, also after the subscription has ended. */
const toSubscriptionId = (keyId: string, { url, event, automationId }: Subscribed): string =>
  `sub_${createHash("sha256")
    .update(JSON.stringify([keyId, url, event, automationId]))
    .digest("hex")
    .slice(0, 40)}`;

interface Owner {
  organizationId: string;
  keyId: string;
  subscriptionId: string;
}

/** Undefined for a subscription that exists: it is only renewed. */
async function findReachedLimit(
  tx: Tx,
  { organizationId, keyId, subscriptionId }: Owner,
): Promise<Extract<EventSubscribed, { kind: "limit_reached" }> | undefined> {
  const [counts] = await tx.$queryRaw<{ exists: boolean; ofKey: number; ofOrganization: number }[]>`
    SELECT coalesce(bool_or(subscription_id = ${subscriptionId}), false) AS "exists",
      (count(*) FILTER (WHERE key_id = ${keyId}::uuid))::int AS "ofKey", count(*)::int AS "ofOrganization"
    FROM webhook_endpoints
    WHERE organization_id = ${organizationId}::uuid AND kind = 'mcp' AND state <> 'deleted'`;
  if (!counts || counts.exists) return undefined;
  if (counts.ofKey >= maxSubscriptionsOfKey) {
    return { kind: "limit_reached", limit: "key", max: maxSubscriptionsOfKey };
  }
  if (counts.ofOrganization >= maxSubscriptionsOfOrganization) {
    return { kind: "limit_reached", limit: "organization", max: maxSubscriptionsOfOrganization };
  }
  return undefined;
}

interface CheckedSubscription extends SubscribeToEvents, Omit<Owner, "organizationId"> {
  from: Awaited<ReturnType<typeof checkSubscription>>["from"];
  verifiedAt: Date;
}

type TxDeps = { tx: Tx } & Pick<Deps, "clock" | "sealer">;

async function storeSubscription(
  deps: TxDeps,
  caller: Caller,
  input: CheckedSubscription,
): Promise<EventSubscribed> {
  const { tx, clock } = deps;
  const { organizationId } = caller;
  const { subscriptionId, from, event, automationId, maxAgeMs } = input;
  // From here on no event of the organization is emitted, and nobody else subscribes, until the commit.
  const latest = await lockStream(tx, organizationId);
  const keyExpiresAt = await lockKey(tx, input.keyId);
  const full = await findReachedLimit(tx, { ...input, organizationId });
  if (full) return full;
  const now = clock.now();
  const expiresAt = expiryOf(input, { now, keyExpiresAt });
  const existing = await lockExisting(tx, subscriptionId);
  const endpointId = existing
    ? await renew(deps, existing.id, { ...input, expiresAt })
    : await insert(deps, caller, { ...input, expiresAt });
  await keepSecret(deps, endpointId, input.secret);
  const notBefore = new Date(maxAgeMs === null ? 0 : Math.max(0, now.getTime() - maxAgeMs));
  const { isTruncated } = from
    ? await replayEvents(tx, {
        organizationId,
        endpointId,
        keyId: input.keyId,
        event,
        automationId,
        cursor: from,
        latest: latest.position,
        notBefore,
      })
    : { isTruncated: false };
  await wakePumps(tx, endpointId);
  return {
    kind: "subscribed",
    subscriptionId,
    expiresAt,
    cursor: formatEventCursor(from ?? { ...latest, endpointId }),
    isTruncated,
    wasActive: existing ? existing.state === "enabled" : undefined,
  };
}

interface LatestEvent {
  position: bigint;
  /** Undefined if there was none, or if it was purged. */
  eventIdEnd: string | undefined;
}

async function lockStream(tx: Tx, organizationId: string): Promise<LatestEvent> {
  await tx.$executeRaw`
    INSERT INTO event_streams (organization_id) VALUES (${organizationId}::uuid) ON CONFLICT DO NOTHING`;
  const [stream] = await tx.$queryRaw<{ position: bigint }[]>`
    SELECT position FROM event_streams WHERE organization_id = ${organizationId}::uuid FOR NO KEY UPDATE`;
  if (!stream) throw new Error("The event stream was not inserted.");
  const { position } = stream;
  const latest = await tx.webhookEvent.findFirst({
    where: { organizationId, position },
    select: { id: true },
  });
  return { position, eventIdEnd: latest ? endOfEventId(latest.id) : undefined };
}

/** Keeps the key from being revoked until the commit: revoking it ends the subscriptions that it sees. */
async function lockKey(tx: Tx, keyId: string): Promise<Date | null> {
  const [key] = await tx.$queryRaw<{ expiresAt: Date | null }[]>`
    SELECT expires_at AS "expiresAt" FROM api_keys WHERE id = ${keyId}::uuid AND revoked_at IS NULL FOR SHARE`;
  if (!key) throw new AppError("unauthorized", "This API key has been revoked.");
  return key.expiresAt;
}

function expiryOf(
  { ttlMs = lifetime.default }: Pick<SubscribeToEvents, "ttlMs">,
  { now, keyExpiresAt }: { now: Date; keyExpiresAt: Date | null },
): Date {
  const lasts = Math.min(lifetime.max, Math.max(lifetime.min, ttlMs ?? lifetime.max));
  const expiresAt = new Date(now.getTime() + lasts);
  return keyExpiresAt && keyExpiresAt < expiresAt ? keyExpiresAt : expiresAt;
}

type Stored = CheckedSubscription & { expiresAt: Date };

async function insert(
  { tx, clock, sealer }: TxDeps,
  caller: Caller,
  { keyId, subscriptionId, event, automationId, url, expiresAt, verifiedAt }: Stored,
): Promise<string> {
  const id = newId(clock);
  const now = clock.now();
  const { organizationId, userId } = caller;
  await tx.webhookEndpoint.create({
    data: {
      ...{ id, organizationId, kind: "mcp", url, description: "", eventTypes: [event] },
      ...{ keyId, subscriptionId, automationId, expiresAt, verifiedAt },
      ...{ sealedHeaders: sealHeaders(sealer, id, {}), standardWebhooks: true, maxInFlight },
      ...{ createdBy: userId, createdAt: now, updatedAt: now },
    },
  });
  const detail = { url, event, automationId, expiresAt: expiresAt.toISOString() };
  await recordAudit({ tx, clock }, caller, { action: "event_subscription.created", targetId: id, detail });
  return id;
}

/** Keeps the subscription from ending until the commit. Undefined if there is none, or if it has just ended. */
async function lockExisting(
  tx: Tx,
  subscriptionId: string,
): Promise<{ id: string; state: string } | undefined> {
  const [existing] = await tx.$queryRaw<{ id: string; state: string }[]>`
    SELECT id::text, state::text FROM webhook_endpoints
    WHERE subscription_id = ${subscriptionId} AND state <> 'deleted' FOR NO KEY UPDATE`;
  return existing;
}

async function renew({ tx, clock }: TxDeps, id: string, { expiresAt, verifiedAt }: Stored): Promise<string> {
  await tx.webhookEndpoint.update({
    where: { id },
    data: {
      ...{ expiresAt, verifiedAt, updatedAt: clock.now(), revision: { increment: 1 } },
      // The pumps deliver what was held.
      ...{ state: "enabled", disabledReason: null, disabledAt: null, consecutiveFailures: 0 },
    },
  });
  return id;
}

/** Makes this the secret that signs. The one before it signs too for a while, so that the receiver can change. */
async function keepSecret({ tx, clock, sealer }: TxDeps, endpointId: string, secret: string): Promise<void> {
  const now = clock.now();
  const [present, ...older] = await tx.webhookSecret.findMany({
    where: { endpointId },
    orderBy: [{ signsFrom: "desc" }, { id: "desc" }],
  });
  const stored = present && unsealOrUndefined(() => openSecret(sealer, endpointId, present.sealed));
  if (stored !== undefined && isSameText(stored, secret)) return;
  await tx.webhookSecret.deleteMany({ where: { id: { in: older.map(({ id }) => id) } } });
  if (present) {
    const expiresAt = new Date(now.getTime() + secretOverlapMs);
    await tx.webhookSecret.update({ where: { id: present.id }, data: { expiresAt } });
  }
  const sealed = sealSecret(sealer, endpointId, secret);
  await tx.webhookSecret.create({
    data: { id: newId(clock), endpointId, sealed, createdAt: now, signsFrom: now },
  });
}

function isSameText(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Ends the subscription of the caller's key to these events at this URL, if there is one. */
export async function unsubscribeFromEvents(deps: Deps, caller: Caller, input: Subscribed): Promise<void> {
  const keyId = requireKey(caller);
  const subscriptionId = toSubscriptionId(keyId, input);
  await deps.db.transaction(
    (tx) => tx.$queryRaw`
      SELECT end_event_subscriptions(ARRAY[id], 'unsubscribed', ${caller.userId}::uuid, ${keyId}::uuid)
      FROM webhook_endpoints
      WHERE organization_id = ${caller.organizationId}::uuid AND subscription_id = ${subscriptionId}
        AND state <> 'deleted'`,
  );
}
