import type { Deps } from "@querybell/core";
import { insertKey, matchesHash, parseKeyText } from "@querybell/core/keys";
import type { Tx } from "@querybell/db";
import { type Caller, Scope } from "@querybell/domain";

const name = "Demo key of npm start";
const scopes = [...Scope.options];

/** The owner of the demo organization. */
export type DemoOwner = Pick<Caller, "organizationId" | "userId">;

export interface DemoKey {
  text: string;
  /** The caller that the key authenticates. */
  caller: Caller;
}

/**
 * The demo's key: the key of an earlier start if it is still valid, otherwise a new one that replaces it. The caller
 * stores its text, because the database has only a hash of it.
 */
export async function ensureDemoKey(
  deps: { tx: Tx } & Pick<Deps, "clock">,
  owner: DemoOwner,
  known: string | undefined,
): Promise<DemoKey> {
  const { tx, clock } = deps;
  const callerOf = (keyId: string): Caller => ({
    ...owner,
    role: "owner",
    via: { kind: "key", keyId, scopes },
  });
  const kept = known === undefined ? undefined : await findKey(deps, owner, known);
  if (kept && known !== undefined) return { text: known, caller: callerOf(kept) };
  await tx.apiKey.updateMany({
    where: { ...owner, name, revokedAt: null },
    data: { revokedAt: clock.now() },
  });
  const { id, key } = await insertKey(deps, owner, { name, scopes });
  return { text: key, caller: callerOf(id) };
}

/** The id of the key with this text; undefined if it is unknown or revoked. */
async function findKey({ tx }: { tx: Tx }, owner: DemoOwner, text: string): Promise<string | undefined> {
  const presented = parseKeyText(text);
  if (!presented) return undefined;
  const row = await tx.apiKey.findFirst({ where: { ...owner, prefix: presented.prefix, revokedAt: null } });
  return row && matchesHash(presented.secret, row.secretHash) ? row.id : undefined;
}
