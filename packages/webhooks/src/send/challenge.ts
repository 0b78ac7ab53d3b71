import { type KeyObject, randomBytes, timingSafeEqual } from "node:crypto";
import type { Guard } from "@querybell/guard";
import { z } from "zod";
import { createDestination } from "./destination.ts";
import type { AttemptResult, Outcome } from "./outcome.ts";
import type { Sender } from "./sender.ts";

/** Why a receiver did not prove that it wants events. */
export type ChallengeFailure =
  | "connection_refused"
  | "timeout"
  | "tls_error"
  | "http_4xx"
  | "http_5xx"
  | "challenge_failed";

interface Challenged {
  url: string;
  key: KeyObject;
  subscriptionId: string;
}

/**
 * Sends a random text to a receiver, which must send it back: so nobody makes us send events to a server that did not ask
 * for them. Undefined if it did. Nothing of its answer is told to whoever subscribes.
 */
export async function challengeReceiver(
  { sender, guard }: { sender: Sender; guard: Guard },
  { url, key, subscriptionId }: Challenged,
): Promise<ChallengeFailure | undefined> {
  const settings = { url, headers: {}, standardWebhooks: true, sendsTraceparent: false, subscriptionId };
  const challenge = randomBytes(32).toString("base64url");
  const id = `msg_verification_${randomBytes(16).toString("hex")}`;
  const body = Buffer.from(JSON.stringify({ type: "verification", challenge }));
  const result = await sender.send(createDestination(settings, guard), [key], { id, body });
  if (result.outcome.kind !== "success") return toFailure(result.outcome);
  return repeats(result, challenge) ? undefined : "challenge_failed";
}

const Repeated = z.object({ challenge: z.string() });

function repeats({ response }: AttemptResult, challenge: string): boolean {
  try {
    const repeated = Repeated.parse(JSON.parse(Buffer.from(response?.body ?? []).toString()));
    const [given, expected] = [Buffer.from(repeated.challenge), Buffer.from(challenge)];
    return given.length === expected.length && timingSafeEqual(given, expected);
  } catch {
    return false;
  }
}

function toFailure(outcome: Outcome): ChallengeFailure {
  switch (outcome.kind) {
    case "timeout":
      return "timeout";
    case "tls":
      return "tls_error";
    case "status":
      return outcome.status >= 500 ? "http_5xx" : outcome.status >= 400 ? "http_4xx" : "challenge_failed";
    case "redirect":
    case "invalid_response":
      return "challenge_failed";
    // An address that may not be connected to looks the same as one where nothing listens.
    default:
      return "connection_refused";
  }
}
