import type { Database } from "@querybell/db";
import type { Caller, Clock, RestCall } from "@querybell/domain";
import { createBackgroundWrites } from "./background-writes.ts";
import type { Deps } from "./deps.ts";
import { keyStart } from "./keys/keys.ts";

// Each key has at most nine routes. Longer lists are cut.
const maxListed = 500;

/** Lists the last call of each key and published REST route, newest first. */
export async function listRestCalls({ db }: Deps, { organizationId }: Caller): Promise<RestCall[]> {
  const rows = await db.prisma.restCall.findMany({
    where: { organizationId },
    include: { key: { include: { member: { include: { user: true } } } } },
    orderBy: [{ lastCalledAt: "desc" }, { keyId: "asc" }, { route: "asc" }],
    take: maxListed,
  });
  return rows.map(({ key, route, retired, lastCalledAt }) => {
    const { id: userId, name, email } = key.member.user;
    return {
      key: { id: key.id, name: key.name, start: keyStart(key), revoked: key.revokedAt !== null },
      owner: { userId, name, email },
      route,
      retired,
      lastCalledAt: lastCalledAt.toISOString(),
    };
  });
}

interface RecorderOptions {
  db: Database;
  clock: Clock;
  onError: (error: unknown) => void;
}

interface Call {
  keyId: string;
  route: string;
  /** Whether the call failed because the routes are retired. */
  retired: boolean;
}

const recordEveryMs = 60_000;
const maxEntries = 10_000;

/** Writes the time of the last call of each key and route, at most once a minute, without delaying the request. */
export function createRestCallRecorder({ db, clock, onError }: RecorderOptions) {
  const writes = createBackgroundWrites(onError);
  const recordedAt = new Map<string, number>();

  return {
    record(call: Call): void {
      const now = clock.now();
      const name = `${call.keyId} ${call.route} ${call.retired}`;
      if (now.getTime() - (recordedAt.get(name) ?? -Infinity) < recordEveryMs) return;
      // A Map keeps insertion order: the first key is the oldest.
      recordedAt.delete(name);
      for (const oldest of recordedAt.keys()) {
        if (recordedAt.size < maxEntries) break;
        recordedAt.delete(oldest);
      }
      recordedAt.set(name, now.getTime());
      writes.add(writeCall(db, call, now));
    },
    close: writes.close,
  };
}

export type RestCallRecorder = ReturnType<typeof createRestCallRecorder>;

/** Writes nothing if the key was deleted, or if another process wrote within the last minute. */
const writeCall = (db: Database, { keyId, route, retired }: Call, now: Date) =>
  db.pool.query({
    name: "write_rest_call",
    text: `
      INSERT INTO rest_calls (key_id, organization_id, route, last_called_at, retired)
      SELECT id, organization_id, $2, $3, $4 FROM api_keys WHERE id = $1
      ON CONFLICT (key_id, route) DO UPDATE SET last_called_at = excluded.last_called_at, retired = excluded.retired
      WHERE rest_calls.last_called_at <= excluded.last_called_at - interval '1 minute'
        OR rest_calls.retired <> excluded.retired`,
    values: [keyId, route, now, retired],
  });
