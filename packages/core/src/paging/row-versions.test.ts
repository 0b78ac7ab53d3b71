import { describe, expect } from "vitest";
import { createReference, deleteReference, updateReference } from "../references/index.ts";
import { purgeRowVersions } from "../retention/index.ts";
import { runQuery } from "../runs/index.ts";
import { dbTest } from "../testing/db-test.ts";
import { changeRun, toCompleted, toRunning } from "../testing/run-states.ts";

/** The references as they were in a snapshot, by the rule that the migration states. */
const asOf = `
  SELECT (CASE WHEN pg_visible_in_snapshot(r.changed_xid, $1::pg_snapshot) THEN r.title ELSE v.row->>'title' END) AS title
  FROM query_references r LEFT JOIN row_versions v ON v.row_id = r.id
    AND pg_visible_in_snapshot(v.changed_xid, $1::pg_snapshot)
    AND NOT pg_visible_in_snapshot(v.replaced_xid, $1::pg_snapshot)
  WHERE r.organization_id = $2 AND pg_visible_in_snapshot(r.created_xid, $1::pg_snapshot)
    AND (CASE WHEN pg_visible_in_snapshot(r.changed_xid, $1::pg_snapshot) THEN r.deleted_at::text ELSE v.row->>'deleted_at' END)
      IS NULL
  ORDER BY r.created_at, r.id`;

describe("a listed row", () => {
  dbTest("can be read as it was in any snapshot of the last days", async ({ make, deps, clock }) => {
    const owner = await make.owner();
    const { id: queryId } = await make.query(owner, "SELECT 1");
    // From here on the database asks this clock for the time.
    await clock.advance(0);
    const snapshots: string[] = [];
    const look = async () => {
      const { rows } = await deps.db.pool.query("SELECT pg_current_snapshot()::text AS snapshot");
      snapshots.push(rows[0].snapshot);
    };
    await look();
    const { shortId } = await createReference(deps, owner, { queryId, title: "A1" });
    await look();
    await updateReference(deps, owner, { shortId, title: "A2" });
    const other = await createReference(deps, owner, { queryId, title: "B1" });
    await look();
    await updateReference(deps, owner, { shortId, title: "A3" });
    await deleteReference(deps, owner, { shortId });
    await look();
    await updateReference(deps, owner, { shortId: other.shortId, title: "B2" });
    await look();
    await deps.db.prisma.queryReference.update({ where: { shortId }, data: { deletedAt: null } });
    await look();
    await deleteReference(deps, owner, { shortId });
    await look();

    const seen = [];
    for (const snapshot of snapshots) {
      const { rows } = await deps.db.pool.query<{ title: string }>(asOf, [snapshot, owner.organizationId]);
      seen.push(rows.map(({ title }) => title));
    }
    expect(seen).toEqual([[], ["A1"], ["A2", "B1"], ["B1"], ["B2"], ["A3", "B2"], ["B2"]]);

    const week = 7 * 24 * 60 * 60 * 1000;
    await clock.advance(week);
    expect(await purgeRowVersions(deps)).toBe(0);
    await clock.advance(1);
    expect(await purgeRowVersions(deps)).toBeGreaterThan(0);
    expect(await deps.db.prisma.rowVersion.count()).toBe(0);
  });

  dbTest(
    "that changes twice in one transaction keeps one version, and none when nothing changes that a list shows",
    async ({ make, deps }) => {
      const owner = await make.owner();
      const { id } = await make.query(owner, "SELECT 1");
      const versions = () => deps.db.prisma.rowVersion.count({ where: { rowId: id } });
      await deps.db.transaction(async (tx) => {
        await tx.query.update({ where: { id }, data: { sql: "SELECT 2" } });
        await tx.query.update({ where: { id }, data: { sql: "SELECT 3" } });
      });
      expect(await versions()).toBe(1);
      await deps.db.transaction((tx) => tx.query.update({ where: { id }, data: { sql: "SELECT 3" } }));
      expect(await versions()).toBe(1);
      await deps.db.transaction((tx) => tx.query.update({ where: { id }, data: { archivedAt: new Date() } }));
      expect(await versions()).toBe(1);
    },
  );

  dbTest(
    "a run remembers the transactions in which it was made, started and ended",
    async ({ make, deps }) => {
      const owner = await make.owner();
      const { id } = await make.query(owner, "SELECT 1");
      const run = await runQuery(deps, owner, { id, parameterValues: {} });
      await changeRun(deps, run.id, toRunning);
      await changeRun(deps, run.id, toCompleted);
      const { rows } = await deps.db.pool.query(
        "SELECT created_xid < started_xid AND started_xid < ended_xid AS ordered FROM query_runs WHERE id = $1",
        [run.id],
      );
      expect(rows).toEqual([{ ordered: true }]);
    },
  );
});
