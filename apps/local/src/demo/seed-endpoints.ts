import type { Deps } from "@querybell/core";
import { disableEndpoint, insertEndpoint } from "@querybell/core/webhooks";
import { type Caller, CreateWebhookEndpoint, WebhookEventType } from "@querybell/domain";

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

/**
 * Creates two endpoints to investigate: one that fails and is retried, and one that is disabled. They are created once:
 * the row of a deleted endpoint remains, so it is not created again.
 */
export async function seedEndpoints(deps: Deps, caller: Caller): Promise<void> {
  const { organizationId } = caller;
  for (const { isDisabled, ...settings } of examples) {
    const { description } = settings;
    if ((await deps.db.prisma.webhookEndpoint.count({ where: { organizationId, description } })) > 0)
      continue;
    const input = CreateWebhookEndpoint.parse({ ...settings, eventTypes: WebhookEventType.options });
    const { id } = await deps.db.transaction((tx) => insertEndpoint({ ...deps, tx }, caller, input));
    if (isDisabled) await disableEndpoint(deps, caller, { id });
  }
}
