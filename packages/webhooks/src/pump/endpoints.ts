import type { Guard } from "@querybell/guard";
import { z } from "zod";
import { type PreparedEndpoint, prepareEndpoint } from "../send/endpoint.ts";
import type { Pool } from "./pool.ts";
import { openHeaders, openSecret, type Unsealer } from "./sealed.ts";

export interface EndpointRow {
  id: string;
  revision: number;
  active: boolean;
  url: string;
  sealedHeaders: string;
  standardWebhooks: boolean;
  maxInFlight: number;
  maxPerSecond: number | null;
  secrets: unknown;
}

const SecretRows = z.array(z.object({ id: z.string(), sealed: z.string(), signsFrom: z.coerce.date() }));

export interface SigningSecret {
  id: string;
  signsFrom: Date;
  prepared: PreparedEndpoint;
}

/** An endpoint's settings, ready to send with. */
export interface LoadedEndpoint {
  id: string;
  /** Counts the changes of settings and secrets. */
  revision: number;
  /** Enabled, in an organization whose webhooks are on. */
  active: boolean;
  maxInFlight: number;
  maxPerSecond: number | null;
  /** Names in lower case, whose values the log masks. */
  customHeaders: ReadonlySet<string>;
  /** The latest first. */
  secrets: SigningSecret[];
}

/** The settings as they are now, of those endpoints that the pump holds. */
export async function readEndpoints(
  pool: Pool,
  pumpId: string,
  endpointIds: string[],
): Promise<EndpointRow[]> {
  const { rows } = await pool.query<EndpointRow>({
    name: "read_webhook_endpoints",
    text: `
      SELECT e.id, e.revision, e.state = 'enabled' AND o.webhooks_enabled AS active, e.url,
        e.sealed_headers AS "sealedHeaders", e.standard_webhooks AS "standardWebhooks",
        e.max_in_flight AS "maxInFlight", e.max_per_second AS "maxPerSecond",
        (SELECT json_agg(json_build_object('id', s.id, 'sealed', s.sealed, 'signsFrom', s.signs_from)
                         ORDER BY s.signs_from DESC, s.id DESC)
         FROM webhook_secrets s
         WHERE s.endpoint_id = e.id AND (s.expires_at IS NULL OR s.expires_at > querybell_now())) AS secrets
      FROM webhook_endpoints e JOIN organizations o ON o.id = e.organization_id
      WHERE e.id = ANY($2::uuid[]) AND e.lease_owner = $1`,
    values: [pumpId, endpointIds],
  });
  return rows;
}

interface LoadOptions {
  guard: Guard;
  sealer: Unsealer;
}

/** Does once what sending needs for every event: opening secrets, reading the URL, joining headers. */
export function loadEndpoint(row: EndpointRow, { guard, sealer }: LoadOptions): LoadedEndpoint {
  const { id, active, url, maxInFlight, maxPerSecond, standardWebhooks } = row;
  const headers = openHeaders(sealer, id, row.sealedHeaders);
  const secrets = SecretRows.parse(row.secrets ?? []).map(({ id: secretId, sealed, signsFrom }) => {
    const secret = openSecret(sealer, id, sealed);
    return {
      id: secretId,
      signsFrom,
      prepared: prepareEndpoint({ url, secret, headers, standardWebhooks }, guard),
    };
  });
  const customHeaders = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  return { id, revision: row.revision, active, maxInFlight, maxPerSecond, customHeaders, secrets };
}

/** The one secret that signs now. */
export const signingSecret = ({ secrets }: LoadedEndpoint, now: Date): SigningSecret | undefined =>
  secrets.find(({ signsFrom }) => signsFrom <= now);
