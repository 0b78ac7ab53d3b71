import type { Deps } from "@querybell/core";
import { createDestination } from "@querybell/core/destinations";
import { disableEndpoint, insertEndpoint, insertTestEvent } from "@querybell/core/webhooks";
import type { Tx } from "@querybell/db";
import { type Caller, CreateWebhookEndpoint, runEventTypes } from "@querybell/domain";
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
    CreateWebhookEndpoint.parse({ url, description, eventTypes: [...runEventTypes] }),
  );

// Nothing listens there: port 9 (discard) is closed on current systems.
const nowhere = "http://127.0.0.1:9";

const examples = [
  { url: `${nowhere}/warehouse`, description: "An endpoint that does not answer", isDisabled: false },
  {
    url: `${nowhere}/retired-crm`,
    description: "A disabled endpoint, with what is held for it",
    isDisabled: true,
  },
];

/** A channel that no automation has chosen: to look at, or to give a real address. */
const exampleDestination = {
  kind: "slack",
  name: "#sales, without an address",
  url: `${nowhere}/slack`,
} as const;

/**
 * Creates two endpoints to investigate: one that fails and is retried, and one that is disabled; and a destination. They are created once:
 * the row of a deleted endpoint remains, so it is not created again.
 */
export async function seedEndpoints(deps: Deps, caller: Caller): Promise<void> {
  const { organizationId } = caller;
  for (const { isDisabled, ...settings } of examples) {
    const { description } = settings;
    if ((await deps.db.prisma.webhookEndpoint.count({ where: { organizationId, description } })) > 0)
      continue;
    const input = CreateWebhookEndpoint.parse({ ...settings, eventTypes: [...runEventTypes] });
    const { id } = await deps.db.transaction((tx) => insertEndpoint({ ...deps, tx }, caller, input));
    if (isDisabled) await disableEndpoint(deps, caller, { id });
  }
  const { name: description } = exampleDestination;
  if ((await deps.db.prisma.webhookEndpoint.count({ where: { organizationId, description } })) > 0) return;
  await createDestination(deps, caller, exampleDestination);
}
