import { closeDeps, openDeps } from "@querybell/core/open-deps";
import { describe, expect, onTestFinished, vi } from "vitest";
import { z } from "zod";
import { apiTest, startApi } from "../testing/api-test.ts";

const Problem = z.object({ detail: z.string() });

describe("/readyz", () => {
  apiTest("is ready when every migration is applied, and names what is missing", async ({ api, deps }) => {
    expect(await (await api.fetch("/readyz")).json()).toEqual({ status: "ready" });
    const { rows } = await deps.db.pool.query(
      "DELETE FROM _prisma_migrations WHERE migration_name LIKE '%_baseline' RETURNING *",
    );
    const answer = await api.fetch("/readyz");
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({
      code: "unavailable",
      detail: `The database lacks migrations: ${rows[0].migration_name}. Run the operator's command migrate first.`,
    });
    await deps.db.pool.query(
      "INSERT INTO _prisma_migrations SELECT * FROM jsonb_populate_recordset(NULL::_prisma_migrations, $1)",
      [JSON.stringify(rows)],
    );
    expect((await api.fetch("/readyz")).status).toBe(200);
  });
});

describe("/readyz is not ready", () => {
  const reasonOf = async (answer: Response) => {
    expect(answer.status).toBe(503);
    return Problem.parse(await answer.json()).detail;
  };

  apiTest("on a database that does not accept writes", async ({ settings, clock, onError }) => {
    const url = new URL(settings.DATABASE_URL);
    url.searchParams.set("options", "-c default_transaction_read_only=on");
    const deps = openDeps({ settings: { ...settings, DATABASE_URL: url.href }, clock, onError });
    onTestFinished(() => closeDeps(deps));
    await using api = await startApi({ deps });
    expect(await reasonOf(await api.fetch("/readyz"))).toMatch(/^The database is read-only: /);
  });

  apiTest("on a database that a newer version has migrated", async ({ api, deps }) => {
    const later = "29990101000000_later";
    await deps.db.pool.query(
      "INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at) VALUES ('later', '', $1, now())",
      [later],
    );
    expect(await reasonOf(await api.fetch("/readyz"))).toContain(`does not know: ${later}. Run the version`);
    await deps.db.pool.query("DELETE FROM _prisma_migrations WHERE id = 'later'");
    expect((await api.fetch("/readyz")).status).toBe(200);
  });

  apiTest(
    "once the process stops, while requests are still answered and connections ended",
    async ({ deps }) => {
      const stopping = new AbortController();
      await using api = await startApi({ deps, stopping: stopping.signal });
      const connectionOf = async (path: string) => (await api.fetch(path)).headers.get("connection");
      expect([(await api.fetch("/readyz")).status, await connectionOf("/healthz")]).toEqual([
        200,
        "keep-alive",
      ]);
      stopping.abort();
      expect(await reasonOf(await api.fetch("/readyz"))).toBe("This process is stopping.");
      expect([(await api.fetch("/api/key")).status, await connectionOf("/api/key")]).toEqual([401, "close"]);
    },
  );

  apiTest("and that is no error in the log", async ({ deps }) => {
    const [stopping, logLines] = [new AbortController(), [] as string[]];
    stopping.abort();
    await using api = await startApi({ deps, stopping: stopping.signal, logLines });
    for (const path of ["/healthz", "/readyz", "/metrics"]) await api.fetch(path);
    await api.fetch("/api/key");
    const paths = () => logLines.flatMap((line) => JSON.parse(line).req?.path ?? []);
    await vi.waitUntil(() => paths().includes("/api/key"), { timeout: 20_000 });
    expect(paths()).toEqual(["/api/key"]);
  });

  apiTest("and probes are in the log of who debugs", async ({ deps }) => {
    const logLines: string[] = [];
    await using api = await startApi({ deps, logLines, logLevel: "debug" });
    await api.fetch("/readyz");
    await vi.waitUntil(() => logLines.join("").includes('"path":"/readyz"'), { timeout: 20_000 });
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

  apiTest("names procedures, also of a batch, and no others", async ({ api }) => {
    await api.fetch("/api/trpc/me.get,keys.describe,no.such?batch=1");
    await api.fetch("/api/trpc/nothing.here");
    const text = await (await api.fetch("/metrics")).text();
    const counted = [
      ...text.matchAll(/querybell_procedure_duration_seconds_count\{procedure="([^"]+)",status="401"\}/g),
    ];
    expect(counted.map(([, name]) => name)).toEqual(expect.arrayContaining(["me.get", "keys.describe"]));
    expect(text).not.toMatch(/no\.such|nothing\.here/);
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
  apiTest("carries the security headers and its own request id", async ({ api }) => {
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
