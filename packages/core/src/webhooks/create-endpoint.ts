import { sealHeaders } from "@querybell/delivery";
import {
  type Caller,
  type CreatedWebhookEndpoint,
  type CreateWebhookEndpoint,
  newId,
} from "@querybell/domain";
import { recordAudit } from "../audit/record-audit.ts";
import type { Deps } from "../deps.ts";
import { checkEndpoint } from "./check-endpoint.ts";
import { readEndpoint } from "./find-endpoint.ts";
import { insertSecret } from "./new-secret.ts";

export async function createEndpoint(
  deps: Deps,
  caller: Caller,
  { headers, ...settings }: CreateWebhookEndpoint,
): Promise<CreatedWebhookEndpoint> {
  await checkEndpoint(deps, { url: settings.url, headers });
  const id = newId(deps.clock);
  const now = deps.clock.now();
  return deps.db.transaction(async (tx) => {
    await tx.webhookEndpoint.create({
      data: {
        ...settings,
        id,
        organizationId: caller.organizationId,
        sealedHeaders: sealHeaders(deps.sealer, id, headers),
        createdBy: caller.userId,
        createdAt: now,
        updatedAt: now,
      },
    });
    const secret = await insertSecret({ ...deps, tx }, id, now);
    await recordAudit({ ...deps, tx }, caller, {
      action: "webhook_endpoint.created",
      targetId: id,
      detail: { url: settings.url, eventTypes: settings.eventTypes },
    });
    return { ...(await readEndpoint({ ...deps, tx }, id)), secret };
  });
}
