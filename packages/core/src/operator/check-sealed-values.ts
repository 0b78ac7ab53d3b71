import { AppError } from "@querybell/domain";
import { UnsealError } from "@querybell/sealing";
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
  /** What the value is sealed for. */
  owner: string;
  organizationId: string;
  sealed: string;
}

interface SealedKind {
  kind: Kind;
  rows: string;
  open(deps: Pick<Deps, "sealer">, row: SealedRow): unknown;
}

const kinds: SealedKind[] = [
  {
    kind: { one: "set of database credentials", many: "sets of database credentials" },
    rows: `SELECT id::text AS owner, organization_id AS "organizationId", sealed_credentials AS sealed
           FROM analytical_database_configs WHERE sealed_credentials IS NOT NULL`,
    open: (deps, { owner, organizationId, sealed }) =>
      openCredentials(deps, { organizationId, id: owner }, sealed),
  },
  {
    kind: { one: "webhook secret", many: "webhook secrets" },
    rows: `SELECT e.id::text AS owner, e.organization_id AS "organizationId", s.sealed
           FROM webhook_secrets s JOIN webhook_endpoints e ON e.id = s.endpoint_id`,
    open: ({ sealer }, { owner, sealed }) => openSecret(sealer, owner, sealed),
  },
  {
    kind: { one: "set of webhook headers", many: "sets of webhook headers" },
    rows: `SELECT id::text AS owner, organization_id AS "organizationId", sealed_headers AS sealed FROM webhook_endpoints`,
    open: ({ sealer }, { owner, sealed }) => openHeaders(sealer, owner, sealed),
  },
  {
    kind: { one: "key of a language model", many: "keys of language models" },
    rows: `SELECT url AS owner, organization_id AS "organizationId", sealed_api_key AS sealed
           FROM model_settings WHERE sealed_api_key IS NOT NULL`,
    open: (deps, { owner, organizationId, sealed }) =>
      openApiKey(deps, { organizationId, url: owner }, sealed),
  },
  {
    kind: { one: "secret of codes of an app", many: "secrets of codes of an app" },
    rows: `SELECT user_id::text AS owner, '' AS "organizationId", sealed_secret AS sealed FROM totp_factors`,
    open: (deps, { owner, sealed }) => openTotpSecret(deps, owner, sealed),
  },
  {
    kind: { one: "secret of an identity provider", many: "secrets of identity providers" },
    rows: `SELECT id::text AS owner, organization_id AS "organizationId", sealed_client_secret AS sealed
           FROM identity_providers`,
    open: (deps, { owner, sealed }) => openClientSecret(deps, owner, sealed),
  },
  {
    kind: { one: "queued mail", many: "queued mails" },
    rows: `SELECT '' AS owner, '' AS "organizationId", j.payload->>'sealed' AS sealed
           FROM graphile_worker._private_jobs j JOIN graphile_worker._private_tasks t ON t.id = j.task_id
           WHERE t.identifier = 'send_mail'`,
    open: (deps, { sealed }) => openQueuedMail(deps, sealed),
  },
];

/** Tries to open every stored secret, and counts them by the key that sealed them. */
export async function checkSealedValues(
  deps: Pick<Deps, "sealer">,
  database: Pick<Deps["db"]["pool"], "query">,
): Promise<SealedValues[]> {
  const counts = new Map<string, SealedValues>();
  for (const { kind, rows, open } of kinds) {
    const { rows: sealed } = await database.query<SealedRow>(rows);
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
