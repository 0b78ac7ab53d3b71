import { AppError } from "@querybell/domain";
import { type Sealer, UnsealError } from "@querybell/sealing";
import { openHeaders, openSecret } from "@querybell/webhooks";
import { openCredentials } from "../databases/connections.ts";
import type { Deps } from "../deps.ts";
import { openTotpSecret } from "../identity/factors.ts";
import { openQueuedMail } from "../mail.ts";
import { openApiKey } from "../models/find-model.ts";
import { openClientSecret } from "../single-sign-on/providers.ts";

/** What is sealed, in words for the operator. */
interface Kind {
  one: string;
  many: string;
}

export interface SealedValues {
  /** The id of the key that sealed them. */
  keyId: string;
  kind: Kind;
  count: number;
  /** How many of them the keys in SEALING_KEYS cannot open. */
  unopened: number;
  /** Whether SEALING_KEYS has a key with this id. It can be another one than the key that sealed them. */
  hasKey: boolean;
}

interface SealedRow {
  id: string;
  /** What the value is sealed for. */
  owner: string;
  organizationId: string;
  sealed: string;
}

interface SealedKind {
  kind: Kind;
  rows: string;
  /** Replaces the value $2 of the row $1 by $3, if it is still that one. */
  replace: string;
  open(deps: Pick<Deps, "sealer">, row: SealedRow): unknown;
}

const kinds: SealedKind[] = [
  {
    kind: { one: "set of database credentials", many: "sets of database credentials" },
    rows: `SELECT id::text, id::text AS owner, organization_id AS "organizationId", sealed_credentials AS sealed
           FROM analytical_database_configs WHERE sealed_credentials IS NOT NULL`,
    replace: `UPDATE analytical_database_configs SET sealed_credentials = $3
              WHERE id = $1::uuid AND sealed_credentials = $2`,
    open: (deps, { owner, organizationId, sealed }) =>
      openCredentials(deps, { organizationId, id: owner }, sealed),
  },
  {
    kind: { one: "webhook secret", many: "webhook secrets" },
    rows: `SELECT s.id::text, e.id::text AS owner, e.organization_id AS "organizationId", s.sealed
           FROM webhook_secrets s JOIN webhook_endpoints e ON e.id = s.endpoint_id`,
    replace: "UPDATE webhook_secrets SET sealed = $3 WHERE id = $1::uuid AND sealed = $2",
    open: ({ sealer }, { owner, sealed }) => openSecret(sealer, owner, sealed),
  },
  {
    kind: { one: "set of webhook headers", many: "sets of webhook headers" },
    rows: `SELECT id::text, id::text AS owner, organization_id AS "organizationId", sealed_headers AS sealed
           FROM webhook_endpoints`,
    replace: "UPDATE webhook_endpoints SET sealed_headers = $3 WHERE id = $1::uuid AND sealed_headers = $2",
    open: ({ sealer }, { owner, sealed }) => openHeaders(sealer, owner, sealed),
  },
  {
    kind: { one: "key of a language model", many: "keys of language models" },
    rows: `SELECT organization_id::text AS id, url AS owner, organization_id AS "organizationId", sealed_api_key AS sealed
           FROM model_settings WHERE sealed_api_key IS NOT NULL`,
    replace: `UPDATE model_settings SET sealed_api_key = $3
              WHERE organization_id = $1::uuid AND sealed_api_key = $2`,
    open: (deps, { owner, organizationId, sealed }) =>
      openApiKey(deps, { organizationId, url: owner }, sealed),
  },
  {
    kind: { one: "secret of codes of an app", many: "secrets of codes of an app" },
    rows: `SELECT user_id::text AS id, user_id::text AS owner, '' AS "organizationId", sealed_secret AS sealed
           FROM totp_factors`,
    replace: "UPDATE totp_factors SET sealed_secret = $3 WHERE user_id = $1::uuid AND sealed_secret = $2",
    open: (deps, { owner, sealed }) => openTotpSecret(deps, owner, sealed),
  },
  {
    kind: { one: "secret of an identity provider", many: "secrets of identity providers" },
    rows: `SELECT id::text, id::text AS owner, organization_id AS "organizationId", sealed_client_secret AS sealed
           FROM identity_providers`,
    replace: `UPDATE identity_providers SET sealed_client_secret = $3
              WHERE id = $1::uuid AND sealed_client_secret = $2`,
    open: (deps, { owner, sealed }) => openClientSecret(deps, owner, sealed),
  },
  {
    kind: { one: "queued mail", many: "queued mails" },
    rows: `SELECT j.id::text, '' AS owner, '' AS "organizationId", j.payload->>'sealed' AS sealed
           FROM graphile_worker._private_jobs j JOIN graphile_worker._private_tasks t ON t.id = j.task_id
           WHERE t.identifier = 'send_mail'`,
    replace: `UPDATE graphile_worker._private_jobs SET payload = json_build_object('sealed', $3::text)
              WHERE id = $1::bigint AND payload->>'sealed' = $2`,
    open: (deps, { sealed }) => openQueuedMail(deps, sealed),
  },
  {
    kind: { one: "secret of an ended subscription", many: "secrets of ended subscriptions" },
    rows: `SELECT j.id::text, j.payload->>'endpointId' AS owner, '' AS "organizationId", j.payload->>'sealedSecret' AS sealed
           FROM graphile_worker._private_jobs j JOIN graphile_worker._private_tasks t ON t.id = j.task_id
           WHERE t.identifier = 'tell_subscription_ended'`,
    replace: `UPDATE graphile_worker._private_jobs
              SET payload = jsonb_set(payload::jsonb, '{sealedSecret}', to_jsonb($3::text))::json
              WHERE id = $1::bigint AND payload->>'sealedSecret' = $2`,
    open: ({ sealer }, { owner, sealed }) => openSecret(sealer, owner, sealed),
  },
];

/** Tries to open every stored secret, or only some of each kind, and counts them by the key that sealed them. */
export async function checkSealedValues(
  deps: Pick<Deps, "sealer">,
  database: Pick<Deps["db"]["pool"], "query">,
  { ofEachKind }: { ofEachKind?: number } = {},
): Promise<SealedValues[]> {
  const counts = new Map<string, SealedValues>();
  for (const { kind, rows, open } of kinds) {
    const { rows: sealed } = await database.query<SealedRow>(`${rows} LIMIT $1`, [ofEachKind]);
    for (const row of sealed) {
      const [keyId = ""] = row.sealed.split(".");
      const hasKey = deps.sealer.keyIds.includes(keyId);
      const values = counts.get(`${keyId} ${kind.many}`) ?? { keyId, kind, count: 0, unopened: 0, hasKey };
      values.count++;
      if (!opens(() => open(deps, row))) values.unopened++;
      counts.set(`${keyId} ${kind.many}`, values);
    }
  }
  return [...counts.values()];
}

interface KeyFaults {
  /** Ids in SEALING_KEYS whose keys are other ones than those that sealed under these ids: they open nothing. */
  foreign: string[];
  /** Ids that SEALING_KEYS lacks, although their keys have sealed something. */
  missing: string[];
}

/** Looks at the keys of all values, and opens a few of each kind. */
export async function findKeyFaults(
  deps: Pick<Deps, "sealer">,
  database: Pick<Deps["db"]["pool"], "query">,
): Promise<KeyFaults> {
  const { keyIds } = deps.sealer;
  const sample = await checkSealedValues(deps, database, { ofEachKind: 20 });
  const foreign = keyIds.filter((id) => {
    const own = sample.filter(({ keyId }) => keyId === id);
    return own.length > 0 && own.every(({ count, unopened }) => unopened === count);
  });
  const { rows } = await database.query<{ keyId: string }>(
    `SELECT DISTINCT split_part(sealed, '.', 1) AS "keyId"
     FROM (${kinds.map((kind) => `SELECT sealed FROM (${kind.rows}) AS of_kind`).join(" UNION ALL ")}) AS sealed_rows`,
  );
  return { foreign, missing: rows.map(({ keyId }) => keyId).filter((id) => !keyIds.includes(id)) };
}

const batchSize = 200;

export interface ResealedValues {
  kind: Kind;
  /** How many were sealed again. */
  resealed: number;
}

/**
 * Seals every stored secret with the first key of SEALING_KEYS, in batches, while the product runs. What has been sealed
 * with it already is left out, so a run that was interrupted goes on where it ended. What cannot be opened stays as it is.
 */
export async function resealValues(
  { sealer }: Pick<Deps, "sealer">,
  database: Pick<Deps["db"]["pool"], "query">,
): Promise<ResealedValues[]> {
  const [keyId] = sealer.keyIds;
  const results: ResealedValues[] = [];
  for (const sealedKind of kinds) {
    const result = { kind: sealedKind.kind, resealed: 0 };
    const next = `SELECT * FROM (${sealedKind.rows}) AS sealed_rows
      WHERE sealed NOT LIKE $1 AND id > $2 ORDER BY id LIMIT ${batchSize}`;
    let after = "";
    while (true) {
      const { rows } = await database.query<SealedRow>(next, [`${keyId}.%`, after]);
      for (const row of rows) {
        const resealed = reseal(sealedKind, sealer, row);
        if (resealed === undefined) continue;
        // Whoever has saved another value meanwhile has sealed it with the first key.
        const { rowCount } = await database.query(sealedKind.replace, [row.id, row.sealed, resealed]);
        result.resealed += rowCount ?? 0;
      }
      const last = rows.at(-1);
      if (!last || rows.length < batchSize) break;
      after = last.id;
    }
    results.push(result);
  }
  return results;
}

/** Opens a value as its reader does, and seals it for the same purpose. Undefined if it cannot be opened. */
function reseal({ open }: SealedKind, sealer: Sealer, row: SealedRow): string | undefined {
  let resealed: string | undefined;
  const resealing: Sealer = {
    ...sealer,
    open(purpose, sealed) {
      const plain = sealer.open(purpose, sealed);
      resealed = sealer.seal(purpose, plain);
      return plain;
    },
  };
  return opens(() => open({ sealer: resealing }, row)) ? resealed : undefined;
}

function opens(open: () => unknown): boolean {
  try {
    open();
    return true;
  } catch (error) {
    const cause = error instanceof AppError ? error.cause : error;
    if (cause instanceof UnsealError) return false;
    throw error;
  }
}
