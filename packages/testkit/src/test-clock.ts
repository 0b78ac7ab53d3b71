import type { Clock } from "@querybell/domain";
import pg from "pg";

export interface TestClock extends Clock {
  /** Moves the time of this process and of the database, and so of every process that asks either. */
  advance(milliseconds: number): Promise<void>;
}

/** A clock that stands still, at the machine's time at first, until the test moves it. */
export function createTestClock(databaseUrl: string): TestClock {
  let now = new Date();
  return {
    now: () => new Date(now),
    async advance(milliseconds) {
      now = new Date(now.getTime() + milliseconds);
      const client = new pg.Client({ connectionString: databaseUrl });
      await client.connect();
      const literal = client.escapeLiteral(`SELECT ${client.escapeLiteral(now.toISOString())}::timestamptz`);
      await client.query(
        `CREATE OR REPLACE FUNCTION querybell_now() RETURNS timestamptz LANGUAGE sql STABLE AS ${literal}`,
      );
      await client.end();
    },
  };
}
