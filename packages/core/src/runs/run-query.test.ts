import { AppError, type Caller, ListReferences, type ParameterDefinition } from "@querybell/domain";
import { describe, expect } from "vitest";
import { createKey } from "../keys/index.ts";
import { deleteQuery, getQuery, updateQuery } from "../queries/index.ts";
import { createReference, deleteReference, listReferences } from "../references/index.ts";
import { appError } from "../testing/app-error.ts";
import { dbTest } from "../testing/db-test.ts";
import { changeRun, execute, toCompleted, toFailed, toRunning } from "../testing/run-states.ts";
import { cancelRun, getRun, refreshQuery, runQuery } from "./index.ts";

const noValues = { parameterValues: {} };

const parameter = (name: string, defaultValue?: string): ParameterDefinition => ({
  name,
  displayName: name,
  type: "integer",
  description: "",
  ...(defaultValue !== undefined && { defaultValue }),
});

describe("refresh", () => {
  // Of two hundred, over HTTP: `apps/api/src/routers/runs.test.ts`.
  dbTest("twenty at once make one run; 19 are told that it is running", async ({ deps, make }) => {
    const owner = await make.owner();
    const { id } = await make.query(owner, "SELECT 1");
    const answers = await Promise.allSettled(
      Array.from({ length: 20 }, () => refreshQuery(deps, owner, { id })),
    );
    const made = answers.filter(({ status }) => status === "fulfilled");
    const refusals = answers.flatMap((answer) => (answer.status === "rejected" ? [answer.reason] : []));
    expect(made).toHaveLength(1);
    expect(refusals).toHaveLength(19);
    for (const refusal of refusals) {
      expect(refusal).toEqual(appError("query_already_running", /already running/));
    }
    expect(await deps.db.prisma.queryRun.count({ where: { queryId: id } })).toBe(1);
  });

  dbTest("tells a stranger nothing of a query that is running", async ({ deps, make }) => {
    const owner = await make.owner();
    const { id } = await make.query(owner, "SELECT 1");
    await refreshQuery(deps, owner, { id });
    await expect(refreshQuery(deps, await make.owner(), { id })).rejects.toEqual(
      appError("not_found", /no such query/),
    );
  });

  dbTest("uses the last run's values, even when its definitions are gone", async ({ deps, make }) => {
    const owner = await make.owner();
    const { id } = await make.query(owner, "SELECT {{n}} AS n");
    const { shortId } = await createReference(deps, owner, {
      queryId: id,
      parameters: [parameter("n", "1")],
    });
    const run = await runQuery(deps, owner, { id, parameterValues: { n: "42" } });
    expect(run).toMatchObject({
      parameterValues: { n: 42 },
      renderedSql: expect.stringMatching(/^SELECT .*42.* AS n$/),
    });
    await execute(deps, run.id);
    await deleteReference(deps, owner, { shortId });
    const refreshed = await refreshQuery(deps, owner, { id });
    expect(refreshed).toMatchObject({ status: "pending", parameterValues: { n: 42 }, queryId: id });
    await execute(deps, refreshed.id);
  });

  dbTest(
    "before the first run uses the references' defaults, oldest first",
    async ({ deps, make, clock }) => {
      const owner = await make.owner();
      const { id } = await make.query(owner, "SELECT {{a}}, {{b}}");
      const missing = appError("missing_parameter_values", /\{\{a\}\}/);
      await expect(refreshQuery(deps, owner, { id })).rejects.toEqual(missing);
      const definitions = [
        [parameter("a", "1"), parameter("b")],
        [parameter("a", "2"), parameter("b", "3")],
      ];
      for (const parameters of definitions) {
        await clock.advance(1);
        await createReference(deps, owner, { queryId: id, parameters });
      }
      // The oldest definition of b has no default, and it is the one that counts.
      await expect(refreshQuery(deps, owner, { id })).rejects.toEqual(
        appError("missing_parameter_values", /\{\{b\}\}/),
      );
      const { items } = await listReferences(deps, owner, ListReferences.parse({}));
      await deleteReference(deps, owner, { shortId: items.at(-1)?.shortId ?? "" });
      const run = await refreshQuery(deps, owner, { id });
      expect(run.parameterValues).toEqual({ a: 2, b: 3 });
    },
  );
});

describe("run", () => {
  dbTest("parses values by their types and takes defaults for the others", async ({ deps, make, clock }) => {
    const owner = await make.owner();
    const { id: keyId, scopes } = await createKey(deps, owner, { name: "A key", scopes: ["queries:run"] });
    const withKey: Caller = { ...owner, via: { kind: "key", keyId, scopes } };
    const parameters: ParameterDefinition[] = [
      parameter("n"),
      { ...parameter("since", "today-1d"), type: "date" },
      { ...parameter("names"), type: "string[]" },
    ];
    const sql = "SELECT {{n}}, {{since}} WHERE 'x' IN ({{names}})";
    const { id } = await make.query(owner, sql, { parameters });
    const run = await runQuery(deps, withKey, {
      id,
      parameterValues: { n: "9007199254740993", names: ["it's"] },
    });
    const yesterday = new Date(clock.now().getTime() - 86_400_000).toISOString().slice(0, 10);
    expect(run).toMatchObject({
      triggerId: `key:${keyId}`,
      parameterValues: { n: "9007199254740993", since: yesterday, names: ["it's"] },
    });
    expect(run.renderedSql).toContain("'it''s'");
    const bad = [
      { n: "many", names: [] },
      { n: 1, names: "x" },
      { n: 1, names: [], other: 1 },
    ];
    for (const parameterValues of bad) {
      await expect(runQuery(deps, withKey, { id, parameterValues })).rejects.toEqual(
        appError("invalid_parameter_value"),
      );
    }
    await expect(runQuery(deps, withKey, { id, parameterValues: { n: 1 } })).rejects.toEqual(
      appError("missing_parameter_values", /\{\{names\}\}/),
    );
  });

  dbTest("takes the chosen reference's definitions before the others'", async ({ deps, make, clock }) => {
    const owner = await make.owner();
    const { id } = await make.query(owner, "SELECT {{n}}", { parameters: [parameter("n", "1")] });
    await clock.advance(1);
    const { shortId } = await createReference(deps, owner, {
      queryId: id,
      parameters: [parameter("n", "2")],
    });
    expect(await runQuery(deps, owner, { id, ...noValues })).toMatchObject({ parameterValues: { n: 1 } });
    expect(await runQuery(deps, owner, { id, shortId, ...noValues })).toMatchObject({
      parameterValues: { n: 2 },
    });
  });

  dbTest("takes a text for a placeholder that nobody has defined", async ({ deps, make }) => {
    const owner = await make.owner();
    const { id } = await make.query(owner, "SELECT {{n}}");
    await expect(runQuery(deps, owner, { id, ...noValues })).rejects.toEqual(
      appError("missing_parameter_values", /Send a value/),
    );
    await expect(refreshQuery(deps, owner, { id })).rejects.toEqual(
      appError("missing_parameter_values", /run the query with values once/),
    );
    const run = await runQuery(deps, owner, { id, parameterValues: { n: "seven" } });
    expect(run.parameterValues).toEqual({ n: "seven" });
    await execute(deps, run.id);
    expect(await refreshQuery(deps, owner, { id })).toMatchObject({ parameterValues: { n: "seven" } });
  });

  dbTest("that waits is cancelled at once", async ({ deps, make }) => {
    const owner = await make.owner();
    const { id } = await make.query(owner, "SELECT 1");
    const run = await runQuery(deps, owner, { id, ...noValues });
    expect(await cancelRun(deps, owner, { id: run.id })).toMatchObject({
      status: "failed",
      failure: { code: "cancelled" },
    });
    expect(await getQuery(deps, owner, { id })).toMatchObject({
      latestRun: { id: run.id, status: "failed" },
      latestRunMetadata: { status: "failed", rowsRead: 0, rowsWritten: 0 },
    });
  });

  dbTest("is refused while an equal one is being cancelled", async ({ deps, make }) => {
    const owner = await make.owner();
    const { id } = await make.query(owner, "SELECT 1");
    const run = await runQuery(deps, owner, { id, ...noValues });
    await changeRun(deps, run.id, toRunning);
    expect(await cancelRun(deps, owner, { id: run.id })).toMatchObject({ status: "running" });
    await expect(runQuery(deps, owner, { id, ...noValues })).rejects.toEqual(
      appError("query_already_running", /cancelled/),
    );
    await execute(deps, run.id);
    expect(await getRun(deps, owner, { id: run.id })).toMatchObject({ status: "failed" });
  });
});

describe("a query that is run", () => {
  dbTest("by many at the same moment has one run", async ({ deps, make }) => {
    const owner = await make.owner();
    const { id } = await make.query(owner, "SELECT 1");
    const runs = await Promise.all(
      Array.from({ length: 12 }, () => runQuery(deps, owner, { id, ...noValues })),
    );
    expect(new Set(runs.map((run) => run.id)).size).toBe(1);
    expect(await deps.db.prisma.queryRun.count({ where: { queryId: id } })).toBe(1);
  });

  dbTest(
    "while it is edited runs the statement of one version, and never an old one afterwards",
    async ({ deps, make }) => {
      const owner = await make.owner();
      const { id } = await make.query(owner, "SELECT 0");
      for (let round = 1; round <= 10; round++) {
        const [run] = await Promise.allSettled([
          runQuery(deps, owner, { id, ...noValues }),
          updateQuery(deps, owner, { id, sql: `SELECT ${round}` }),
        ]);
        // A run of the version before is being cancelled by the edit, and refuses another meanwhile.
        if (run.status === "rejected") expect(run.reason).toMatchObject({ code: "query_already_running" });
      }
      const runs = await deps.db.prisma.queryRun.findMany({ where: { queryId: id } });
      for (const run of runs) expect(run.renderedSql).toBe(`SELECT ${run.queryVersion - 1}`);
      const unfinished = runs.filter(({ status }) => status === "pending");
      expect(unfinished.filter(({ queryVersion }) => queryVersion !== 11)).toEqual([]);
    },
  );

  dbTest("cannot be run once it is deleted, nor by another organization", async ({ deps, make }) => {
    const owner = await make.owner();
    const { id } = await make.query(owner, "SELECT 1");
    const stranger = await make.owner();
    await expect(runQuery(deps, stranger, { id, ...noValues })).rejects.toEqual(appError("not_found"));
    await deleteQuery(deps, owner, { id });
    await expect(runQuery(deps, owner, { id, ...noValues })).rejects.toEqual(appError("not_found"));
  });
});

describe("the database itself", () => {
  const refusedChanges: [from: string[], change: string][] = [
    [[], toCompleted],
    [[toRunning], "status = 'pending'"],
    [[toFailed], toRunning],
    [[toFailed], "progress_rows = 7"],
    [[toRunning, toCompleted], toFailed],
  ];
  dbTest.for(refusedChanges)("refuses after %j the change %j", async ([from, change], { deps, make }) => {
    const owner = await make.owner();
    const { id } = await make.query(owner, "SELECT 1");
    const run = await runQuery(deps, owner, { id, ...noValues });
    const update = (set: string) => changeRun(deps, run.id, set);
    for (const step of from) await update(step);
    await expect(update(change)).rejects.toMatchObject({ code: "QB002" });
    await expect(
      deps.db.transaction((tx) =>
        tx.$executeRawUnsafe(`UPDATE query_runs SET ${change} WHERE id = '${run.id}'`),
      ),
    ).rejects.toEqual(expect.any(AppError));
  });

  dbTest("refuses a second unfinished run with the same values", async ({ deps, make }) => {
    const owner = await make.owner();
    const { id } = await make.query(owner, "SELECT 1");
    const run = await runQuery(deps, owner, { id, ...noValues });
    const copy = deps.db.pool.query(
      `INSERT INTO query_runs (id, organization_id, query_id, trigger_id, parameter_values, parameter_types,
         parameter_values_hash, rendered_sql, created_at)
       SELECT gen_random_uuid(), organization_id, query_id, trigger_id, parameter_values, parameter_types,
         parameter_values_hash, rendered_sql, created_at FROM query_runs WHERE id = $1`,
      [run.id],
    );
    await expect(copy).rejects.toThrow(/unfinished_key/);
  });
});
