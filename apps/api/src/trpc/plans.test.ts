import { findFlaws, multiplyRows, recordPlans, reportPlans } from "@querybell/core/testing/plans";
import { expect } from "vitest";
import { apiTest } from "../testing/api-test.ts";
import { callProcedure, everyProcedure } from "../testing/every-procedure.ts";
import { recordEverything } from "../testing/examples/record-everything.ts";
import { makeOrganizationWithEverything } from "../testing/organization-with-everything.ts";

const accepted = [
  {
    statement: 'GROUP BY "rights"."queries"."analytical_database_config_id"',
    flaw: "rows",
    because:
      "the page of databases counts the queries of each, and an organization has thousands, not millions",
  },
  {
    statement: "ts_rank(",
    flaw: "rows",
    because: "a search ranks whatever matches, and here every copy has the same words",
  },
  {
    statement: "SELECT count(*)::int AS total",
    flaw: "reads",
    because: "a recovery says how many deliveries it will send again, and here half of all have failed",
  },
  {
    statement: "sees_automation(",
    flaw: "notifications",
    because: "a page skips those about automations that the person does not see any more, and here most are",
  },
  {
    statement: '"j0"."analytical_database_config_id" = $2',
    flaw: "reads",
    because: "deleting a database looks for its running runs, and databases are seldom deleted",
  },
  {
    statement: "WHERE r.refresh_id = f.id",
    flaw: "query_runs",
    because: "a refresh has a run for each chart of a dashboard, and here all copies are of one refresh",
  },
  {
    statement: "SELECT id FROM organizations WHERE id <> (SELECT organization_id FROM query_runs",
    flaw: "organizations",
    because: "it is a statement of the test",
  },
];

const test = apiTest.extend(
  "deploymentAdmins",
  { scope: "file" },
  () => "robin@large.example, robin@small.example",
);

test("no procedure reads or sorts a growing table, in a large organization or beside one", async ({
  deps,
  make,
  api,
  superuserUrl,
}) => {
  const { pool } = deps.db;
  await reportPlans(superuserUrl);
  const { plans, start } = recordPlans(pool);
  const [owner, member] = [await make.user(), await make.user()];
  await makeOrganizationWithEverything(deps, { owner, member }, "everything");
  const large = await recordEverything({ api, deps, make, mailDomain: "large.example" });
  const { growing, empty } = await multiplyRows(superuserUrl, { rowCount: 10_000, days: 104 });
  expect(empty).toEqual([]);
  start();
  const session = {
    cookie: await api.sessionCookie(large.owner.email, "an even longer password"),
    origin: api.origin,
  };
  for (const procedure of everyProcedure.filter(({ type }) => type === "query")) {
    const { access, scope, path } = procedure;
    const headers = access === "key" || scope ? large.key : session;
    const { status } = await callProcedure(api, procedure, { input: large.examples[path]?.input, headers });
    expect([path, status]).toEqual([path, expect.toBeOneOf([200, 404, 409])]);
  }
  await recordEverything({ api, deps, make, mailDomain: "small.example" });
  expect(plans.length).toBeGreaterThan(500);
  expect(findFlaws({ plans, growing, accepted })).toEqual([]);
});
