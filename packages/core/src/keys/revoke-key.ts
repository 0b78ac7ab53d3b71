import { AppError, type Caller, type RevokeApiKey } from "@querybell/domain";
import { recordAudit } from "../audit/record-audit.ts";
import type { Deps } from "../deps.ts";

/** Revokes a key. This process rejects it at once, every other process within five seconds. */
export async function revokeKey(
  { db, clock, keyCache }: Deps,
  caller: Caller,
  { id }: RevokeApiKey,
): Promise<void> {
  const owner = await db.transaction(async (tx) => {
    const [revoked] = await tx.apiKey.updateManyAndReturn({
      where: { id, organizationId: caller.organizationId, revokedAt: null },
      data: { revokedAt: clock.now() },
    });
    if (!revoked) throw new AppError("not_found", "There is no such key. It may have been revoked already.");
    await recordAudit({ tx, clock }, caller, {
      action: "api_key.revoked",
      targetId: id,
      detail: { name: revoked.name },
    });
    return revoked;
  });
  keyCache.forgetKeysOf(owner);
}
