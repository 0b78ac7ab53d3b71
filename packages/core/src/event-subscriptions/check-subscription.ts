import { AppError, type Caller, type SubscribableEvent } from "@querybell/domain";
import { parseEventCursor, parseSubscriptionSecret } from "@querybell/webhooks";
import { getAutomation } from "../automations/get-automation.ts";
import type { Deps } from "../deps.ts";

/** What a program subscribes to, and where. */
export interface Subscribed {
  event: SubscribableEvent;
  /** Null for all automations that the key sees. */
  automationId: string | null;
  url: string;
}

export interface SubscribeToEvents extends Subscribed {
  secret: string;
  /** Null: from now on. */
  cursor: string | null;
  /** How long it should last; null for as long as possible, undefined for the default. */
  ttlMs: number | null | undefined;
  /** Older events are not sent again. */
  maxAgeMs: number | null;
}

const invalid = (path: string, sentence: string) =>
  new AppError("invalid_request", sentence, { errors: [{ path, message: sentence }] });

/** Reads the secret and the cursor. Throws if something of the input cannot be used. */
export async function checkSubscription(deps: Deps, caller: Caller, input: SubscribeToEvents) {
  const key = parseSubscriptionSecret(input.secret);
  if (!key) {
    throw invalid("delivery.secret", "The secret must be whsec_ followed by the base64 of 24 to 64 bytes.");
  }
  const { username = "", password = "" } = URL.parse(input.url) ?? {};
  if (username + password !== "") {
    throw invalid("delivery.url", "The URL carries credentials: remove them. The signature says who sends.");
  }
  const target = deps.guard.parseTarget(input.url);
  if (target.kind !== "target") throw invalid("delivery.url", target.message);
  if (input.url.includes("#"))
    throw invalid("delivery.url", "The URL has a fragment: remove # and what follows.");
  const from = input.cursor === null ? null : parseEventCursor(input.cursor);
  if (from === undefined) {
    throw invalid(
      "cursor",
      "This is no cursor of an event. Send the last one that you got, or null to start now.",
    );
  }
  if (input.automationId !== null) {
    await getAutomation(deps, caller, { id: input.automationId }).catch((error: unknown) => {
      if (!(error instanceof AppError) || error.code !== "not_found") throw error;
      throw invalid(
        "arguments.automationId",
        "There is no such automation. list_automations names those that exist.",
      );
    });
  }
  return { key, from };
}
