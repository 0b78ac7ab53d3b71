import { gunzipSync } from "node:zlib";
import { type Caller, DashboardContent, findFeeds, type ParameterType } from "@querybell/domain";
import { describe, expect } from "vitest";
import type { Deps } from "../deps.ts";
import { createQuery, setParameters } from "../queries/index.ts";
import { createReference } from "../references/index.ts";
import { appError } from "../testing/app-error.ts";
import { dbTest } from "../testing/db-test.ts";
import { execute } from "../testing/run-states.ts";
import { createDashboard, getDashboard, refreshDashboard, updateDashboard } from "./index.ts";

const define = (name: string, type: ParameterType, defaultValue?: string) => ({
  ...{ name, displayName: name, type, description: "" },
  ...(defaultValue !== undefined && { defaultValue }),
});

interface GivenContent {
  references: readonly string[];
  filters?: object;
  click?: object;
}

const contentOf = ({ references, filters, click }: GivenContent) =>
  DashboardContent.parse({
    tabs: [
      {
        id: "tab",
        title: "Overview",
        tiles: references.map((referenceId, at) => ({
          ...{ id: `tile-${at}`, kind: "chart", referenceId, shows: "chart", x: 0, y: at * 4, w: 6, h: 4 },
          ...(at === 0 && click && { click }),
        })),
      },
    ],
    ...(filters && { filters }),
  });

const test = dbTest.extend("shop", { scope: "file" }, async ({ deps, make }) => {
  const owner = await make.owner();
  const { id: analyticalDatabaseConfigId } = await make.database(owner);
  const makeChart = async (sql: string, types: Record<string, ParameterType>) => {
    const { id: queryId } = await createQuery(deps, owner, { sql, analyticalDatabaseConfigId });
    const definitions = Object.entries(types).map(([name, type]) => define(name, type));
    await setParameters(deps, owner, { id: queryId, version: 0, definitions, choices: {}, ranges: [] });
    return (await createReference(deps, owner, { queryId, title: sql })).id;
  };
  return { owner, makeChart };
});

const plain = { title: "Shop", description: null, folderId: null };

/** The dashboard with these values, and the first value of each result. */
async function read(deps: Deps, caller: Caller, id: string, filterValues: Record<string, string>) {
  const dashboard = await getDashboard(deps, caller, { id, filterValues });
  const values: unknown[] = [];
  for (const chart of dashboard.charts) {
    const runId = chart.state === "shown" ? chart.result?.runId : undefined;
    if (runId === undefined) values.push(undefined);
    else {
      const { gzippedJson } = await deps.db.prisma.queryResult.findUniqueOrThrow({ where: { runId } });
      values.push(JSON.parse(gunzipSync(gzippedJson).toString()).rows[0][0]);
    }
  }
  return { dashboard, values };
}

async function refresh(deps: Deps, caller: Caller, id: string, filterValues: Record<string, string>) {
  const { id: refreshId } = await refreshDashboard(deps, caller, { id, filterValues });
  const runs = await deps.db.prisma.queryRun.findMany({ where: { refreshId } });
  for (const run of runs) if (run.leaderId === null) await execute(deps, run.id);
}

describe("a filter", () => {
  test("feeds the charts, and each set of values keeps its own moment", async ({ deps, shop, clock }) => {
    const { owner, makeChart } = shop;
    const references = [
      await makeChart("SELECT {{region}} AS region", { region: "string" }),
      await makeChart("SELECT {{place}} || '!' AS place", { place: "string" }),
      await makeChart("SELECT 'all' AS everything", {}),
    ];
    const filters = {
      definitions: [define("region", "string", "north")],
      matches: [{ filter: "region", referenceId: references[1], placeholder: "place" }],
    };
    const { id } = await createDashboard(deps, owner, {
      ...plain,
      content: contentOf({ references, filters }),
    });
    await refresh(deps, owner, id, {});
    await clock.advance(60_000);
    await refresh(deps, owner, id, { region: "south" });
    const south = await read(deps, owner, id, { region: "south" });
    expect(south.values).toEqual(["south", "south!", "all"]);
    const north = await read(deps, owner, id, {});
    expect(north.values).toEqual(["north", "north!", "all"]);
    // Also the chart that no filter feeds shows the moment of the heading.
    for (const { dashboard } of [north, south]) {
      expect(dashboard.isRefreshed).toBe(true);
      const moments = dashboard.charts.map((chart) => chart.state === "shown" && chart.snapshotAt);
      expect(new Set(moments)).toEqual(new Set(dashboard.instants.map(({ at }) => at)));
    }
    expect(north.dashboard.instants[0]?.at).not.toBe(south.dashboard.instants[0]?.at);
    // The default by its name is the default.
    expect((await read(deps, owner, id, { region: "north" })).dashboard.instants).toEqual(
      north.dashboard.instants,
    );
    const west = await read(deps, owner, id, { region: "west" });
    expect(west.dashboard).toMatchObject({ isRefreshed: false, refresh: null, instants: [] });
    expect(west.values).toEqual([undefined, undefined, "all"]);
  });

  test("gives a relative date and a list to each placeholder in its type", async ({ deps, shop }) => {
    const { owner, makeChart } = shop;
    const references = [
      await makeChart("SELECT len({{ids}}) AS n", { ids: "number[]" }),
      await makeChart("SELECT CAST({{since}} AS VARCHAR) AS since", { since: "timestamp" }),
    ];
    const filters = {
      definitions: [define("ids", "integer"), define("since", "date", "2026-01-31")],
    };
    const { id } = await createDashboard(deps, owner, {
      ...plain,
      content: contentOf({ references, filters }),
    });
    await refresh(deps, owner, id, { ids: "7" });
    const { values } = await read(deps, owner, id, { ids: "7" });
    expect(values).toEqual([1, expect.stringContaining("2026-01-31 00:00:00")]);
  });

  test("is refused where its type does not fit a placeholder, and says what to do", async ({
    deps,
    shop,
  }) => {
    const { owner, makeChart } = shop;
    const references = [await makeChart("SELECT {{since}} AS since", { since: "date" })];
    const content = contentOf({ references, filters: { definitions: [define("since", "integer")] } });
    await expect(createDashboard(deps, owner, { ...plain, content })).rejects.toThrow(
      appError(
        "invalid_request",
        /^The filter since has the type integer, and \{\{since\}\} of “SELECT .*” takes date: give the filter the type date, or do not match it with this chart\.$/,
      ),
    );
    const unmatched = { filter: "since", referenceId: references[0], placeholder: null };
    const filters = { definitions: [define("since", "integer")], matches: [unmatched] };
    const { id } = await createDashboard(deps, owner, {
      ...plain,
      content: contentOf({ references, filters }),
    });
    await expect(updateDashboard(deps, owner, { id, content })).rejects.toThrow(
      expect.objectContaining({ code: "invalid_request" }),
    );
  });

  test("with a wrong value shows no chart, and is not refreshed", async ({ deps, shop }) => {
    const { owner, makeChart } = shop;
    const references = [await makeChart("SELECT {{since}} AS since", { since: "date" })];
    const filters = { definitions: [define("since", "date")] };
    const { id } = await createDashboard(deps, owner, {
      ...plain,
      content: contentOf({ references, filters }),
    });
    const { dashboard } = await read(deps, owner, id, { since: "soon" });
    expect(dashboard.filterErrors).toEqual([
      { path: "parameterValues.since", message: expect.stringContaining("takes a date") },
    ]);
    expect(dashboard.charts).toMatchObject([
      { result: null, missing: "Correct the values of the filters first." },
    ]);
    await expect(refreshDashboard(deps, owner, { id, filterValues: { since: "soon" } })).rejects.toThrow(
      expect.objectContaining({ code: "invalid_parameter_value" }),
    );
    await expect(refreshDashboard(deps, owner, { id, filterValues: { other: "x" } })).rejects.toThrow(
      expect.objectContaining({ code: "invalid_parameter_value" }),
    );
  });

  test("does not feed the chart whose click sets it", () => {
    const [one, other] = ["01890000-0000-7000-8000-000000000001", "01890000-0000-7000-8000-000000000002"];
    const filters = { definitions: [define("region", "string")] };
    const click = { does: "filter", filter: "region" };
    const content = contentOf({ references: [one, other], filters, click });
    const placeholders = ["region"];
    expect(findFeeds(content, { referenceId: one, placeholders })).toEqual([]);
    expect(findFeeds(content, { referenceId: other, placeholders })).toEqual([
      { filter: "region", placeholder: "region" },
    ]);
  });
});
