import {
  AppError,
  type Caller,
  type DebugWebhookSignature,
  type GivenWebhookSecret,
  isDestinationKind,
  type WebhookSecret,
  type WebhookSignatureExplained,
} from "@querybell/domain";
import {
  findSecretFlaw,
  openSecret,
  parseSecret,
  parseSubscriptionSecret,
  sign,
  toSentBody,
} from "@querybell/webhooks";
import type { Deps } from "../deps.ts";
import { deliveryNotFound, toSentHeaders } from "./get-delivery.ts";
import { newestSecretsFirst, toSecret, unsealOrUndefined } from "./get-endpoint.ts";

/** Shows the exact bytes that an attempt signed, which secret signed them, and whether a given secret matches. */
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
      endpoint: { include: { secrets: newestSecretsFirst } },
    },
  });
  if (!delivery) throw deliveryNotFound();
  const {
    event: { id: eventId },
    endpoint,
    attempts: [attempt],
  } = delivery;
  const isSubscription = endpoint.kind === "mcp";
  const event = {
    id: eventId,
    body: toSentBody({
      ...delivery.event,
      endpointId: endpoint.id,
      subscriptionId: endpoint.subscriptionId,
    }),
  };
  if (!attempt) throw new AppError("not_found", `This delivery has had no attempt ${number}.`);
  const header = (name: string) =>
    toSentHeaders(attempt.requestHeaders).find((sent) => sent.name === name)?.value;
  const prefix = isSubscription ? "webhook" : "svc-webhook";
  const [timestamp, signatures] = [header(`${prefix}-timestamp`), header(`${prefix}-signature`)];
  // That of the newest secret is the first.
  const signature = signatures?.split(" ")[0];
  if (!timestamp || !signature) {
    throw new AppError(
      "conflict",
      isDestinationKind(endpoint.kind)
        ? "Messages to destinations are not signed."
        : "This attempt was refused before anything was signed or sent.",
    );
  }

  const signWith = (secret: string): string => {
    const subscriptionKey = isSubscription ? parseSubscriptionSecret(secret) : undefined;
    const digest = sign(subscriptionKey ?? parseSecret(secret), Number(timestamp), event);
    return isSubscription ? `v1,${digest.toString("base64")}` : `v1=${digest.toString("hex")}`;
  };
  const signatureOf = ({ sealed }: { sealed: string }) => {
    const secret = unsealOrUndefined(() => openSecret(sealer, endpoint.id, sealed));
    return secret && signWith(secret);
  };
  const stored = endpoint.secrets.find(({ id }) => id === attempt.secretId);
  const explainGiven = (text: string): GivenWebhookSecret => {
    const flaw = isSubscription && parseSubscriptionSecret(text) ? undefined : findSecretFlaw(text);
    if (flaw) return { readable: false, matches: false, signature: null, secretId: null, ...flaw };
    const givenSignature = signWith(text);
    // Signatures are compared, never the secrets themselves.
    const known = endpoint.secrets.find((secret) => signatureOf(secret) === givenSignature);
    const matches = givenSignature === signature;
    const explanation = explainSecret(matches, known && toSecret(known, clock.now()));
    return {
      readable: true,
      matches,
      signature: givenSignature,
      secretId: known?.id ?? null,
      ...explanation,
    };
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

type Explanation = Pick<GivenWebhookSecret, "reason" | "sentence">;

/**
 * Explains how a given secret relates to an endpoint. `matches`: it signed the attempt. `known`: the
 * endpoint's secret that equals it, if there is one.
 */
function explainSecret(matches: boolean, known: WebhookSecret | undefined): Explanation {
  if (matches) {
    return {
      reason: "signed_this",
      sentence:
        "This secret signed the attempt. If your receiver still refuses it, compare the signed bytes.",
    };
  }
  switch (known?.state) {
    case "next":
      return {
        reason: "next",
        sentence: `This secret signs from ${known.signsFrom} on. Accept the present one until then.`,
      };
    case "signing":
      return {
        reason: "newer",
        sentence:
          "This secret signs now, but an older one signed the attempt. Resend the delivery: it is signed with this one.",
      };
    case "expired":
      return {
        reason: "replaced",
        sentence: `${describeExpiry(known)} Give your receiver the newer one.`,
      };
    default:
      return {
        reason: "unknown",
        sentence:
          "This secret does not belong to this endpoint. Check whether it is another endpoint's. If the right one is lost, rotate.",
      };
  }
}

const describeExpiry = ({ signsFrom, expiresAt }: WebhookSecret): string =>
  expiresAt !== null && new Date(expiresAt) <= new Date(signsFrom)
    ? `This secret was withdrawn at ${expiresAt}, before it signed anything.`
    : `This secret was replaced. It signed until ${expiresAt}.`;
