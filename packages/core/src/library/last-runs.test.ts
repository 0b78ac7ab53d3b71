import { describe, expect } from "vitest";
import { triggerAutomation, tryAutomation } from "../automations/index.ts";
import { runQuery } from "../runs/index.ts";
import { dbTest } from "../testing/db-test.ts";
import { getItem } from "./index.ts";

describe("the time of the last run", () => {
  dbTest(
    "of a query is that of its newest run, in whatever order runs are inserted",
    async ({ deps, make, clock }) => {
      const owner = await make.owner();
      const { id } = await make.query(owner, "SELECT 1");
      const lastRunAt = async () => (await getItem(deps, owner, { kind: "query", id })).lastRunAt;
      expect(await lastRunAt()).toBeNull();
      await clock.advance(1000);
      await runQuery(deps, owner, { id, parameterValues: {} });
      const first = clock.now();
      expect(await lastRunAt()).toBe(first.toISOString());
      const later = new Date(first.getTime() + 5000);
      for (const newest of [later, first]) {
        await deps.db.pool.query(
          `INSERT INTO query_runs (id, organization_id, query_id, trigger_id, parameter_values, parameter_types,
           parameter_values_hash, rendered_sql, created_at)
         SELECT uuidv7(), $1, $2, '', '{}', '{}', uuid_send(uuidv7()), '', $3::timestamptz - n * interval '1 second'
         FROM generate_series(0, 2) n`,
          [owner.organizationId, id, newest],
        );
        expect(await lastRunAt()).toBe(later.toISOString());
      }
    },
  );

  dbTest("of an automation does not count trials", async ({ deps, make, clock }) => {
    const owner = await make.owner();
    const { id, name, instruction, references } = await make.automation(owner);
    const lastRunAt = async () => (await getItem(deps, owner, { kind: "automation", id })).lastRunAt;
    const given = references.map(({ shortId }) => ({ shortId, parameterValues: {} }));
    await tryAutomation(deps, owner, {
      id,
      name,
      instruction,
      references: given,
      agent: "digest",
      budget: { steps: 30, tokens: 100_000 },
      allowsSql: false,
      dashboardId: null,
      timeLimitSeconds: 60,
    });
    expect(await lastRunAt()).toBeNull();
    await clock.advance(1000);
    await triggerAutomation(deps, owner, { id });
    expect(await lastRunAt()).toBe(clock.now().toISOString());
  });
});
