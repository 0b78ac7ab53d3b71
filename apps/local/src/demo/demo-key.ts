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
 * The demo's key: the key of an earlier start if it is still valid, otherwise a new one. The caller stores its text,
 * because the database has only a hash of it. Other keys of the demo stay valid: they may be those of an earlier version,
 * or of another data folder, and be in use.
 */
export async function ensureDemoKey(
  deps: { tx: Tx } & Pick<Deps, "clock">,
  owner: DemoOwner,
  known: string | undefined,
): Promise<DemoKey> {
  const { tx } = deps;
  const callerOf = (keyId: string): Caller => ({
    ...owner,
    role: "owner",
    via: { kind: "key", keyId, scopes },
  });
  const kept = known === undefined ? undefined : await findKey(deps, owner, known);
  if (kept !== undefined && known !== undefined) {
    // An earlier version had fewer scopes.
    await tx.apiKey.update({ where: { id: kept }, data: { scopes } });
    return { text: known, caller: callerOf(kept) };
  }
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
