import { createDashboard, refreshDashboard } from "@querybell/core/dashboards";
import { createReference } from "@querybell/core/references";
import { runQuery } from "@querybell/core/runs";
import { execute } from "@querybell/core/testing";
import { noFilters } from "@querybell/domain";
import { expect } from "vitest";
import { apiTest } from "../testing/api-test.ts";

const visualization = {
  type: "line" as const,
  jsxConfig: '<LineChart><XAxis dataKey="n" /><YAxis /><Line dataKey="n" /></LineChart>',
  marginConfig: { top: 0, right: 0, bottom: 0, left: 0 },
};

apiTest("a chart is downloaded as a picture that is named after it", async ({ api, make, makeKey, deps }) => {
  const owner = await make.owner();
  const { id } = await make.query(owner, "SELECT range AS n FROM range(5)", { engine: "duckdb" });
  const { shortId } = await createReference(deps, owner, { queryId: id, title: "Größe", visualization });
  const run = await runQuery(deps, owner, { id, parameterValues: {} });
  await execute(deps, run.id);
  const { key } = await makeKey(owner);
  const get = (address: string, bearer = key) =>
    api.fetch(`/api/charts/${address}`, { headers: { authorization: `Bearer ${bearer}` } });

  const png = await get(`${shortId}/picture.png?scheme=dark&width=400&scale=1&run=${run.id}`);
  expect([png.status, png.headers.get("content-type")]).toEqual([200, "image/png"]);
  expect(png.headers.get("content-disposition")).toMatch(
    /^attachment; filename="Gr__e \d{4}-\d\d-\d\d\.png"; filename\*=/,
  );
  const bytes = Buffer.from(await png.arrayBuffer());
  expect([bytes.subarray(1, 4).toString(), bytes.readUInt32BE(16)]).toEqual(["PNG", 400]);

  const svg = await get(`${shortId}/picture.svg?locale=de&timeZone=Europe/Berlin`);
  expect(svg.headers.get("content-type")).toMatch(/^image\/svg\+xml/);
  expect(svg.headers.get("content-security-policy")).toContain("sandbox");
  expect(await svg.text()).toContain("Größe");

  for (const [query, words] of [
    ["width=10", /width/],
    ["width=abc", /width/],
    ["scheme=pink", /scheme/],
    ["locale=!", /language/],
    ["timeZone=Mars", /time zone/],
    ["other=1", /other/],
  ] as const) {
    const refused = await get(`${shortId}/picture.png?${query}`);
    expect(refused.status).toBe(400);
    expect(await refused.text()).toMatch(words);
  }
  const unscoped = await makeKey(owner, { scopes: ["references:read"] });
  expect((await get(`${shortId}/picture.png`, unscoped.key)).status).toBe(403);
  expect((await get("absent/picture.png")).status).toBe(404);
});

apiTest("a dashboard is downloaded as one picture", async ({ api, make, makeKey, deps }) => {
  const owner = await make.owner();
  const { id: queryId } = await make.query(owner, "SELECT range AS n FROM range(5)", { engine: "duckdb" });
  const { id: referenceId } = await createReference(deps, owner, { queryId, title: "Range", visualization });
  const tile = { id: "1", kind: "chart", referenceId, shows: "chart", x: 0, y: 0, w: 6, h: 6 } as const;
  const { id } = await createDashboard(deps, owner, {
    ...{ title: "Größe", description: null, folderId: null },
    content: { tabs: [{ id: "tab", title: "Overview", tiles: [tile] }], filters: noFilters() },
  });
  const { id: refreshId } = await refreshDashboard(deps, owner, { id });
  for (const run of await deps.db.prisma.queryRun.findMany({ where: { refreshId } }))
    await execute(deps, run.id);
  const headers = { cookie: await api.sessionCookie(owner.email) };
  const get = (address: string) => api.fetch(`/api/dashboards/${address}`, { headers });
  const png = await get(`${id}/picture.png?scheme=dark&locale=de&timeZone=Europe/Berlin`);
  expect([png.status, png.headers.get("content-type")]).toEqual([200, "image/png"]);
  expect(png.headers.get("content-disposition")).toMatch(
    /^attachment; filename="Gr__e \d{4}-\d\d-\d\d\.png"/,
  );
  expect(Buffer.from(await png.arrayBuffer()).readUInt32BE(16)).toBe(2 * 1248);
  const downloads = await deps.db.prisma.auditEntry.findMany({
    where: { organizationId: owner.organizationId, action: "result.downloaded" },
  });
  expect(downloads).toMatchObject([{ targetId: queryId, detail: { format: "png", rows: 5 } }]);

  const statuses = [];
  const wrong = [`${id}/picture.png?scheme=pink`, `${id}/picture.png?p.region=north`, "x/picture.png"];
  for (const address of wrong) statuses.push((await get(address)).status);
  expect(statuses).toEqual([400, 400, 400]);
  expect((await get(`${referenceId}/picture.png`)).status).toBe(404);
  const { key } = await makeKey(owner);
  const byKey = { headers: { authorization: `Bearer ${key}` } };
  expect((await api.fetch(`/api/dashboards/${id}/picture.png`, byKey)).status).toBe(403);
  expect((await api.fetch(`/api/dashboards/${id}/picture.png`)).status).toBe(401);
});
