import {
  AppError,
  type Caller,
  type RevealedWebhookSecret,
  type RotateWebhookSecret,
  type WebhookEndpoint,
  type WebhookEndpointId,
} from "@querybell/domain";
import { recordAudit } from "../audit/record-audit.ts";
import type { Deps } from "../deps.ts";
import { announceChange } from "./announce-change.ts";
import { secretState } from "./endpoint-row.ts";
import { keptSecrets, lockEndpoint, readEndpoint } from "./find-endpoint.ts";
import { insertSecret } from "./new-secret.ts";

/** The present secret signs until the overlap ends, then the new one does. Without an overlap: at once. */
export async function rotateSecret(
  deps: Deps,
  caller: Caller,
  { id, overlapHours }: RotateWebhookSecret,
): Promise<RevealedWebhookSecret> {
  return deps.db.transaction(async (tx) => {
    const { secrets } = await lockEndpoint(tx, caller, id);
    const now = deps.clock.now();
    if (overlapHours > 0 && secrets.some((secret) => secretState(secret, now) === "next")) {
      throw new AppError(
        "conflict",
        "A rotation is under way. Switch to its secret first, or rotate without an overlap.",
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
    await announceChange({ ...deps, tx }, id);
    return revealed;
  });
}

/** Ends a rotation's overlap now: the receiver knows the new secret. */
export async function switchSecret(
  deps: Deps,
  caller: Caller,
  { id }: WebhookEndpointId,
): Promise<WebhookEndpoint> {
  return deps.db.transaction(async (tx) => {
    const { secrets } = await lockEndpoint(tx, caller, id);
    const now = deps.clock.now();
    const next = secrets.find((secret) => secretState(secret, now) === "next");
    if (!next) throw new AppError("conflict", "No rotation is under way. Rotate the secret first.");
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
    await announceChange({ ...deps, tx }, id);
    return readEndpoint({ ...deps, tx }, id);
  });
}
