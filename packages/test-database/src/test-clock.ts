import type { Clock } from "@querybell/domain";
import { withConnection } from "@querybell/embedded-postgres";
import pg from "pg";

export interface TestClock extends Clock {
  /** Advances the time of this process and of the database, and so of every process that uses either. */
  advance(milliseconds: number): Promise<void>;
}

/** A clock that stands still until the test advances it. It starts at the machine's time or at the given one. */
export function createTestClock(databaseUrl: string, startsAt = new Date()): TestClock {
  let now = startsAt;
  return {
    now: () => new Date(now),
    async advance(milliseconds) {
      now = new Date(now.getTime() + milliseconds);
      await setDatabaseTime(databaseUrl, `SELECT ${pg.escapeLiteral(now.toISOString())}::timestamptz`);
    },
  };
}

/** A clock that runs like the machine's and that the test can advance. */
export function createRunningClock(databaseUrl: string): TestClock {
  let aheadMs = 0;
  return {
    now: () => new Date(Date.now() + aheadMs),
    async advance(milliseconds) {
      aheadMs += milliseconds;
      await setDatabaseTime(databaseUrl, `SELECT now() + interval '${aheadMs} milliseconds'`);
    },
  };
}

async function setDatabaseTime(databaseUrl: string, body: string): Promise<void> {
  const text = `CREATE OR REPLACE FUNCTION querybell_now() RETURNS timestamptz LANGUAGE sql STABLE AS ${pg.escapeLiteral(body)}`;
  await withConnection(databaseUrl, (client) => client.query(text));
}
