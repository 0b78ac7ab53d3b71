import type { Tx } from "@querybell/db";
import {
  type Caller,
  type CreatedWebhookEndpoint,
  type CreateWebhookEndpoint,
  newId,
} from "@querybell/domain";
import { sealHeaders } from "@querybell/webhooks";
import { recordAudit } from "../audit/record-audit.ts";
import type { Deps } from "../deps.ts";
import { checkEndpoint } from "./check-endpoint.ts";
import { readEndpoint } from "./get-endpoint.ts";
import { insertSecret } from "./insert-secret.ts";

export async function createEndpoint(
  deps: Deps,
  caller: Caller,
  input: CreateWebhookEndpoint,
): Promise<CreatedWebhookEndpoint> {
  await checkEndpoint(deps, input);
  return deps.db.transaction((tx) => insertEndpoint({ ...deps, tx }, caller, input));
}

/** Inserts an endpoint whose URL and headers have been checked. */
export async function insertEndpoint(
  deps: { tx: Tx } & Pick<Deps, "clock" | "sealer">,
  { organizationId, userId }: Pick<Caller, "organizationId" | "userId">,
  { headers, ...settings }: CreateWebhookEndpoint,
): Promise<CreatedWebhookEndpoint> {
  const id = newId(deps.clock);
  const now = deps.clock.now();
  await deps.tx.webhookEndpoint.create({
    data: {
      ...settings,
      id,
      organizationId,
      sealedHeaders: sealHeaders(deps.sealer, id, headers),
      createdBy: userId,
      createdAt: now,
      updatedAt: now,
    },
  });
  const secret = await insertSecret(deps, id, now);
  const detail = { url: settings.url, eventTypes: settings.eventTypes };
  const record = { action: "webhook_endpoint.created", targetId: id, detail } as const;
  await recordAudit(deps, { organizationId, userId }, record);
  return { ...(await readEndpoint(deps, id)), secret };
}
