import { listQueries } from "@querybell/core/queries";
import { listReferences } from "@querybell/core/references";
import { listRuns } from "@querybell/core/runs";
import { longestBlock, maxBlockMs } from "@querybell/core/testing";
import { type Caller, newId, type Page } from "@querybell/domain";
import { describe, expect } from "vitest";
import { apiTest } from "../testing/api-test.ts";

const maxPageBytes = 256 * 1024;
// Beside the texts that are counted, an item has some fields itself.
const maxAnswerBytes = maxPageBytes * 1.1;

/** A member with 60 queries of 100,000 characters each, a reference to each, and 40 runs of 1 MB of SQL. */
const test = apiTest.extend("heavy", { scope: "file" }, async ({ api, deps, make }) => {
  const owner = await make.owner();
  const { organizationId, userId } = owner;
  const { id: databaseId } = await make.database(owner);
  const { clock, db } = deps;
  const queryIds = Array.from({ length: 60 }, () => newId(clock));
  await db.pool.query(
    `INSERT INTO queries (id, organization_id, analytical_database_config_id, sql, created_by, created_at, updated_at)
     SELECT id, $2, $3, rpad('SELECT ', 100000, 'x'), $4, now(), now() FROM unnest($1::uuid[]) AS id`,
    [queryIds, organizationId, databaseId, userId],
  );
  await db.pool.query(
    `INSERT INTO query_references (id, organization_id, short_id, query_id, title, created_by, created_at, updated_at)
     SELECT uuidv7(), $2, translate(lpad(to_hex(n), 10, 'z'), '01', 'xy'), id, 'Reference', $3, now(), now()
     FROM unnest($1::uuid[]) WITH ORDINALITY AS query(id, n)`,
    [queryIds, organizationId, userId],
  );
  await db.pool.query(
    `INSERT INTO query_runs (id, organization_id, query_id, trigger_id, parameter_values, parameter_types,
       parameter_values_hash, rendered_sql, created_at)
     SELECT uuidv7(), $2, id, 'user:' || $3::text, jsonb_build_object('a', repeat('y', 500000)), '{"a":"string"}',
       'hash', repeat('z', 1000000), now()
     FROM unnest($1::uuid[]) AS id`,
    [queryIds.slice(0, 40), organizationId, userId],
  );
  const cookie = await api.sessionCookie(owner.email);
  const ask = (path: string) => api.fetch(path, { headers: { cookie } });
  const get = async (path: string) => {
    const answer = await ask(path);
    return { status: answer.status, text: await answer.text() };
  };
  /** Reads the answer without making a text of it, which would count as work of this thread. */
  const receive = async (path: string) => {
    const { status, body } = await ask(path);
    for await (const _ of body ?? []);
    return status;
  };
  return { owner, get, receive };
});

const input = encodeURIComponent(JSON.stringify({ limit: 100 }));

describe("a page of large items ends before it is too long:", () => {
  test.for(["queries.list", "references.list", "runs.list"])("%s", async (procedure, { heavy }) => {
    let answer = { status: 0, text: "" };
    const blockedMs = await longestBlock(async () => {
      answer = await heavy.get(`/api/trpc/${procedure}?input=${input}`);
    });
    expect(answer.status).toBe(200);
    const { items, nextCursor } = JSON.parse(answer.text).result.data;
    expect(items.length).toBeGreaterThan(0);
    expect(nextCursor).toEqual(expect.any(String));
    // A single item may be larger than a page.
    if (items.length > 1) expect(answer.text.length).toBeLessThan(maxAnswerBytes);
    expect(blockedMs).toBeLessThan(maxBlockMs);
  });

  type List = (
    deps: Parameters<typeof listRuns>[0],
    owner: Caller,
    page: { limit: number; cursor?: string | undefined },
  ) => Promise<Page<{ id: string }>>;
  test.for<[string, List, number, number]>([
    ["queries", listQueries, 60, 2],
    ["references", listReferences, 60, 2],
    ["runs", listRuns, 40, 1],
  ])("every one of the %s is on one of the pages", async ([_, list, all, onEach], { heavy, deps }) => {
    const seen: string[] = [];
    let page: Page<{ id: string }> | undefined;
    while (!page || page.nextCursor !== undefined) {
      page = await list(deps, heavy.owner, { limit: 100, cursor: page?.nextCursor });
      expect(page.items).toHaveLength(onEach);
      seen.push(...page.items.map(({ id }) => id));
    }
    expect(seen).toHaveLength(all);
    expect(new Set(seen).size).toBe(all);
  });

  test.for(["queries.list", "references.list", "runs.list"])(
    "a batch of %s",
    async (procedure, { heavy }) => {
      const calls = 5;
      const paths = Array(calls).fill(procedure).join(",");
      const inputs = Object.fromEntries(Array.from({ length: calls }, (_, at) => [at, { limit: 100 }]));
      let status = 0;
      const blockedMs = await longestBlock(async () => {
        status = await heavy.receive(
          `/api/trpc/${paths}?batch=1&input=${encodeURIComponent(JSON.stringify(inputs))}`,
        );
      });
      expect(status).toBe(200);
      expect(blockedMs).toBeLessThan(maxBlockMs);
    },
  );
});
