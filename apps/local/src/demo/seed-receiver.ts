import type { Deps } from "@querybell/core";
import { insertEndpoint, insertTestEvent } from "@querybell/core/webhooks";
import type { Tx } from "@querybell/db";
import { CreateWebhookEndpoint, WebhookEventType } from "@querybell/domain";
import { openSecret } from "@querybell/webhooks";
import type { DemoOwner } from "./demo-owner.ts";

const description = "The example receiver of npm start";

export interface DemoReceiver {
  /** False where the endpoint is disabled, or the organization's webhooks are off: what is for it is held. */
  isReached: boolean;
  /** What may sign the deliveries to it. */
  secrets: string[];
}

/**
 * The endpoint of the example receiver, made when there is none and moved when the receiver has moved, with a
 * test event on its way there unless deliveries are held.
 */
export async function seedReceiver(
  deps: { tx: Tx } & Deps,
  owner: DemoOwner,
  url: string,
): Promise<DemoReceiver> {
  const { tx, clock, sealer } = deps;
  const { id, state } = (await moveEndpoint(deps, owner, url)) ?? (await makeEndpoint(deps, owner, url));
  const { webhooksEnabled } = await tx.organization.findUniqueOrThrow({
    where: { id: owner.organizationId },
  });
  const isReached = state === "enabled" && webhooksEnabled;
  if (isReached) await insertTestEvent(deps, owner, id);
  const secrets = await tx.webhookSecret.findMany({
    where: { endpointId: id, OR: [{ expiresAt: null }, { expiresAt: { gt: clock.now() } }] },
    orderBy: { id: "asc" },
  });
  return { isReached, secrets: secrets.map(({ sealed }) => openSecret(sealer, id, sealed)) };
}

async function moveEndpoint({ tx, clock }: { tx: Tx } & Deps, { organizationId }: DemoOwner, url: string) {
  const found = await tx.webhookEndpoint.findFirst({
    where: { organizationId, description, state: { not: "deleted" } },
    orderBy: { id: "asc" },
  });
  if (!found || found.url === url) return found;
  return tx.webhookEndpoint.update({ where: { id: found.id }, data: { url, updatedAt: clock.now() } });
}

const makeEndpoint = (deps: { tx: Tx } & Deps, owner: DemoOwner, url: string) =>
  insertEndpoint(
    deps,
    owner,
    CreateWebhookEndpoint.parse({ url, description, eventTypes: WebhookEventType.options }),
  );
