import type { KeyObject } from "node:crypto";
import type { Pool } from "@querybell/db";
import { isDestinationKind, type WebhookEndpointKind } from "@querybell/domain";
import type { Guard } from "@querybell/guard";
import { z } from "zod";
import { openHeaders, openSecret, parseSecret, parseSubscriptionSecret, type Unsealer } from "../secrets.ts";
import { createRecipient, type Recipient } from "../send/recipient.ts";

/** An endpoint's settings as they are stored. */
export interface SettingsRow {
  id: string;
  /** Incremented by every change of the settings or secrets. */
  revision: number;
  /** Enabled, in an organization whose webhooks are on. */
  isActive: boolean;
  kind: WebhookEndpointKind;
  url: string;
  sealedHeaders: string;
  standardWebhooks: boolean;
  sendsTraceparent: boolean;
  maxInFlight: number;
  maxPerSecond: number | null;
  /** Null for an endpoint of an admin, as is `expiresAt`. */
  subscriptionId: string | null;
  expiresAt: Date | null;
  secrets: unknown;
}

const SecretRows = z.array(
  z.object({
    id: z.string(),
    sealed: z.string(),
    signsFrom: z.coerce.date(),
    expiresAt: z.coerce.date().nullable(),
  }),
);

/** An endpoint's settings, unsealed and ready to send with. */
export interface EndpointSettings extends Recipient {
  id: string;
  revision: number;
  isActive: boolean;
  maxInFlight: number;
  maxPerSecond: number | null;
  /** When a subscription ends: nothing is sent from then on. */
  expiresAt: Date | null;
  /** Where messages of a destination are sent: a URL, or JSON of mail addresses. Undefined for other endpoints. */
  address: string | undefined;
  /** Unexpired ones, the latest `signsFrom` first. The only one of a destination is its address. */
  secrets: SigningSecret[];
}

interface SigningSecret {
  id: string;
  signsFrom: Date;
  expiresAt: Date | null;
  /** Undefined for a destination, whose messages are not signed. */
  key: KeyObject | undefined;
}

/** Reads the current settings of those of the endpoints that the pump holds. */
export async function readEndpointSettings(
  pool: Pool,
  pumpId: string,
  endpointIds: string[],
): Promise<SettingsRow[]> {
  const { rows } = await pool.query<SettingsRow>({
    name: "read_webhook_endpoints",
    text: `
      SELECT e.id, e.revision, e.state = 'enabled' AND o.webhooks_enabled AS "isActive", e.kind, e.url,
        e.sealed_headers AS "sealedHeaders", e.standard_webhooks AS "standardWebhooks",
        e.sends_traceparent AS "sendsTraceparent",
        e.max_in_flight AS "maxInFlight", e.max_per_second AS "maxPerSecond",
        e.subscription_id AS "subscriptionId", e.expires_at AS "expiresAt",
        (SELECT json_agg(json_build_object('id', s.id, 'sealed', s.sealed, 'signsFrom', s.signs_from,
                                           'expiresAt', s.expires_at)
                         ORDER BY s.signs_from DESC, s.id DESC)
         FROM webhook_secrets s
         WHERE s.endpoint_id = e.id AND (s.expires_at IS NULL OR s.expires_at > querybell_now())) AS secrets
      FROM webhook_endpoints e JOIN organizations o ON o.id = e.organization_id
      WHERE e.id = ANY($2::uuid[]) AND e.lease_owner = $1`,
    values: [pumpId, endpointIds],
  });
  return rows;
}

/** Finds those of the endpoints that the pump holds whose stored settings differ from these. */
export async function findChangedEndpoints(
  pool: Pool,
  pumpId: string,
  known: Pick<EndpointSettings, "id" | "revision" | "isActive">[],
): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>({
    name: "find_changed_webhook_endpoints",
    text: `
      SELECT e.id FROM unnest($2::uuid[], $3::int[], $4::boolean[]) AS known(id, revision, is_active)
      JOIN webhook_endpoints e ON e.id = known.id AND e.lease_owner = $1
      JOIN organizations o ON o.id = e.organization_id
      WHERE e.revision <> known.revision OR (e.state = 'enabled' AND o.webhooks_enabled) <> known.is_active`,
    values: [
      pumpId,
      known.map(({ id }) => id),
      known.map(({ revision }) => revision),
      known.map(({ isActive }) => isActive),
    ],
  });
  return rows.map(({ id }) => id);
}

interface SettingsDeps {
  guard: Guard;
  sealer: Unsealer;
}

/** Unseals and parses once what every attempt needs. Throws if the sealing key of a value is gone. */
export function toEndpointSettings(row: SettingsRow, { guard, sealer }: SettingsDeps): EndpointSettings {
  const { id, revision, isActive, maxInFlight, maxPerSecond, subscriptionId, expiresAt } = row;
  const headers = openHeaders(sealer, id, row.sealedHeaders);
  const stored = SecretRows.parse(row.secrets ?? []);
  const common = { id, revision, isActive, maxInFlight, maxPerSecond, expiresAt };
  if (isDestinationKind(row.kind)) {
    const [secret] = stored;
    const address = secret && openSecret(sealer, id, secret.sealed);
    const recipient = createRecipient({ ...row, url: address ?? "", headers }, guard);
    // The log must not show the address: whoever has it can send messages there.
    return {
      ...common,
      ...recipient,
      url: row.url,
      address,
      secrets: stored.map((one) => ({ ...one, key: undefined })),
    };
  }
  const parse = subscriptionId === null ? parseSecret : requireSubscriptionSecret;
  const secrets = stored.map(({ sealed, ...secret }) => ({
    ...secret,
    key: parse(openSecret(sealer, id, sealed)),
  }));
  return { ...common, ...createRecipient({ ...row, headers }, guard), address: undefined, secrets };
}

function requireSubscriptionSecret(text: string): KeyObject {
  const key = parseSubscriptionSecret(text);
  if (!key) throw new Error("The secret of a subscription is not readable.");
  return key;
}

/**
 * The secrets that sign now, the latest first: one, or for a subscription also the one before it. If our clock is behind
 * that of the process which rotated the secrets, the new one may not have begun here although the old one has expired:
 * then the earliest signs.
 */
export function findSigningSecrets(
  { secrets, subscriptionId }: EndpointSettings,
  now: Date,
): SigningSecret[] {
  const begun = secrets.filter(({ signsFrom }) => signsFrom <= now);
  const signing = begun.length > 0 ? begun : secrets.slice(-1);
  if (subscriptionId === undefined) return signing.slice(0, 1);
  return signing.filter(({ expiresAt }) => !expiresAt || expiresAt > now);
}
