import { applyMigrations } from "@querybell/prisma";
import { expect } from "vitest";
import { createBackup } from "./create-backup.ts";
import { loadTables } from "./load-tables.ts";
import { backupTest } from "./testing/backup-test.ts";

const partitioned =
  "CREATE TABLE history (id int, at date NOT NULL, PRIMARY KEY (id, at)) PARTITION BY RANGE (at)";
const partition = (year: number, until: number) =>
  `CREATE TABLE history_${year} PARTITION OF history FOR VALUES FROM ('${year}-01-01') TO ('${until}-01-01')`;

backupTest(
  "partitions that were made while the service ran are restored as they were",
  async ({ createDatabase, folder }) => {
    const [source, target] = [await createDatabase(), await createDatabase()];
    for (const { url, deps } of [source, target]) {
      await applyMigrations(url);
      await deps.db.pool.query(partitioned);
    }
    const rows = "SELECT tableoid::regclass::text AS partition, id FROM history ORDER BY id";
    await source.deps.db.pool.query(`${partition(2025, 2026)}; ${partition(2026, 2027)};
    CREATE TABLE history_rest PARTITION OF history DEFAULT;
    INSERT INTO history VALUES (1, '2025-06-01'), (2, '2026-06-01'), (3, '2030-06-01')`);
    // Others, and one of the same name with other bounds.
    await target.deps.db.pool.query(`${partition(2020, 2021)}; ${partition(2026, 2028)}`);

    const { path, manifest } = await createBackup(source.deps, folder);
    expect(manifest.tables.find(({ name }) => name === "history")).toMatchObject({ rows: 3 });
    const client = await target.deps.db.pool.connect();
    await client.query("BEGIN");
    await loadTables(client, path, manifest);
    await client.query("COMMIT");
    expect((await client.query(rows)).rows).toEqual((await source.deps.db.pool.query(rows)).rows);
    const { rows: names } = await client.query(
      "SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'history'::regclass ORDER BY 1",
    );
    expect(names.map(({ name }) => name)).toEqual(["history_2025", "history_2026", "history_rest"]);
    client.release();
  },
);
