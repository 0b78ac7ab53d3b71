import { type KeyObject, randomBytes, timingSafeEqual } from "node:crypto";
import type { Guard } from "@querybell/guard";
import { z } from "zod";
import { type AttemptResult, type Outcome, outcomeClass } from "./outcome.ts";
import { createRecipient } from "./recipient.ts";
import type { Sender } from "./sender.ts";

/** Why a receiver did not prove that it wants events. */
export type ChallengeFailure =
  | "connection_refused"
  | "timeout"
  | "tls_error"
  | "http_4xx"
  | "http_5xx"
  | "challenge_failed";

interface Addressed {
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
  receiver: Addressed,
): Promise<ChallengeFailure | undefined> {
  const challenge = randomBytes(32).toString("base64url");
  const id = `msg_verification_${randomBytes(16).toString("hex")}`;
  const result = await sendControl({ sender, guard }, receiver, { id, type: "verification", challenge });
  if (result.outcome.kind !== "success") return toFailure(result.outcome);
  return repeats(result, challenge) ? undefined : "challenge_failed";
}

/** Sends a signed message that is no event: it has a field `type`. */
function sendControl(
  { sender, guard }: { sender: Sender; guard: Guard },
  { url, key, subscriptionId }: Addressed,
  { id, ...message }: { id: string; type: string } & Record<string, unknown>,
): Promise<AttemptResult> {
  const settings = { url, headers: {}, standardWebhooks: true, sendsTraceparent: false, subscriptionId };
  const body = Buffer.from(JSON.stringify(message));
  return sender.send(createRecipient(settings, guard), [key], { id, body });
}

interface Terminated {
  /** The same for each attempt to tell it. */
  id: string;
  error: { code: number; message: string };
}

/** Tells a receiver that its subscription has ended. Returns the outcome's short name. */
export async function tellTerminated(
  parts: { sender: Sender; guard: Guard },
  receiver: Addressed,
  { id, error }: Terminated,
): Promise<string> {
  const message = { id: `msg_terminated_${id}`, type: "terminated", error };
  const { outcome } = await sendControl(parts, receiver, message);
  return outcomeClass(outcome);
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
