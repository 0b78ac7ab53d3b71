import type { Deps } from "@querybell/core";
import { insertEndpoint, insertTestEvent } from "@querybell/core/webhooks";
import type { Tx } from "@querybell/db";
import { CreateWebhookEndpoint, WebhookEventType } from "@querybell/domain";
import { openSecret } from "@querybell/webhooks";
import type { DemoOwner } from "./demo-key.ts";

const description = "The example receiver of npm start";

export interface DemoReceiver {
  /** False if the endpoint is disabled or the organization's webhooks are off: its deliveries are then held. */
  isReached: boolean;
  /** The secrets that may sign deliveries to it. */
  secrets: string[];
}

/**
 * Creates the endpoint of the example receiver, or updates its URL if the receiver has another port. Sends a test event
 * unless deliveries are held.
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
