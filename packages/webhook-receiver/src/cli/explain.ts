import { readFile } from "node:fs/promises";
import { buffer } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { createReceiver } from "../index.node.ts";
import type { Delivery } from "../lib/delivery.ts";
import { diagnose } from "../lib/diagnose.ts";
import { signerWith } from "../lib/hmac.web.ts";
import { candidateOf, type ReceiverOptions, settingsOf } from "../lib/receiver.ts";
import { parseSignedHeaders } from "../lib/signed-headers.ts";
import { WebhookError } from "../lib/webhook-error.ts";
import { type CapturedMessage, parseMessage } from "./captured-message.ts";
import { secretsOf } from "./secrets-of.ts";

const toleranceSeconds = 300;

export async function explain(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { secret: { type: "string", multiple: true }, at: { type: "string" } },
  });
  const [file = "-", ...others] = positionals;
  if (others.length > 0) throw new Error("explain takes one file at a time: run it once for each.");
  const secrets = secretsOf(values.secret);
  const message = parseMessage(file === "-" ? await buffer(process.stdin) : await readFile(file));
  const receivedAt = values.at === undefined ? undefined : parseTime(values.at);
  if (message.newlineCut)
    console.log("The newline after the Content-Length was left out: it is not of the body.");
  try {
    const delivery = await verifyCaptured(message, secrets);
    if (receivedAt !== undefined) checkTime(delivery, receivedAt);
    console.log(`It verifies: ${delivery.id}, signed with ${delivery.secretLabel}.`);
    console.log(`The event is of the type ${JSON.stringify(delivery.event().type)}.`);
    if (receivedAt === undefined) {
      const age = Math.round(Date.now() / 1000 - delivery.timestamp);
      console.log(
        `It was sent ${age} seconds ago; a receiver accepts it for ${toleranceSeconds}. Pass --at to judge the time too.`,
      );
    }
    return 0;
  } catch (error) {
    if (!(error instanceof WebhookError) || error.code === "malformed_secret") throw error;
    console.log(`${error.code}\n  ${error.message}\n  ${error.hint}`);
    return 1;
  }
}

function checkTime({ timestamp }: Delivery, receivedAt: number): void {
  const age = receivedAt / 1000 - timestamp;
  if (Math.abs(age) <= toleranceSeconds) return;
  const early = age < 0;
  const seconds = Math.ceil(Math.abs(age));
  throw new WebhookError(
    early ? "timestamp_in_future" : "timestamp_too_old",
    `It was sent ${seconds} seconds ${early ? "after" : "before"} --at; at most ${toleranceSeconds} are accepted.`,
    "The signature is genuine, so --at is not when it was received, or the receiver's clock was off, " +
      "or the request was held back or replayed.",
  );
}

function parseTime(text: string): number {
  const time = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text);
  if (Number.isNaN(time)) throw new Error("--at must be ISO 8601 or Unix seconds.");
  return time;
}

/** Verifies a captured request, and looks for the cause of a mismatch however large the body is. */
async function verifyCaptured(
  message: CapturedMessage,
  secrets: ReceiverOptions["secrets"],
): Promise<Delivery> {
  const options = {
    secrets,
    // The timestamp is checked separately, because the request was captured earlier.
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
