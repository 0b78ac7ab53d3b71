import { longestBlock, maxBlockMs } from "@querybell/core/testing";
import { newId } from "@querybell/domain";
import { describe, expect } from "vitest";
import { apiError } from "../testing/api-error.ts";
import { apiTest } from "../testing/api-test.ts";

const count = 8;

/**
 * An organization with automations from before there was a limit on their values. Each has 20 references with
 * 45 kB of values, 50 subscribers, and two runs with the same values in their briefs. Every reference has 200
 * kB of parameter definitions.
 */
const test = apiTest.extend("heavy", { scope: "file" }, async ({ api, deps, make }) => {
  const owner = await make.owner();
  const { organizationId, userId } = owner;
  const { pool } = deps.db;
  const { id: queryId } = await make.query(owner, "SELECT {{a}}", {
    parameters: [{ name: "a", displayName: "a", type: "string[]", description: "" }],
  });
  const members = await pool.query<{ id: string }>(
    `WITH made AS (
       INSERT INTO users (id, name, email, email_verified, created_at, updated_at)
       SELECT gen_random_uuid(), 'Somebody', gen_random_uuid() || '@example.com', true, now(), now()
       FROM generate_series(1, 50) RETURNING id)
     INSERT INTO members (organization_id, user_id, role, created_at)
     SELECT $1, id, 'member', now() FROM made RETURNING user_id AS id`,
    [organizationId],
  );
  await pool.query(
    `INSERT INTO query_references (id, organization_id, short_id, query_id, title, parameters, created_by, created_at, updated_at)
     SELECT uuidv7(), $1, translate(lpad(to_hex(n), 10, 'z'), '01', 'xy'), $2, 'Reference ' || n,
       (SELECT jsonb_agg(jsonb_build_object('name', 'p' || p, 'displayName', 'p', 'type', 'string', 'description', repeat('d', 2000)))
        FROM generate_series(1, 100) AS p), $3, now(), now()
     FROM generate_series(1, 20) AS n`,
    [organizationId, queryId, userId],
  );
  const ids = Array.from({ length: count }, () => newId(deps.clock));
  await pool.query(
    `INSERT INTO automations (id, organization_id, name, instruction, agent, enabled, when_busy, time_limit_seconds,
       created_by, created_at, updated_at)
     SELECT id, $2, 'Automation', repeat('x', 10000), 'external', true, 'queue', 900, $3, now(), now()
     FROM unnest($1::uuid[]) AS id`,
    [ids, organizationId, userId],
  );
  const values = JSON.stringify({ a: Array(9_000).fill("abc") });
  await pool.query(
    `INSERT INTO automation_references (automation_id, position, organization_id, reference_id, parameter_values)
     SELECT automation, row_number() OVER (PARTITION BY automation), $2, reference.id, $3
     FROM unnest($1::uuid[]) AS automation CROSS JOIN query_references reference WHERE reference.organization_id = $2 AND title LIKE 'Reference %'`,
    [ids, organizationId, values],
  );
  await pool.query(
    `INSERT INTO automation_subscribers (automation_id, organization_id, user_id, in_app, by_mail, on_failure, on_summary)
     SELECT automation, $2, member, true, true, true, true FROM unnest($1::uuid[]) AS automation CROSS JOIN unnest($3::uuid[]) AS member`,
    [ids, organizationId, members.rows.map(({ id }) => id)],
  );
  await pool.query(
    `INSERT INTO automation_runs (id, organization_id, automation_id, short_id, agent, trigger_id, brief, created_at)
     SELECT uuidv7(), $2, id, translate(lpad(to_hex(n * 2 + run), 10, 'z'), '01', 'xy'), 'external', 'schedule',
       jsonb_build_object('name', 'Automation', 'instruction', repeat('x', 10000), 'timeLimitSeconds', 900, 'references',
         (SELECT jsonb_agg(jsonb_build_object('id', reference.id, 'shortId', short_id, 'title', title, 'parameterValues', $3::jsonb))
          FROM query_references reference WHERE organization_id = $2 AND title LIKE 'Reference %')),
       now()
     FROM unnest($1::uuid[]) WITH ORDINALITY AS automation(id, n), generate_series(0, 1) AS run`,
    [ids, organizationId, values],
  );
  await pool.query(
    `UPDATE automation_runs SET status = 'failed', completed_at = now(), failure_code = 'stopped', failure_reason = 'stopped'
     WHERE organization_id = $1`,
    [organizationId],
  );
  const client = await api.signedIn(owner);
  return { owner, client, ids };
});

describe("a list stays fast with large automations:", () => {
  test("automations.list", async ({ heavy }) => {
    const { list } = heavy.client.automations;
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      let page: Awaited<ReturnType<typeof list.query>> = { items: [] };
      const blockedMs = await longestBlock(async () => {
        page = await list.query({ limit: 100, cursor });
      });
      expect(blockedMs).toBeLessThan(maxBlockMs);
      for (const item of page.items) {
        expect(item.latestRun).toMatchObject({ automationName: "Automation", status: "failed" });
        expect(item.references).toHaveLength(20);
        expect(item.subscribers).toHaveLength(50);
        seen.push(item.id);
      }
      cursor = page.nextCursor;
    } while (cursor);
    expect(new Set(seen)).toEqual(new Set(heavy.ids));
    expect(seen).toHaveLength(count);
  });

  test("automationRuns.list", async ({ heavy }) => {
    let items: { automationName: string }[] = [];
    const blockedMs = await longestBlock(async () => {
      ({ items } = await heavy.client.automationRuns.list.query({ limit: 100 }));
    });
    expect(items).toHaveLength(2 * count);
    for (const { automationName } of items) expect(automationName).toBe("Automation");
    expect(blockedMs).toBeLessThan(maxBlockMs);
  });
});

describe("an automation with more values than the limit", () => {
  test("from before the limit still opens, changes and runs", async ({ heavy }) => {
    const [id = ""] = heavy.ids;
    const { automations } = heavy.client;
    expect((await automations.get.query({ id })).references).toHaveLength(20);
    expect(await automations.update.mutate({ id, name: "Renamed" })).toMatchObject({ name: "Renamed" });
    expect(await automations.trigger.mutate({ id })).toMatchObject({ status: "pending" });
  });

  test("is not saved", async ({ heavy, make }) => {
    const { owner, client } = heavy;
    const parameters = [{ name: "a", displayName: "a", type: "string[]" as const, description: "" }];
    const { shortId } = await make.reference(owner, "SELECT {{a}}", { parameters });
    const fitting = { a: ["x".repeat(20_000 - '[{"a":[""]}]'.length)] };
    const automation = (values: typeof fitting) => ({
      name: "Values",
      instruction: "Look.",
      references: [{ shortId, parameterValues: values }],
    });
    const tooLong = { a: [`${fitting.a[0]}x`] };
    const limit = /^references: must have parameter values of at most 20000 characters in all, as JSON/;
    await expect(client.automations.create.mutate(automation(tooLong))).rejects.toEqual(
      apiError("invalid_request", limit),
    );
    const { id } = await client.automations.create.mutate(automation(fitting));
    const { references } = automation(tooLong);
    await expect(client.automations.update.mutate({ id, references })).rejects.toEqual(
      apiError("invalid_request", limit),
    );
  });
});
