import type { Tx } from "@querybell/db";
import {
  AppError,
  type Caller,
  newId,
  type RevealedWebhookSecret,
  type RotateWebhookSecret,
  type WebhookEndpoint,
  type WebhookEndpointId,
} from "@querybell/domain";
import { createSecretText, sealSecret } from "@querybell/webhooks";
import { recordAudit } from "../audit.ts";
import type { Deps } from "../deps.ts";
import {
  bumpRevision,
  keptSecrets,
  lockWebhook,
  readEndpoint,
  secretState,
  toSecret,
} from "./get-endpoint.ts";

/** Creates a new secret, which signs once the overlap has ended; until then the present one signs. */
export async function rotateSecret(
  deps: Deps,
  caller: Caller,
  { id, overlapHours }: RotateWebhookSecret,
): Promise<RevealedWebhookSecret> {
  return deps.db.transaction(async (tx) => {
    const { secrets } = await lockWebhook(tx, caller, id);
    const now = deps.clock.now();
    if (overlapHours > 0 && secrets.some((secret) => secretState(secret, now) === "next")) {
      throw new AppError(
        "conflict",
        "A rotation is already in progress. Switch to its secret first, or rotate without an overlap.",
      );
    }
    const signsFrom = new Date(now.getTime() + overlapHours * 3_600_000);
    await tx.webhookSecret.updateMany({
      where: { endpointId: id, OR: [{ expiresAt: null }, { expiresAt: { gt: now } }] },
      data: { expiresAt: signsFrom },
    });
    const oldestKept = secrets.at(keptSecrets - 1);
    if (oldestKept) {
      await tx.webhookSecret.deleteMany({
        where: { endpointId: id, id: { lt: oldestKept.id }, expiresAt: { lte: now } },
      });
    }
    const revealed = await insertSecret({ ...deps, tx }, id, signsFrom);
    await recordAudit({ ...deps, tx }, caller, {
      action: "webhook_secret.rotated",
      targetId: id,
      detail: { secretId: revealed.id, overlapHours },
    });
    await bumpRevision({ ...deps, tx }, id);
    return revealed;
  });
}

/** Ends the overlap of a rotation now: the new secret signs from here on. */
export async function switchSecret(
  deps: Deps,
  caller: Caller,
  { id }: WebhookEndpointId,
): Promise<WebhookEndpoint> {
  return deps.db.transaction(async (tx) => {
    const { secrets } = await lockWebhook(tx, caller, id);
    const now = deps.clock.now();
    const next = secrets.find((secret) => secretState(secret, now) === "next");
    if (!next) throw new AppError("conflict", "No rotation is in progress. Rotate the secret first.");
    await tx.webhookSecret.updateMany({
      where: { endpointId: id, id: { not: next.id }, expiresAt: { gt: now } },
      data: { expiresAt: now },
    });
    await tx.webhookSecret.update({ where: { id: next.id }, data: { signsFrom: now } });
    await recordAudit({ ...deps, tx }, caller, {
      action: "webhook_secret.switched",
      targetId: id,
      detail: { secretId: next.id },
    });
    await bumpRevision({ ...deps, tx }, id);
    return readEndpoint({ ...deps, tx }, id);
  });
}

/** Creates a secret and stores it sealed. The returned text is shown once and cannot be read again. */
export async function insertSecret(
  { tx, clock, sealer }: { tx: Tx } & Pick<Deps, "clock" | "sealer">,
  endpointId: string,
  signsFrom: Date,
): Promise<RevealedWebhookSecret> {
  const secret = createSecretText();
  const row = await tx.webhookSecret.create({
    data: {
      id: newId(clock),
      endpointId,
      sealed: sealSecret(sealer, endpointId, secret),
      createdAt: clock.now(),
      signsFrom,
    },
  });
  return { ...toSecret(row, clock.now()), secret };
}
