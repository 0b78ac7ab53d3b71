import type { Clock } from "@querybell/domain";
import pg from "pg";

export interface TestClock extends Clock {
  /** Advances the time of this process and of the database, and so of every process that uses either. */
  advance(milliseconds: number): Promise<void>;
}

/** A clock that stands still until the test advances it. It starts at the machine's time or at the given one. */
export function createTestClock(databaseUrl: string, startsAt = new Date()): TestClock {
  const setDatabaseTime = databaseTimeOf(databaseUrl);
  let now = startsAt;
  return {
    now: () => new Date(now),
    async advance(milliseconds) {
      now = new Date(now.getTime() + milliseconds);
      await setDatabaseTime(`SELECT ${pg.escapeLiteral(now.toISOString())}::timestamptz`);
    },
  };
}

/** A clock that runs like the machine's and that the test can advance. */
export function createRunningClock(databaseUrl: string): TestClock {
  const setDatabaseTime = databaseTimeOf(databaseUrl);
  let aheadMs = 0;
  return {
    now: () => new Date(Date.now() + aheadMs),
    async advance(milliseconds) {
      aheadMs += milliseconds;
      await setDatabaseTime(`SELECT now() + interval '${aheadMs} milliseconds'`);
    },
  };
}

/** Sets the time of a database. The connection is kept for a moment, because some tests advance a thousand times. */
function databaseTimeOf(connectionString: string): (body: string) => Promise<void> {
  const pool = new pg.Pool({ connectionString, max: 1, idleTimeoutMillis: 1_000, allowExitOnIdle: true });
  // The database can be dropped meanwhile.
  pool.on("error", () => {});
  return async (body) => {
    await pool.query(
      `CREATE OR REPLACE FUNCTION querybell_now() RETURNS timestamptz LANGUAGE sql STABLE AS ${pg.escapeLiteral(body)}`,
    );
  };
}
