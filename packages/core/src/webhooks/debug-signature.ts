import {
  AppError,
  type Caller,
  type DebugWebhookSignature,
  type GivenWebhookSecret,
  type WebhookSignatureExplained,
} from "@querybell/domain";
import { openSecret, parseSecret, sign } from "@querybell/webhooks";
import type { Deps } from "../deps.ts";
import { toSecret } from "./endpoint-row.ts";
import { secretsInOrder } from "./find-endpoint.ts";
import { missingDelivery, sentHeaders } from "./get-delivery.ts";
import { ifOpened } from "./if-opened.ts";
import { judgeSecret, whyUnreadable } from "./judge-secret.ts";

/** Shows the exact bytes that an attempt signed, which secret signed them, and whether a given one would have. */
export async function debugSignature(
  { db, sealer, clock }: Deps,
  { organizationId }: Caller,
  { deliveryId, attempt: number, secret: given }: DebugWebhookSignature,
): Promise<WebhookSignatureExplained> {
  const delivery = await db.prisma.webhookDelivery.findFirst({
    where: { id: deliveryId, endpoint: { organizationId } },
    include: {
      event: true,
      attempts: { where: { number } },
      endpoint: { include: { secrets: secretsInOrder } },
    },
  });
  if (!delivery) throw missingDelivery();
  const {
    event,
    endpoint,
    attempts: [attempt],
  } = delivery;
  if (!attempt) throw new AppError("not_found", `This delivery has had no attempt ${number}.`);
  const header = (name: string) =>
    sentHeaders(attempt.requestHeaders).find((sent) => sent.name === name)?.value;
  const [timestamp, signature] = [header("svc-webhook-timestamp"), header("svc-webhook-signature")];
  if (!timestamp || !signature) {
    throw new AppError("conflict", "This attempt was refused before anything was signed or sent.");
  }

  const signWith = (secret: string) =>
    `v1=${sign(parseSecret(secret), Number(timestamp), event).toString("hex")}`;
  const signatureOf = ({ sealed }: { sealed: string }) => {
    const secret = ifOpened(() => openSecret(sealer, endpoint.id, sealed));
    return secret && signWith(secret);
  };
  const stored = endpoint.secrets.find(({ id }) => id === attempt.secretId);
  const explainGiven = (text: string): GivenWebhookSecret => {
    const flaw = whyUnreadable(text);
    if (flaw) return { readable: false, matches: false, signature: null, secretId: null, ...flaw };
    const made = signWith(text);
    // Signatures are compared, never the secrets themselves.
    const known = endpoint.secrets.find((secret) => signatureOf(secret) === made);
    const matches = made === signature;
    const verdict = judgeSecret(matches, known && toSecret(known, clock.now()));
    return { readable: true, matches, signature: made, secretId: known?.id ?? null, ...verdict };
  };
  const reproduced = stored && signatureOf(stored);
  const signedContent = `${event.id}.${timestamp}.${Buffer.from(event.body).toString()}`;
  return {
    signedContent,
    signedBytes: Buffer.byteLength(signedContent),
    timestamp,
    signature,
    secret: {
      id: attempt.secretId,
      known: stored !== undefined,
      createdAt: stored?.createdAt.toISOString() ?? null,
    },
    reproduced: reproduced === undefined ? null : reproduced === signature,
    given: given === undefined ? null : explainGiven(given),
  };
}
