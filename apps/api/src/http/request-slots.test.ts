import { expect } from "vitest";
import { apiTest } from "../testing/api-test.ts";

apiTest(
  "a flood of one organization leaves another its turn at the database",
  async ({ api, make, makeKey, deps }) => {
    const [hostile, quiet] = [await make.owner(), await make.owner()];
    const flood = api.withKey((await makeKey(hostile)).key);
    const other = api.withKey((await makeKey(quiet)).key);
    // While this lock is held, nobody can read automations: what asks for them keeps its connection.
    const lock = await deps.db.pool.connect();
    await lock.query("BEGIN");
    await lock.query("LOCK TABLE automations IN ACCESS EXCLUSIVE MODE");
    const stuck = Array.from({ length: 30 }, () => flood.automations.list.query());
    await expect(other.keys.describe.query()).resolves.toMatchObject({
      organization: { id: quiet.organizationId },
    });
    await expect(other.queries.list.query()).resolves.toMatchObject({ items: [] });
    await lock.query("ROLLBACK");
    lock.release();
    await Promise.all(stuck);
  },
);
