import { describe, expect } from "vitest";
import { apiTest, startApi } from "../testing/api-test.ts";

describe("/readyz", () => {
  apiTest("is ready when every migration is applied, and names what is missing", async ({ api, deps }) => {
    expect(await (await api.fetch("/readyz")).json()).toEqual({ status: "ready" });
    const { rows } = await deps.db.pool.query(
      "DELETE FROM _prisma_migrations WHERE migration_name LIKE '%_identity' RETURNING *",
    );
    const answer = await api.fetch("/readyz");
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({
      code: "unavailable",
      detail: `The database lacks migrations: ${rows[0].migration_name}. Run pnpm migration:apply first.`,
    });
    await deps.db.pool.query(
      "INSERT INTO _prisma_migrations SELECT * FROM jsonb_populate_recordset(NULL::_prisma_migrations, $1)",
      [JSON.stringify(rows)],
    );
    expect((await api.fetch("/readyz")).status).toBe(200);
  });
});

describe("/metrics", () => {
  const token = "a metrics token of some length";

  apiTest("counts requests by route, without the values in paths", async ({ api, deps }) => {
    await api.fetch("/api/trpc/me.get?input={}");
    await api.fetch("/no/such/path");
    const answer = await api.fetch("/metrics");
    expect(answer.headers.get("content-type")).toMatch(/^text\/plain; version=/);
    const text = await answer.text();
    expect(text).toMatch(
      /querybell_http_request_duration_seconds_count\{method="GET",route="\/api\/trpc\/:path",status="401"\} \d/,
    );
    expect(text).toContain('route="unknown",status="404"');
    expect(text).toMatch(/querybell_database_connections\{state="idle"\} \d/);
    expect(text).toMatch(/querybell_event_loop_delay_seconds_bucket\{le="0\.2"\} \d/);
    expect(text).toContain(`querybell_engine_isolation{way="${(await deps.engines.isolation()).name}"} 1`);
    expect(text).not.toContain("/no/such/path");
  });

  apiTest("requires the token if one is set", async ({ deps }) => {
    await using api = await startApi({ deps, settings: { NODE_ENV: "production", METRICS_TOKEN: token } });
    const status = async (authorization?: string) =>
      (await api.fetch("/metrics", { headers: authorization ? { authorization } : {} })).status;
    expect(await status(`Bearer ${token}`)).toBe(200);
    for (const wrong of [
      undefined,
      "Bearer",
      `Bearer ${token}x`,
      `Basic ${token}`,
      `Bearer ${token.slice(1)}`,
    ]) {
      expect(await status(wrong), wrong).toBe(401);
    }
  });

  apiTest("is not served in production without a token", async ({ deps }) => {
    await using api = await startApi({ deps, settings: { NODE_ENV: "production" } });
    for (const authorization of ["", "Bearer", "Bearer ", "Bearer undefined"]) {
      expect((await api.fetch("/metrics", { headers: { authorization } })).status).toBe(404);
    }
  });
});

describe("every answer", () => {
  apiTest("carries the security headers and a request id of its own", async ({ api }) => {
    const ids = new Set<string | null>();
    const paths = [
      "/healthz",
      "/readyz",
      "/metrics",
      "/nothing",
      "/api/key",
      "/api/trpc/me.get",
      "/api/nothing",
    ];
    for (const path of paths) {
      const { headers } = await api.fetch(path, { headers: { "x-request-id": "chosen by the client" } });
      expect(headers.get("content-security-policy"), path).toContain("frame-ancestors 'none'");
      expect(headers.get("x-content-type-options"), path).toBe("nosniff");
      expect(headers.get("referrer-policy"), path).toBe("no-referrer");
      expect(headers.get("strict-transport-security"), "only over https").toBeNull();
      expect(headers.get("access-control-allow-origin"), path).toBeNull();
      expect(headers.get("cache-control"), path).toBe(path.startsWith("/api/") ? "no-store" : null);
      ids.add(headers.get("x-request-id"));
    }
    expect(ids.size).toBe(paths.length);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f-]{36}$/);
  });
});
