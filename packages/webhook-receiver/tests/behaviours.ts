import type { Behaviour } from "./behaviours/behaviour.ts";
import { bodies } from "./behaviours/bodies.ts";
import { events } from "./behaviours/events.ts";
import { headers } from "./behaviours/headers.ts";
import { readingRequests } from "./behaviours/reading-requests.ts";
import { secrets } from "./behaviours/secrets.ts";
import { standardWebhooks } from "./behaviours/standard-webhooks.ts";
import { timestamps } from "./behaviours/timestamps.ts";

/** What every build of the kit must do, by name. */
export const behaviours: Record<string, Behaviour> = {
  ...readingRequests,
  ...standardWebhooks,
  ...headers,
  ...timestamps,
  ...secrets,
  ...bodies,
  ...events,
};
