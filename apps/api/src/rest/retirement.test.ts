import { randomUUID } from "node:crypto";
import { changeSettingsAsOperator } from "@querybell/core/operator";
import { describe, expect } from "vitest";
import { apiError } from "../testing/api-error.ts";
import { startApi } from "../testing/api-test.ts";
import { restTest as test } from "../testing/rest-test.ts";
import { restRoutes } from "./route-table.ts";

const day = 86_400_000;
const paths = [...new Set(restRoutes.map(({ path }) => path))].map((path) =>
  path.replace(":shortId", "aaaaaaaaaa").replace(":queryId", randomUUID()),
);
const methods = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "PROPFIND"];

const gone = {
  type: "about:blank",
  title: "This route is retired",
  status: 404,
  detail: expect.stringMatching(/permanent.*do not retry/),
  code: "route_retired",
};

describe("for an organization that has retired them", () => {
  test("the routes answer any method and any content with the same 404, and do nothing", async ({
    rest,
    make,
    deps,
  }) => {
    const { owner, call, signIn } = await rest.start();
    const { id } = await make.query(owner, "SELECT 1");
    const client = await signIn();
    await client.settings.update.mutate({ restCompatibility: "retired" });
    for (const path of [
      ...paths,
      `/api/queries/${id}`,
      `/api/queries/${id}/refresh`,
      "/api/queries?limit=x",
    ]) {
      for (const method of methods) {
        const answer = await call(path, { method, ...(method === "POST" && { body: "{" }) });
        expect([answer.status, answer.body], `${method} ${path}`).toEqual([
          404,
          method === "HEAD" ? undefined : gone,
        ]);
        expect([answer.headers.get("deprecation"), answer.headers.get("sunset")]).toEqual([null, null]);
      }
    }
    expect(await deps.db.prisma.queryRun.count({ where: { organizationId: owner.organizationId } })).toBe(0);
    expect(await client.queries.list.query()).toMatchObject({ items: [{ id }] });
  });

  test("an admin cannot bring them back, and the operator can", async ({ rest, clock, deps }) => {
    const { call, signIn } = await rest.start();
    const client = await signIn();
    const { slug } = await client.settings.update.mutate({ restCompatibility: "retired" });
    const restSunsetAt = new Date(clock.now().getTime() + day).toISOString();
    for (const plan of [null, restSunsetAt]) {
      await expect(client.settings.update.mutate({ restSunsetAt: plan })).rejects.toEqual(
        apiError("conflict", /operator/),
      );
    }
    expect((await call("/api/queries")).status).toBe(404);
    await changeSettingsAsOperator(deps, { slug, restCompatibility: "live" });
    await clock.advance(5_000);
    expect((await call("/api/queries")).status).toBe(200);
  });
});

describe("while they are live", () => {
  test("every answer says that they are deprecated, and when they end if that is known", async ({
    rest,
    clock,
  }) => {
    const { call, signIn } = await rest.start();
    const client = await signIn();
    const without = await call("/api/queries/refs");
    expect(without.headers.get("deprecation")).toMatch(/^@\d{10}$/);
    expect(without.headers.get("link")).toContain('rel="deprecation"');
    expect(without.headers.get("sunset")).toBeNull();

    const sunset = new Date(Math.ceil(clock.now().getTime() / day) * day + day);
    const set = await client.settings.update.mutate({ restSunsetAt: sunset.toISOString() });
    expect(set).toMatchObject({ restCompatibility: "live", restSunsetAt: sunset.toISOString() });
    await clock.advance(5_000);
    for (const [path, status] of [
      ["/api/queries/refs", 200],
      ["/api/queries/1", 400],
    ] as const) {
      const answer = await call(path);
      expect([answer.status, answer.headers.get("sunset")]).toEqual([status, sunset.toUTCString()]);
    }
    await clock.advance(sunset.getTime() - clock.now().getTime() - 1);
    expect((await call("/api/queries/refs")).status).toBe(200);
    await clock.advance(1);
    expect((await call("/api/queries/refs")).body).toEqual(gone);
    await expect(client.settings.get.query()).resolves.toMatchObject({ restCompatibility: "retired" });
  });

  test("a sunset in the past is refused", async ({ rest, clock }) => {
    const client = await (await rest.start()).signIn();
    const restSunsetAt = clock.now().toISOString();
    await expect(client.settings.update.mutate({ restSunsetAt })).rejects.toEqual(
      apiError("invalid_request", /future/),
    );
  });
});

test("where the deployment's default is retired, a caller without a valid key gets the same 404", async ({
  deps,
  rest,
}) => {
  const { key } = await rest.start();
  const deployment = { ...deps.deployment, restCompatibility: "retired" as const };
  await using api = await startApi({ deps: { ...deps, deployment } });
  const status = async (headers: Record<string, string>) =>
    (await api.fetch("/api/queries", { headers })).status;
  for (const path of paths) {
    for (const authorization of ["", "Bearer qb_unknown", "Basic eDp5"]) {
      const answer = await api.fetch(path, {
        method: "POST",
        headers: authorization ? { authorization } : {},
      });
      expect([answer.status, await answer.json()], path).toEqual([404, gone]);
    }
  }
  expect(await status({ authorization: `Bearer ${key}` })).toBe(200);
});

test("who still calls which route is counted", async ({ api, rest }) => {
  const { call, signIn } = await rest.start();
  const { slug } = await (await signIn()).settings.get.query();
  await call("/api/queries");
  await call("/api/queries");
  await call(`/api/queries/${randomUUID()}`);
  const text = await (await api.fetch("/metrics")).text();
  const line = (route: string, count: number) =>
    `querybell_rest_calls_total{organization="${slug}",route="${route}",state="live"} ${count}`;
  expect(text).toContain(line("GET /api/queries", 2));
  expect(text).toContain(line("GET /api/queries/:queryId", 1));
});
