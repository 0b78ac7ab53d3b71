import { gunzipSync } from "node:zlib";
import { withRights } from "@querybell/db";
import { ConditionRule } from "@querybell/domain";
import { expect } from "vitest";
import { setFolderAccess } from "../../access/index.ts";
import { getDashboard, updateDashboard } from "../../dashboards/index.ts";
import { makeDashboard } from "../../dashboards/testing/make-dashboard.ts";
import { readPictures } from "../../destinations/read-pictures.ts";
import { createFolder } from "../../folders/index.ts";
import { deleteItems, findDependents, moveItems } from "../../library/index.ts";
import { setParameters, updateQuery } from "../../queries/index.ts";
import { appError } from "../../testing/app-error.ts";
import { automationTest } from "../../testing/automation-test.ts";
import { getAutomation, triggerAutomation, updateAutomation } from "../index.ts";

const test = automationTest.extend("watched", { scope: "file" }, ({ deps, make }) => async () => {
  const owner = await make.owner();
  const { id: analyticalDatabaseConfigId } = await make.database(owner);
  const statements = ["SELECT 3 AS apples", "SELECT 5 AS pears"];
  const { id, charts } = await makeDashboard(deps, owner, { analyticalDatabaseConfigId, statements });
  const automation = await make.automation(owner, { references: [], dashboardId: id });
  return { owner, id, charts, automation };
});

test("a run refreshes the dashboard once, and says what is on all its tiles and what has changed", async ({
  deps,
  runs,
  watched,
}) => {
  const { owner, id, charts, automation } = await watched();
  expect(automation.dashboard).toEqual({ id, title: "Sums", isDeleted: false });
  const run = async () => runs.end(owner, (await triggerAutomation(deps, owner, automation)).id);
  const first = await run();
  expect(first).toMatchObject({ status: "completed", summary: expect.stringMatching(/apples.*pears/s) });
  const refreshes = await deps.db.prisma.dashboardRefresh.findMany({ where: { dashboardId: id } });
  expect(refreshes).toMatchObject([{ createdBy: owner.userId, runsTotal: 2 }]);
  const steps = await runs.steps(owner, first.id);
  expect(steps.map(({ name, tool }) => tool ?? name)).toEqual([
    ...["instruction", "refresh_dashboard", "run_query", "run_query", "list_references", "summary"],
  ]);
  // The results that the run kept are those that the dashboard shows.
  const { charts: shown } = await getDashboard(deps, owner, { id });
  const kept = steps.flatMap(({ queryRunId }) => queryRunId ?? []);
  expect(kept).toEqual(shown.map((chart) => (chart.state === "shown" ? chart.result?.runId : undefined)));

  const { organizationId } = owner;
  const [picture, ...others] = await readPictures(deps, { runId: first.id, organizationId });
  expect([picture?.title, others]).toEqual(["Sums", []]);
  expect(Buffer.from(picture?.png ?? []).readUInt32BE(16)).toBe(1248);

  await updateQuery(deps, owner, { id: charts[1]?.queryId ?? "", sql: "SELECT 7 AS pears" });
  expect(await run()).toMatchObject({ summary: expect.stringMatching(/pears are 7, 40% more.*Unchanged/s) });
  const [event] = await runs.events(owner);
  expect(event?.data).toMatchObject({ imageUrl: null });

  await updateQuery(deps, owner, { id: charts[1]?.queryId ?? "", sql: "SELECT * FROM nowhere" });
  expect(await run()).toMatchObject({ status: "failed", failure: { code: "query_failed" } });
  const items = [{ kind: "dashboard" as const, id }];
  expect(await findDependents(deps, owner, { items })).toMatchObject({ automations: { total: 1 } });
  await deleteItems(deps, owner, { items });
  expect(await run()).toMatchObject({ status: "failed", failure: { code: "reference_deleted" } });
});

test("a chart that is also named keeps its own values, and the dashboard's picture those of its filters", async ({
  deps,
  make,
  runs,
  watched,
}) => {
  const { owner, id, charts } = await watched();
  const [chart] = charts;
  const sql = "SELECT CASE {{region}} WHEN 'north' THEN 3 ELSE 10 END AS apples";
  await updateQuery(deps, owner, { id: chart?.queryId ?? "", sql });
  const region = (defaultValue: string) => ({
    ...({ name: "region", displayName: "Region", type: "string", description: "" } as const),
    defaultValue,
  });
  await setParameters(deps, owner, {
    ...{ id: chart?.queryId ?? "", version: 0, choices: {}, ranges: [] },
    definitions: [region("all")],
  });
  const { content } = await getDashboard(deps, owner, { id });
  const filters = { ...content.filters, definitions: [region("north")] };
  await updateDashboard(deps, owner, { id, content: { ...content, filters } });
  const { shortId } = await deps.db.prisma.queryReference.findUniqueOrThrow({
    where: { id: chart?.id ?? "" },
  });
  const isMoreThan5 = {
    kind: "figure",
    figure: { operation: "sum", column: "apples" },
    is: { operator: "more", to: { kind: "value", value: "5" } },
  };
  const automation = await make.automation(owner, {
    references: [{ shortId }],
    dashboardId: id,
    condition: { shortId, rule: ConditionRule.parse({ condition: isMoreThan5 }) },
  });
  const run = async () => runs.end(owner, (await triggerAutomation(deps, owner, automation)).id);
  expect(await run()).toMatchObject({ summary: expect.stringMatching(/apples are 10.*apples are 3/s) });
  // The next run compares each with its own, and judges the chart that is named.
  const { id: runId, summary } = await run();
  expect(summary).toMatch(/Nothing has changed/);
  expect((await getAutomation(deps, owner, automation)).conditionState).toMatchObject({ status: "met" });
  const inputs = (await runs.steps(owner, runId)).flatMap(({ tool, input }) =>
    tool === "run_query" ? [input] : [],
  );
  expect(inputs).toContainEqual({ shortId, parameterValues: { region: "north" } });
  expect(inputs).toContainEqual({ shortId, parameterValues: {} });

  await deps.db.prisma.automationResult.updateMany({ where: { runId }, data: { cut: true } });
  const drawn: unknown[] = [];
  const notes: string[] = [];
  const drawDashboard: typeof deps.engines.drawDashboard = async (request) => {
    for (const { read } of request.results) {
      const pieces: Uint8Array[] = [];
      for await (const piece of read()) pieces.push(piece);
      drawn.push(JSON.parse(gunzipSync(Buffer.concat(pieces)).toString()).rows[0][0]);
    }
    for (const tile of request.picture.tabs.flatMap(({ tiles }) => tiles))
      if (tile.kind === "chart") notes.push(...tile.notes);
    return { kind: "drawn", bytes: new Uint8Array() };
  };
  const engines = { ...deps.engines, drawDashboard };
  const { organizationId } = owner;
  expect(await readPictures({ ...deps, engines }, { runId, organizationId })).toHaveLength(1);
  expect(drawn).toEqual([3, 5]);
  expect(notes).toEqual(Array(2).fill("The result was cut at a limit."));
});

test("an automation looks at something, and only those see it who see all that it looks at", async ({
  deps,
  make,
  watched,
}) => {
  const { owner, id, charts, automation } = await watched();
  await expect(updateAutomation(deps, owner, { id: automation.id, dashboardId: null })).rejects.toEqual(
    appError("invalid_request", /at least one/),
  );
  await expect(updateAutomation(deps, owner, { id: automation.id, agent: "external" })).rejects.toEqual(
    appError("invalid_request", /external agent/),
  );
  const other = await watched();
  await expect(updateAutomation(deps, owner, { id: automation.id, dashboardId: other.id })).rejects.toEqual(
    appError("not_found"),
  );

  const member = await make.member(owner.organizationId);
  const asMember = async <T>(work: () => Promise<T>) => {
    deps.rights.forget(member);
    return withRights(await deps.rights.of(member), work);
  };
  const look = () => asMember(() => getAutomation(deps, member, automation));
  expect(await look()).toMatchObject({ id: automation.id });
  const { id: folderId } = await createFolder(deps, owner, { name: "Secret", parentId: null });
  await setFolderAccess(deps, owner, { folderId, grants: [] });
  await moveItems(deps, owner, { items: [{ kind: "reference", id: charts[0]?.id ?? "" }], folderId });
  await expect(look()).rejects.toEqual(appError("not_found"));
  const seen = await deps.db.pool.query("SELECT querybell_sees_automation($1, $2, $3) AS sees", [
    ...[owner.organizationId, member.userId, automation.id],
  ]);
  expect(seen.rows).toEqual([{ sees: false }]);
  await expect(asMember(() => make.automation(member, { references: [], dashboardId: id }))).rejects.toEqual(
    appError("invalid_request", /do not see all charts/),
  );
});
