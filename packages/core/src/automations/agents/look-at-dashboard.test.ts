import { withRights } from "@querybell/db";
import { expect } from "vitest";
import { setFolderAccess } from "../../access/index.ts";
import { getDashboard } from "../../dashboards/index.ts";
import { makeDashboard } from "../../dashboards/testing/make-dashboard.ts";
import { readPictures } from "../../destinations/read-pictures.ts";
import { createFolder } from "../../folders/index.ts";
import { deleteItems, findDependents, moveItems } from "../../library/index.ts";
import { updateQuery } from "../../queries/index.ts";
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
