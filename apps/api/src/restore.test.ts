import type { Deps } from "@querybell/core";
import { closeDeps, openDeps } from "@querybell/core/open-deps";
import { listQueries } from "@querybell/core/queries";
import { listReferences } from "@querybell/core/references";
import { changeRun, createTestDatabase, dbTest, toRunning, withConnection } from "@querybell/core/testing";
import { rebaseAfterRestore } from "@querybell/runtime";
import { startTestPostgres } from "@querybell/test-database/postgres";
import { expect } from "vitest";

type Pool = Deps["db"]["pool"];

/** A database of the same schema in another cluster. */
const test = dbTest.extend(
  "restored",
  { scope: "file" },
  async ({ settings, clock, onError }, { onCleanup }) => {
    const opened = new AsyncDisposableStack();
    onCleanup(() => opened.disposeAsync());
    const server = await startTestPostgres();
    opened.defer(server.stop);
    const { url, superuserUrl } = opened.use(await createTestDatabase(server));
    const deps = openDeps({ settings: { ...settings, DATABASE_URL: url }, clock, onError });
    opened.defer(() => closeDeps(deps));
    return { ...deps, superuserUrl };
  },
);

/** All rows of all tables, as a dump and a restore by a superuser would bring them. */
async function copyTables(from: Pool, superuserUrl: string): Promise<void> {
  const { rows: tables } = await from.query<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> '_prisma_migrations'",
  );
  await withConnection(superuserUrl, async (client) => {
    await client.query("SET session_replication_role = replica");
    for (const { name } of tables) {
      const { rows } = await from.query(`SELECT coalesce(jsonb_agg(t), '[]')::text AS rows FROM "${name}" t`);
      await client.query(
        `INSERT INTO "${name}" SELECT * FROM jsonb_populate_recordset(NULL::"${name}", $1)`,
        [rows[0].rows],
      );
    }
  });
}

test("a dump restored into another cluster lists everything after the next start, and old cursors have expired", async ({
  deps,
  make,
  restored,
}) => {
  // The old cluster is far ahead of a new one.
  await deps.db.pool.query(
    "DO $$ BEGIN FOR n IN 1..3000 LOOP PERFORM pg_current_xact_id(); COMMIT; END LOOP; END $$",
  );
  await rebaseAfterRestore(deps);
  const owner = await make.owner();
  const since = { name: "a", displayName: "", type: "string" as const, defaultValue: "1", description: "" };
  for (const sql of ["SELECT {{a}}", "SELECT 2, {{a}}", "SELECT 3, {{a}}"]) {
    await make.query(owner, sql, { parameters: [since] });
  }
  const { rows } = await deps.db.pool.query<{ id: string }>(
    `INSERT INTO query_runs (id, organization_id, query_id, trigger_id, parameter_values, parameter_types,
       parameter_values_hash, rendered_sql, created_at)
     SELECT gen_random_uuid(), organization_id, id, '', '{}', '{}', '', '', now() FROM queries RETURNING id`,
  );
  await changeRun(deps, rows[0]?.id ?? "", toRunning);
  await deps.db.pool.query("UPDATE query_references SET title = 'Edited'");
  await deps.db.pool.query(
    "UPDATE query_references SET deleted_at = now() WHERE short_id = (SELECT min(short_id) FROM query_references)",
  );

  const all = { limit: 100, cursor: undefined };
  const read = async (from: Deps) => ({
    queries: await listQueries(from, owner, all),
    references: await listReferences(from, owner, all),
  });
  const before = await read(deps);
  expect([before.queries.items.length, before.references.items.length]).toEqual([3, 2]);
  const { nextCursor: cursor } = await listQueries(deps, owner, { limit: 1 });

  await copyTables(deps.db.pool, restored.superuserUrl);
  expect(await read(restored), "without a new start").not.toEqual(before);
  await Promise.all([rebaseAfterRestore(restored), rebaseAfterRestore(restored)]);
  expect(await read(restored)).toEqual(before);
  await expect(listQueries(restored, owner, { limit: 1, cursor })).rejects.toMatchObject({
    code: "cursor_expired",
  });
  expect((await listQueries(deps, owner, { limit: 1, cursor })).items).toHaveLength(1);

  // From here on the new cluster's own numbers count, and another start changes nothing.
  const { nextCursor: later } = await listReferences(restored, owner, { limit: 1 });
  await restored.db.pool.query("UPDATE query_references SET title = 'Later'");
  await rebaseAfterRestore(restored);
  const { items } = await listReferences(restored, owner, { limit: 1, cursor: later });
  expect(items).toEqual(before.references.items.slice(1));
});
