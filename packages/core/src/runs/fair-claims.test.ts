import { type Caller, newId } from "@querybell/domain";
import { describe, expect } from "vitest";
import type { Deps } from "../deps.ts";
import { dbTest } from "../testing/index.ts";
import { claimQueryRun, runQuery } from "./index.ts";

const anything = {
  workerId: "test",
  excludedOrganizations: [],
  organizationCeiling: null,
  totalCeiling: null,
  afterOrganization: null,
};
type Claim = Parameters<typeof claimQueryRun>[1];

const test = dbTest.extend("queue", async ({ deps, make, clock }) => {
  await deps.db.pool.query("DELETE FROM query_runs");
  /** Creates waiting runs of one organization, each a millisecond younger than the one before. */
  const waiting = async (owner: Caller, count: number): Promise<string[]> => {
    const ids: string[] = [];
    for (let made = 0; made < count; made++) {
      const { id } = await make.query(owner, `SELECT ${made}`);
      ids.push((await runQuery(deps, owner, { id, parameterValues: {} })).id);
      await clock.advance(1);
    }
    return ids;
  };
  const claim = async (limits: Partial<Claim> = {}) => claimQueryRun(deps, { ...anything, ...limits });
  return { waiting, claim };
});

describe("a worker claims", () => {
  test("of the organization with the fewest running, and there the oldest", async ({ make, queue }) => {
    // The organization that was created first has the youngest runs.
    const [third, second, flood] = [await make.owner(), await make.owner(), await make.owner()];
    const a = await queue.waiting(flood, 4);
    const b = await queue.waiting(second, 2);
    const c = await queue.waiting(third, 1);
    const order: string[] = [];
    for (let lease = await queue.claim(); lease; lease = await queue.claim()) order.push(lease.id);
    expect(order).toEqual([a[0], b[0], c[0], a[1], b[1], a[2], a[3]]);
  });

  test("a run whose lease has run out before any that waits", async ({ deps, make, queue }) => {
    const [lost] = await queue.waiting(await make.owner(), 1);
    await queue.claim();
    await queue.waiting(await make.owner(), 1);
    await deps.db.pool.query("UPDATE query_runs SET lease_until = now() - interval '1 ms' WHERE id = $1", [
      lost,
    ]);
    expect(await queue.claim()).toMatchObject({ id: lost, leaseNumber: 2 });
  });

  test("nothing whose lease is still good", async ({ make, queue }) => {
    await queue.waiting(await make.owner(), 1);
    expect(await queue.claim()).toBeDefined();
    expect(await queue.claim()).toBeUndefined();
  });

  test("nothing of the organizations that it excludes, however many they are", async ({
    deps,
    make,
    queue,
  }) => {
    const owner = await make.owner();
    const [mine = ""] = await queue.waiting(owner, 1);
    const excludedOrganizations = await multiply(deps, mine, { runs: 70, organizations: 70 });
    expect(await queue.claim({ excludedOrganizations })).toMatchObject({ id: mine });
    await deps.db.pool.query(
      "UPDATE query_runs SET lease_until = now() - interval '1 ms' WHERE status = 'running'",
    );
    const all = [...excludedOrganizations, owner.organizationId];
    expect(await queue.claim({ excludedOrganizations: all })).toBeUndefined();
  });

  test("what another transaction holds last", async ({ deps, make, queue }) => {
    const [held, free] = await queue.waiting(await make.owner(), 2);
    const client = await deps.db.pool.connect();
    try {
      await client.query("BEGIN");
      await client.query("SELECT 1 FROM query_runs WHERE id = $1 FOR UPDATE", [held]);
      expect(await queue.claim()).toMatchObject({ id: free });
      expect(await queue.claim()).toBeUndefined();
    } finally {
      await client.query("ROLLBACK");
      client.release();
    }
    expect(await queue.claim()).toMatchObject({ id: held });
  });
});

describe("a ceiling holds when many workers claim at once", () => {
  const attempts = Array.from({ length: 8 }, (_, index) => `worker ${index}`);

  test("for an organization", async ({ make, queue }) => {
    await queue.waiting(await make.owner(), 5);
    await queue.waiting(await make.owner(), 5);
    const claims = attempts.map((workerId) => queue.claim({ workerId, organizationCeiling: 2 }));
    const leases = (await Promise.all(claims)).flatMap((lease) => lease ?? []);
    const counts = Object.values(Object.groupBy(leases, ({ organizationId }) => organizationId));
    expect(counts.map((of) => of?.length)).toEqual([2, 2]);
    expect(new Set(leases.map(({ id }) => id)).size).toBe(4);
  });

  test("and does not count a run whose lease has run out", async ({ deps, make, queue }) => {
    const [lost] = await queue.waiting(await make.owner(), 1);
    await queue.claim();
    const limits = { organizationCeiling: 1, totalCeiling: 1 };
    expect(await queue.claim(limits)).toBeUndefined();
    await deps.db.pool.query("UPDATE query_runs SET lease_until = now() - interval '1 ms'");
    expect(await queue.claim(limits)).toMatchObject({ id: lost });
  });

  test("for all of them together", async ({ make, queue }) => {
    await queue.waiting(await make.owner(), 3);
    await queue.waiting(await make.owner(), 3);
    const claims = attempts.map((workerId) => queue.claim({ workerId, totalCeiling: 3 }));
    const leases = (await Promise.all(claims)).flatMap((lease) => lease ?? []);
    expect(new Set(leases.map(({ id }) => id)).size).toBe(3);
  });
});

/** Pages of indexes with more levels, and of rows that vacuum has not cleared yet. Reading all runs takes thousands. */
const deeperIndexes = 100;

describe("a claim reads as little", () => {
  test("with 100,000 runs of one organization waiting", async ({ deps, make, queue }) => {
    const [owner, other] = [await make.owner(), await make.owner()];
    await queue.waiting(owner, 3);
    const [mine = ""] = await queue.waiting(other, 1);
    const few = await blocksOfClaim(deps, owner.organizationId);
    await multiply(deps, mine, { runs: 100_000, organizations: 1 });
    expect(await blocksOfClaim(deps, owner.organizationId)).toBeLessThan(few * 2 + deeperIndexes);
  });

  test("with 10,000 organizations waiting as with a hundred", async ({ deps, make, queue }) => {
    const owner = await make.owner();
    const [mine = ""] = await queue.waiting(owner, 1);
    await multiply(deps, mine, { runs: 100, organizations: 100 });
    const few = await blocksOfClaim(deps, owner.organizationId);
    await multiply(deps, mine, { runs: 10_000, organizations: 10_000 });
    expect(await blocksOfClaim(deps, owner.organizationId)).toBeLessThan(few * 2 + deeperIndexes);
  });
});

interface Copies {
  runs: number;
  organizations: number;
}

/** Copies a waiting run within its organization or, when more than one is wanted, over new ones. Returns those. */
async function multiply(deps: Deps, runId: string, { runs, organizations }: Copies): Promise<string[]> {
  const { rows } = await deps.db.pool.query<{ organizationId: string }>(
    `WITH made AS (
       INSERT INTO organizations (id, name, slug, rest_compatibility, created_at)
       SELECT uuidv7(), 'Many', $4 || n, 'retired', now() FROM generate_series(1, $3::int) n WHERE $3 > 1 RETURNING id
     ), ids AS (
       SELECT array_agg(id) AS ids FROM made
     )
     INSERT INTO query_runs (id, organization_id, query_id, trigger_id, parameter_values, parameter_types,
       parameter_values_hash, rendered_sql, statement, created_at)
     SELECT uuidv7(), coalesce(ids[1 + n % $3], r.organization_id), r.query_id, r.trigger_id, r.parameter_values,
       r.parameter_types, sha256(uuidv7()::text::bytea), r.rendered_sql, r.statement, r.created_at + n * interval '1 ms'
     FROM query_runs r, ids, generate_series(1, $2::int) n WHERE r.id = $1
     RETURNING organization_id AS "organizationId"`,
    [runId, runs, organizations, newId(deps.clock)],
  );
  await deps.db.pool.query("VACUUM ANALYZE query_runs");
  return rows.map(({ organizationId }) => organizationId);
}

/** How many blocks of tables and indexes a claim looks at, when Postgres has planned it already. It is rolled back. */
async function blocksOfClaim({ db }: Deps, afterOrganization: string): Promise<number> {
  const client = await db.pool.connect();
  try {
    await client.query("BEGIN");
    const explain = async () => {
      await client.query("SAVEPOINT before");
      const { rows } = await client.query(
        `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON)
         SELECT * FROM claim_query_run('test', now(), 15, '{}', 20, NULL, '${afterOrganization}')`,
      );
      await client.query("ROLLBACK TO before");
      const [{ Plan: plan }] = rows[0]["QUERY PLAN"];
      return plan["Shared Hit Blocks"] + plan["Shared Read Blocks"];
    };
    await explain();
    return await explain();
  } finally {
    await client.query("ROLLBACK");
    client.release();
  }
}
