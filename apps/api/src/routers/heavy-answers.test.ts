import { longestBlock, maxBlockMs } from "@querybell/core/testing";
import { newId } from "@querybell/domain";
import { describe, expect } from "vitest";
import { apiTest } from "../testing/api-test.ts";
import { makeWebhooksWithEverything } from "../testing/webhooks-with-everything.ts";

/** A batch of the maximum size, with these inputs. */
const batchOf = (procedure: string) => `${Array(5).fill(procedure).join(",")}?batch=1`;

/** An admin, and calls of theirs with the longest time for which each blocked the server. */
const test = apiTest
  .extend("admin", { scope: "file" }, async ({ api, deps, make }) => {
    const owner = await make.owner();
    await makeWebhooksWithEverything(deps, owner, "marker");
    const cookie = await api.sessionCookie(owner.email);
    return { owner, cookie, client: api.withCookie(cookie) };
  })
  .extend("blockedBy", { scope: "file" }, ({ admin, api }) => {
    const headers = { cookie: admin.cookie, origin: api.origin, "content-type": "application/json" };
    return async (procedure: string, input: unknown, method: "GET" | "POST" = "GET") => {
      // tRPC takes the inputs of a batch as an object, by their positions.
      const text = JSON.stringify(Array.isArray(input) ? { ...input } : input);
      const path = `/api/trpc/${procedure}`;
      let status = 0;
      const blockedMs = await longestBlock(async () => {
        const answer =
          method === "GET"
            ? await api.fetch(`${path}${path.includes("?") ? "&" : "?"}input=${encodeURIComponent(text)}`, {
                headers,
              })
            : await api.fetch(path, { headers, method, body: text });
        status = answer.status;
        await answer.text();
      });
      return { status, blockedMs };
    };
  });

describe("the heaviest requests do not block the server:", () => {
  const fields = ["0-59/1", "0-23", "1-31", "1-12", "0-6"];
  const many = (field: string) => Array(80).fill(field).join(",");
  test.for<[what: string, cron: string, timeZone: string, status: number]>([
    ["a long list", `${many("0-59")} * * * *`, "Europe/Berlin", 200],
    ["every minute", fields.join(" "), "America/New_York", 200],
    ["a day in eight years", "59 23 29 2 *", "Pacific/Apia", 200],
    ["a time that a zone skips", "30 2 29 3 *", "Europe/Berlin", 200],
    ["a day that there is not", "0 0 31 2,4,6,9,11 *", "UTC", 400],
    ["a zone that there is not", "0 0 1 1 *", "x".repeat(100), 400],
    ["nonsense", many("*/"), "UTC", 400],
  ])("a schedule with %s", async ([_, cron, timeZone, status], { blockedBy }) => {
    const answer = await blockedBy(
      batchOf("automations.previewSchedule"),
      Array(5).fill({ schedule: { cron, timeZone } }),
    );
    expect(answer.status).toBe(status);
    expect(answer.blockedMs).toBeLessThan(maxBlockMs);
  });

  test("a page of the audit log", async ({ admin, blockedBy, deps }) => {
    // The longest entries are those with the two URLs of a changed endpoint.
    await deps.db.pool.query(
      `INSERT INTO audit_entries (id, organization_id, at, actor_user_id, action, target_id, detail)
       SELECT uuidv7(), $1, now(), $2::uuid, 'webhook_endpoint.changed', $2::text,
         jsonb_build_object('from', repeat('u', 2048), 'to', repeat('u', 2048), 'eventTypes', to_jsonb(array_fill('automation.run.completed'::text, ARRAY[20])))
       FROM generate_series(1, 200)`,
      [admin.owner.organizationId, admin.owner.userId],
    );
    const { status, blockedMs } = await blockedBy("audit.list", { limit: 100 });
    expect(status).toBe(200);
    expect(blockedMs).toBeLessThan(maxBlockMs);
  });

  test("a search of deliveries", async ({ admin, blockedBy, deps }) => {
    const [endpoint] = await admin.client.webhookEndpoints.list.query();
    await deps.db.pool.query(
      "UPDATE webhook_endpoints SET url = 'https://example.com/' || repeat('u', 2000) WHERE id = $1",
      [endpoint?.id],
    );
    await deps.db.pool.query(
      `WITH event AS (
         INSERT INTO webhook_events (id, organization_id, type, body, created_at, dedupe_key)
         SELECT uuidv7(), $1, 'automation.run.completed', '{}', now(), 'heavy ' || n FROM generate_series(1, 200) AS n
         RETURNING id)
       INSERT INTO webhook_deliveries (id, event_id, endpoint_id, kind, state, created_at, state_changed_at, next_attempt_at)
       SELECT uuidv7(), id, $2, 'normal', 'succeeded', now(), now(), now() FROM event`,
      [admin.owner.organizationId, endpoint?.id],
    );
    const { status, blockedMs } = await blockedBy("webhookDeliveries.search", { limit: 100 });
    expect(status).toBe(200);
    expect(blockedMs).toBeLessThan(maxBlockMs);
  });

  test("the signature debugger, after any number of rotations", async ({ admin, blockedBy, deps }) => {
    const { client } = admin;
    const deliveries = await deps.db.prisma.webhookAttempt.findMany({ take: 1, include: { delivery: true } });
    const { deliveryId = "", number: attempt = 1, delivery } = deliveries[0] ?? {};
    const endpointId = delivery?.endpointId ?? "";
    // As if it had been rotated again and again, before there was a limit.
    await deps.db.pool.query(
      `INSERT INTO webhook_secrets (id, endpoint_id, sealed, created_at, signs_from, expires_at)
       SELECT new_id, endpoint_id, sealed, created_at, signs_from, querybell_now() - interval '1 minute'
       FROM (SELECT * FROM webhook_secrets WHERE endpoint_id = $1 LIMIT 1) AS secret, unnest($2::uuid[]) AS new_id`,
      [endpointId, Array.from({ length: 5000 }, () => newId(deps.clock))],
    );
    const { id, secret } = await client.webhookEndpoints.rotateSecret.mutate({
      id: endpointId,
      overlapHours: 0,
    });
    const { status, blockedMs } = await blockedBy(
      "webhookDeliveries.debugSignature",
      { deliveryId, attempt, secret },
      "POST",
    );
    expect(status).toBe(200);
    expect(blockedMs).toBeLessThan(maxBlockMs);
    const { secrets } = await client.webhookEndpoints.get.query({ id: endpointId });
    expect(secrets).toHaveLength(51);
    expect(secrets[0]).toMatchObject({ id, state: "signing" });
    expect(await deps.db.prisma.webhookSecret.count({ where: { endpointId } })).toBe(51);
  });

  test("five runs at once", async ({ admin, blockedBy, deps, make }) => {
    const { id: queryId } = await make.query(admin.owner, "SELECT 1");
    const ids = Array.from({ length: 5 }, () => newId(deps.clock));
    await deps.db.pool.query(
      `INSERT INTO query_runs (id, organization_id, query_id, trigger_id, parameter_values, parameter_types,
         parameter_values_hash, rendered_sql, created_at)
       SELECT id, $2, $3, 'user:' || $4::text,
         (SELECT jsonb_object_agg('a' || a, to_jsonb(array_fill('abcdefghijklmnopqrst'::text, ARRAY[10000]))) FROM generate_series(1, 2) AS a),
         '{"a":"string[]"}', sha256(id::text::bytea), repeat('z', 500000), now()
       FROM unnest($1::uuid[]) AS id`,
      [ids, admin.owner.organizationId, queryId, admin.owner.userId],
    );
    const { status, blockedMs } = await blockedBy(
      batchOf("runs.get"),
      ids.map((id) => ({ id })),
    );
    expect(status).toBe(200);
    expect(blockedMs).toBeLessThan(maxBlockMs);
  });

  test("a search with everything in it", async ({ admin, blockedBy, deps, make }) => {
    const { id: databaseId } = await make.database(admin.owner);
    await deps.db.pool.query(
      `INSERT INTO queries (id, organization_id, analytical_database_config_id, name, sql, created_by, created_at, updated_at)
       SELECT uuidv7(), $1, $2, 'Heavy ' || n, rpad('SELECT heavy ', 100000, 'x '), $3, now(), now() FROM generate_series(1, 20) AS n`,
      [admin.owner.organizationId, databaseId, admin.owner.userId],
    );
    for (const text of ["heavy", "h ".repeat(2000), `${"x".repeat(199)}😀`]) {
      const { status, blockedMs } = await blockedBy("search.find", { text, limit: 50 });
      expect(status).toBe(200);
      expect(blockedMs).toBeLessThan(maxBlockMs);
    }
  });
});
