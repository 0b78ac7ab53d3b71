import { asService, type Database } from "@querybell/db";
import { type Caller, type Clock, isAtLeast, type McpCall, maxMcpCalls, newId } from "@querybell/domain";
import { createBackgroundWrites } from "./background-writes.ts";
import type { Deps } from "./deps.ts";

const maxListed = 100;

/** Lists the last calls over MCP, newest first: for admins those of the organization, for others those of their keys. */
export async function listMcpCalls(
  { db }: Pick<Deps, "db">,
  { organizationId, userId, role }: Caller,
): Promise<McpCall[]> {
  const rows = await db.prisma.mcpCall.findMany({
    where: { organizationId, ...(!isAtLeast(role, "admin") && { key: { userId } }) },
    include: { key: { include: { member: { include: { user: true } } } } },
    orderBy: { id: "desc" },
    take: maxListed,
  });
  return rows.map(({ id, at, tool, key, rowCount, durationMs, errorCode }) => ({
    id,
    at: at.toISOString(),
    tool,
    key: { id: key.id, name: key.name },
    owner: { userId: key.userId, name: key.member.user.name },
    rowCount,
    durationMs,
    errorCode,
  }));
}

interface RecorderOptions {
  db: Database;
  clock: Clock;
  onError: (error: unknown) => void;
}

interface Call {
  organizationId: string;
  keyId: string;
  tool: string;
  errorCode: string | null;
  rowCount: number | null;
  durationMs: number;
}

interface StoredCall extends Call {
  id: string;
  at: Date;
}

const writeEveryMs = 1_000;
/** If the database does not answer, the oldest calls are forgotten. */
const maxWaiting = 10_000;

/**
 * Records calls without delaying them: they are written together, once a second. If the process is killed, the calls of
 * the last second are missing in the list.
 */
export function createMcpCallRecorder({ db, clock, onError }: RecorderOptions) {
  const writes = createBackgroundWrites(onError);
  let waiting: StoredCall[] = [];
  let timer: NodeJS.Timeout | undefined;

  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (waiting.length === 0) return;
    const calls = waiting;
    waiting = [];
    writes.add(asService(() => writeCalls(db, calls)));
  };

  return {
    record(call: Call): void {
      if (waiting.length >= maxWaiting) waiting.shift();
      waiting.push({ ...call, id: newId(clock), at: clock.now() });
      timer ??= setTimeout(flush, writeEveryMs).unref();
    },
    /** Writes what waits. */
    async close(): Promise<void> {
      flush();
      await writes.close();
    },
  };
}

export type McpCallRecorder = ReturnType<typeof createMcpCallRecorder>;

/** Writes calls, except those of keys that were deleted meanwhile, and deletes what is older than the last 1,000. */
async function writeCalls(db: Database, calls: readonly StoredCall[]): Promise<void> {
  const column = <Field extends keyof StoredCall>(field: Field) => calls.map((call) => call[field]);
  await db.pool.query({
    name: "write_mcp_calls",
    text: `
      INSERT INTO mcp_calls (id, organization_id, key_id, tool, error_code, row_count, duration_ms, at)
      SELECT c.id, k.organization_id, k.id, c.tool, c.error_code, c.row_count, c.duration_ms, c.at
      FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::int[], $6::int[], $7::timestamptz[])
        AS c (id, key_id, tool, error_code, row_count, duration_ms, at)
      JOIN api_keys k ON k.id = c.key_id
      FOR KEY SHARE OF k`,
    values: [
      column("id"),
      column("keyId"),
      column("tool"),
      column("errorCode"),
      column("rowCount"),
      column("durationMs"),
      column("at"),
    ],
  });
  // Another process may delete the same rows: those are skipped.
  await db.pool.query({
    name: "trim_mcp_calls",
    text: `
      DELETE FROM mcp_calls WHERE id IN (
        SELECT c.id FROM unnest($1::uuid[]) AS o (id) JOIN mcp_calls c ON c.organization_id = o.id AND c.id <= (
          SELECT l.id FROM mcp_calls l WHERE l.organization_id = o.id ORDER BY l.id DESC OFFSET $2 LIMIT 1)
        FOR UPDATE OF c SKIP LOCKED)`,
    values: [[...new Set(column("organizationId"))], maxMcpCalls],
  });
}
