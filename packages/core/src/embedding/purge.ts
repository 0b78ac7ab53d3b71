import { inBatches } from "@querybell/db";
import type { Deps } from "../deps.ts";

/** Deletes sessions that have expired, and pages that nobody has asked for in two hours: they are kept for at most one. */
export async function purgeEmbeds({ db }: Pick<Deps, "db">): Promise<{ sessions: number; pages: number }> {
  return {
    sessions: await inBatches(db.pool, expiredSessions, { days: 0, batchSize: 500 }),
    pages: await inBatches(db.pool, oldPages, { days: 0, batchSize: 100 }),
  };
}

const expiredSessions = `
  DELETE FROM embed_sessions WHERE token_hash IN (
    SELECT token_hash FROM embed_sessions WHERE expires_at <= querybell_now() - make_interval(days => $1)
    ORDER BY expires_at LIMIT $2)`;

const oldPages = `
  DELETE FROM embed_pages WHERE id IN (
    SELECT id FROM embed_pages WHERE requested_at < querybell_now() - interval '2 hours' - make_interval(days => $1)
    ORDER BY requested_at LIMIT $2)`;
