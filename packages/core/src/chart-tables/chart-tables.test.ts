import { gunzipSync } from "node:zlib";
import { withRights } from "@querybell/db";
import type { Caller } from "@querybell/domain";
import { expect } from "vitest";
import { setFolderAccess } from "../access/index.ts";
import type { Deps } from "../deps.ts";
import { createFolder } from "../folders/index.ts";
import { moveItems } from "../library/index.ts";
import { createQuery, getQuery, updateQuery } from "../queries/index.ts";
import { createReference, deleteReference, updateReference } from "../references/index.ts";
import { readResult } from "../results/read-result.ts";
import { runQuery } from "../runs/index.ts";
import { appError } from "../testing/app-error.ts";
import { withRunSlotsTest as test } from "../testing/run-test.ts";
import { getUploadsDatabase, importUpload, receiveUpload } from "../uploads/index.ts";
import { getLineage, listChartTables } from "./index.ts";

const noValues = { parameterValues: {} };
const completed = { status: "completed", failure: null };

async function upload(deps: Deps, caller: Caller, table: string, content: string): Promise<void> {
  const { id } = await receiveUpload(deps, caller, {
    fileName: "file.csv",
    format: "csv",
    announcedBytes: content.length,
    content: (async function* () {
      yield Buffer.from(content);
    })(),
  });
  await importUpload(deps, caller, { id, table, mode: "create", key: [], reading: {}, types: {} });
}

/** A query on the uploads. */
async function createOnUploads(deps: Deps, caller: Caller, sql: string) {
  const { id } = await getUploadsDatabase(deps.db.prisma, caller.organizationId);
  return createQuery(deps, caller, { sql, analyticalDatabaseConfigId: id });
}

async function rowsOf(deps: Deps, caller: Caller, runId: string): Promise<unknown[][]> {
  const { pieces } = await readResult(deps, caller, { runId });
  const chunks: Buffer[] = [];
  for await (const chunk of pieces) chunks.push(chunk);
  return JSON.parse(gunzipSync(Buffer.concat(chunks)).toString()).rows;
}

test("uploads are joined with results of other databases, whose values arrive exactly", async ({
  deps,
  make,
  end,
}) => {
  const owner = await make.owner();
  await upload(deps, owner, "targets", "name,target\napple,10\npear,20\n");
  const sold = await make.query(
    owner,
    `SELECT * FROM (VALUES ('apple', 0.10::numeric(30,20), '2024-01-31'::date, '2024-01-31T10:00:00.123456Z'::timestamptz,
      9007199254740993::bigint, true, '[1,2]'::jsonb, null::int, 'NaN'::float8, '\\x00ff'::bytea)) v(name, share, day, moment, big, is_sold, list, gap, odd, bytes)`,
    { engine: "postgres" },
  );
  const { shortId } = await createReference(deps, owner, { queryId: sold.id, title: "Größe: Sold, 2024!" });
  const joined = await createOnUploads(
    deps,
    owner,
    `SELECT t.target, share, day, moment, big, is_sold, list, gap, odd, bytes, typeof(share), typeof(moment), typeof(big)
     FROM targets t JOIN charts.grose_sold_2024 USING (name)`,
  );
  const run = await runQuery(deps, owner, { id: joined.id, ...noValues });
  expect(await end(owner, run.id)).toMatchObject(completed);
  expect(await rowsOf(deps, owner, run.id)).toEqual([
    [
      10,
      "0.10000000000000000000",
      "2024-01-31",
      "2024-01-31T10:00:00.123456Z",
      "9007199254740993",
      true,
      [1, 2],
      null,
      "NaN",
      "AP8=",
      "DECIMAL(21,20)",
      "TIMESTAMP WITH TIME ZONE",
      "BIGINT",
    ],
  ]);
  // The chart was run, and its result is used again while it is fresh.
  const runsOfChart = () => deps.db.prisma.queryRun.count({ where: { queryId: sold.id } });
  expect(await runsOfChart()).toBe(1);
  const again = await runQuery(deps, owner, { id: joined.id, ...noValues });
  expect(await end(owner, again.id)).toMatchObject(completed);
  expect(await runsOfChart()).toBe(1);

  // The name stays, whatever the chart is called.
  await updateReference(deps, owner, { shortId, title: "Other" });
  expect(await getLineage(deps, owner, { id: sold.id })).toMatchObject({
    charts: [{ title: "Other", table: "charts.grose_sold_2024", usedBy: [{ id: joined.id }] }],
  });
  expect(await listChartTables(deps, owner)).toEqual([
    { shortId, title: "Other", table: "charts.grose_sold_2024" },
  ]);
  expect(await getLineage(deps, owner, { id: joined.id })).toMatchObject({
    uses: [{ shortId, title: "Other", table: "charts.grose_sold_2024" }],
  });

  // A changed query is run before it is read, and a deleted chart is no table.
  await updateQuery(deps, owner, { id: sold.id, sql: "SELECT 'pear' AS name, 1.5::numeric AS share" });
  const short = await createOnUploads(
    deps,
    owner,
    "SELECT target, share FROM targets JOIN charts.grose_sold_2024 USING (name)",
  );
  const later = await runQuery(deps, owner, { id: short.id, ...noValues });
  expect(await end(owner, later.id)).toMatchObject(completed);
  expect(await rowsOf(deps, owner, later.id)).toEqual([[20, "1.5"]]);
  await deleteReference(deps, owner, { shortId });
  expect(await listChartTables(deps, owner)).toEqual([]);
  const gone = await runQuery(deps, owner, { id: short.id, ...noValues });
  expect(await end(owner, gone.id)).toMatchObject({ status: "failed", failure: { code: "query_failed" } });
});

test("a chart can have any name, also one that SQL or this service uses", async ({ deps, make, end }) => {
  const owner = await make.owner();
  const titles = ["raw", "Main", "select", "The texts", "charts", "information_schema", "temp", "2024"];
  for (const [index, title] of titles.entries()) {
    const { id: queryId } = await make.query(owner, `SELECT ${index} AS v`);
    await createReference(deps, owner, { queryId, title });
  }
  const names = ["raw", "main", "select", "the_texts", "charts", "information_schema", "temp", "chart_2024"];
  const sql = names.map((name) => `SELECT v FROM charts.${name}`).join(" UNION ALL ");
  const { id } = await createOnUploads(deps, owner, sql);
  const run = await runQuery(deps, owner, { id, ...noValues });
  expect(await end(owner, run.id)).toMatchObject(completed);
  expect(await rowsOf(deps, owner, run.id)).toEqual(titles.map((_, index) => [index]));
});

test("a result that a limit cut, and a chart that fails, are not joined", async ({ deps, make, end }) => {
  const owner = await make.owner();
  const long = await make.query(owner, "SELECT * FROM range(20)", { limits: { rows: 10 } });
  await createReference(deps, owner, { queryId: long.id, title: "Long" });
  const broken = await make.query(owner, "SELECT * FROM nothing");
  await createReference(deps, owner, { queryId: broken.id, title: "Broken" });
  for (const [name, message] of [
    ["long", /^A limit cut the result of charts\.long/],
    ["broken", /^charts\.broken cannot be refreshed\. .*nothing/],
  ] as const) {
    const { id } = await createOnUploads(deps, owner, `SELECT * FROM charts.${name}`);
    const run = await runQuery(deps, owner, { id, ...noValues });
    expect(await end(owner, run.id)).toMatchObject({
      status: "failed",
      failure: { code: "query_failed", message: expect.stringMatching(message) },
    });
  }
});

test("charts of charts are refreshed in their order, a cycle is refused, and names are of one organization", async ({
  deps,
  make,
  end,
}) => {
  const owner = await make.owner();
  const first = await createOnUploads(deps, owner, "SELECT 1 AS a");
  await createReference(deps, owner, { queryId: first.id, title: "Same" });
  const second = await createOnUploads(deps, owner, "SELECT a + 1 AS a FROM charts.same");
  const same = await createReference(deps, owner, { queryId: second.id, title: "Same" });
  const [named] = (await getLineage(deps, owner, { id: second.id })).charts;
  expect(named?.table).toMatch(/^charts\.same_[0-9a-f]{6}$/);
  const third = await createOnUploads(deps, owner, `SELECT a + 1 AS a FROM ${named?.table}`);
  const run = await runQuery(deps, owner, { id: third.id, ...noValues });
  expect(await end(owner, run.id)).toMatchObject(completed);
  expect(await rowsOf(deps, owner, run.id)).toEqual([[3]]);
  await createReference(deps, owner, { queryId: third.id, title: "Third" });
  for (const sql of ["FROM charts.third", `FROM ${named?.table}`, "FROM charts.same"]) {
    await expect(updateQuery(deps, owner, { id: first.id, sql: `SELECT a ${sql}` })).rejects.toEqual(
      appError("invalid_sql", /so the query cannot read charts\./),
    );
  }
  expect(same.shortId).not.toBe("");

  const stranger = await make.owner();
  const foreign = await createOnUploads(deps, stranger, "SELECT * FROM charts.same");
  const refused = await runQuery(deps, stranger, { id: foreign.id, ...noValues });
  expect(await end(stranger, refused.id)).toMatchObject({ status: "failed" });
});

test("whoever does not see a chart reads it in no query, and does not see the queries that read it", async ({
  deps,
  make,
  end,
}) => {
  const owner = await make.owner();
  const member = await make.member(owner.organizationId);
  const secret = await make.query(owner, "SELECT 42 AS salary");
  const chart = await createReference(deps, owner, { queryId: secret.id, title: "Salaries" });
  const { id: folderId } = await createFolder(deps, owner, { name: "Board", parentId: null });
  await moveItems(deps, owner, { items: [{ kind: "reference", id: chart.id }], folderId });
  const first = await createOnUploads(deps, owner, "SELECT salary FROM charts.salaries");
  await createReference(deps, owner, { queryId: first.id, title: "Payroll" });
  const second = await createOnUploads(deps, owner, "SELECT salary FROM charts.payroll");
  await setFolderAccess(deps, owner, { folderId, grants: [] });

  const mine = await withRights(await deps.rights.of(member), async () => {
    expect(await listChartTables(deps, member)).toEqual([]);
    for (const query of [first, second]) {
      await expect(getQuery(deps, member, query)).rejects.toEqual(appError("not_found"));
    }
    const { id } = await createOnUploads(deps, member, "SELECT salary FROM charts.salaries");
    return runQuery(deps, member, { id, ...noValues });
  });
  // Not even its name is told.
  expect(await end(member, mine.id)).toMatchObject({
    status: "failed",
    failure: {
      code: "query_failed",
      message: "No chart has the name charts.salaries. The tables beside the editor have the names.",
    },
  });
  const run = await runQuery(deps, owner, { id: second.id, ...noValues });
  expect(await end(owner, run.id)).toMatchObject(completed);
});

test("a name that no chart has is told with those that are near", async ({ deps, make, end }) => {
  const owner = await make.owner();
  const messageOf = async (queryId: string) => {
    const run = await runQuery(deps, owner, { id: queryId, ...noValues });
    return (await end(owner, run.id)).failure?.message;
  };
  const early = await createOnUploads(deps, owner, "SELECT * FROM charts.sales");
  expect(await messageOf(early.id)).toMatch(/^No chart has the name charts\.sales\. The tables beside/);
  const sold = await make.query(owner, "SELECT 1 AS a");
  for (const title of ["Sales", "Sales by month", "Other"]) {
    await createReference(deps, owner, { queryId: sold.id, title });
  }
  expect(await messageOf(early.id)).toMatch(/^The chart of charts\.sales was made after this query/);
  for (const sql of ["SELECT * FROM charts.salse", "SELECT * FROM charts.sales, charts.salse"]) {
    const { id } = await createOnUploads(deps, owner, sql);
    expect(await messageOf(id)).toMatch(
      /^No chart has the name charts\.salse\. Did you mean charts\.sales\?$/,
    );
  }
  for (const [sql, message] of [
    [
      "SELECT * FROM charts.main.sales",
      "charts.main.sales has a part too many. The result of a chart is charts. and the name of the chart: charts.sales.",
    ],
    ["SELECT * FROM charts", "charts alone is no table. The result of a chart is charts. and the name"],
  ] as const) {
    const { id } = await createOnUploads(deps, owner, sql);
    expect(await messageOf(id)).toContain(message);
  }
  // Names of tables of one's own are left to the engine.
  const table = await createOnUploads(deps, owner, "SELECT charts.x FROM nothing AS charts");
  expect(await messageOf(table.id)).toMatch(/nothing does not exist/);
  // Other databases have no such tables.
  for (const engine of ["duckdb", "postgres"] as const) {
    const { id } = await make.query(owner, "SELECT * FROM charts.sales", { engine });
    expect(await messageOf(id)).toMatch(/choose the database Uploads\.$/);
  }
});

test("a chart whose rows depend on who reads them is no table", async ({ deps, make, end }) => {
  const owner = await make.owner();
  const own = await make.query(owner, "SELECT {{user_email}} AS mine");
  await createReference(deps, owner, { queryId: own.id, title: "Own" });
  const { id } = await createOnUploads(deps, owner, "SELECT mine FROM charts.own");
  const run = await runQuery(deps, owner, { id, ...noValues });
  expect(await end(owner, run.id)).toMatchObject({
    status: "failed",
    failure: { message: expect.stringContaining("depend on who reads them") },
  });
});
