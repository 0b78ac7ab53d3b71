import { createReceiver } from "../index.node.ts";
import type { Delivery } from "../lib/delivery.ts";
import { diagnose } from "../lib/diagnose.ts";
import { signerWith } from "../lib/hmac.web.ts";
import { candidateOf, type ReceiverOptions, settingsOf } from "../lib/receiver.ts";
import { parseSignedHeaders } from "../lib/signed-headers.ts";
import { WebhookError } from "../lib/webhook-error.ts";
import type { CapturedMessage } from "./captured-message.ts";

/** Verifies a captured request, and looks for the cause of a mismatch however large the body is. */
export async function verifyCaptured(
  message: CapturedMessage,
  secrets: ReceiverOptions["secrets"],
): Promise<Delivery> {
  const options = {
    secrets,
    // The time is judged apart: the clock of this machine had no part in it.
    clock: () => parseSignedHeaders(message.headers).timestamp * 1000,
    maxBodyBytes: Number.MAX_SAFE_INTEGER,
  };
  try {
    return createReceiver(options).verifySync(message);
  } catch (error) {
    if (!(error instanceof WebhookError) || error.code !== "signature_mismatch") throw error;
    const settings = settingsOf(options);
    const candidate = candidateOf(settings, message);
    const diagnosed = await diagnose({
      error,
      WebhookError,
      candidate,
      secrets: settings.secrets,
      matches: async (key, body) =>
        candidate.signatures.includes(`v1=${await signerWith(key)(candidate.prefix, body)}`),
      largestDiagnosed: options.maxBodyBytes,
    });
    throw incomplete(message, diagnosed) ?? diagnosed;
  }
}

function incomplete({ body, announcedBytes = 0 }: CapturedMessage, diagnosed: unknown) {
  if (body.length >= announcedBytes) return undefined;
  const otherwise = diagnosed instanceof WebhookError ? ` If that is all that came: ${diagnosed.hint}` : "";
  return new WebhookError(
    "body_incomplete",
    `The body is incomplete: ${body.length} of the ${announcedBytes} bytes of its Content-Length are there.`,
    `Capture the whole body, since all of it is signed.${otherwise}`,
  );
}
