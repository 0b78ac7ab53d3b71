import type { Caller, UpdateWebhookEndpoint, WebhookEndpoint } from "@querybell/domain";
import { sealHeaders } from "@querybell/webhooks";
import { recordAudit } from "../audit/record-audit.ts";
import type { Deps } from "../deps.ts";
import { bumpRevision } from "./bump-revision.ts";
import { checkEndpoint } from "./check-endpoint.ts";
import { lockEndpoint, readEndpoint } from "./get-endpoint.ts";

/** Changes apply from the next attempt on, also to deliveries that are pending already. */
export async function updateEndpoint(
  deps: Deps,
  caller: Caller,
  { id, headers, ...input }: UpdateWebhookEndpoint,
): Promise<WebhookEndpoint> {
  await checkEndpoint(deps, { url: input.url, headers });
  const changes = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
  return deps.db.transaction(async (tx) => {
    const before = await lockEndpoint(tx, caller, id);
    await tx.webhookEndpoint.update({
      where: { id },
      data: {
        ...changes,
        ...(headers && { sealedHeaders: sealHeaders(deps.sealer, id, headers) }),
      },
    });
    await recordAudit({ ...deps, tx }, caller, {
      action: "webhook_endpoint.changed",
      targetId: id,
      detail: {
        url: input.url ?? before.url,
        changed: [...Object.keys(changes), ...(headers ? ["headers"] : [])],
      },
    });
    await bumpRevision({ ...deps, tx }, id);
    return readEndpoint({ ...deps, tx }, id);
  });
}
