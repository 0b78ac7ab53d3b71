import { AppError, type ParameterDefinition } from "@querybell/domain";
import { describe, expect } from "vitest";
import { apiError } from "../testing/api-error.ts";
import { apiTest, startApi } from "../testing/api-test.ts";
import { changeRun, execute, toCompleted, toFailed, toRunning } from "@querybell/core/testing";

const parameter = (name: string, defaultValue?: string): ParameterDefinition => ({
  name,
  displayName: name,
  type: "integer",
  description: "",
  ...(defaultValue !== undefined && { defaultValue }),
});

describe("refresh", () => {
  apiTest(
    "two hundred at once make one run; 199 are told that it is running",
    async ({ api, make, makeKey, deps }) => {
      const owner = await make.owner();
      const { id } = await make.query(owner, "SELECT 1");
      const { key } = await makeKey(owner);
      const client = api.withKey(key);
      const answers = await Promise.allSettled(
        Array.from({ length: 200 }, () => client.queries.refresh.mutate({ id })),
      );
      const made = answers.filter(({ status }) => status === "fulfilled");
      const refusals = answers.flatMap((answer) => (answer.status === "rejected" ? [answer.reason] : []));
      expect(made).toHaveLength(1);
      expect(refusals).toHaveLength(199);
      for (const refusal of refusals)
        expect(refusal).toEqual(apiError("query_already_running", /already running/));
      expect(await deps.db.prisma.queryRun.count({ where: { queryId: id } })).toBe(1);
    },
  );

  apiTest("tells a stranger nothing of a query that is running", async ({ api, make }) => {
    const owner = await make.owner();
    const { id } = await make.query(owner, "SELECT 1");
    await (await api.signedIn(owner)).queries.refresh.mutate({ id });
    const stranger = await api.signedIn(await make.owner());
    await expect(stranger.queries.refresh.mutate({ id })).rejects.toEqual(
      apiError("not_found", /no such query/),
    );
  });

  apiTest("uses the last run's values, even when its definitions are gone", async ({ api, make, deps }) => {
    const owner = await make.owner();
    const client = await api.signedIn(owner);
    const { id } = await make.query(owner, "SELECT {{n}} AS n");
    const { shortId } = await client.references.create.mutate({
      queryId: id,
      parameters: [parameter("n", "1")],
    });
    const run = await client.queries.run.mutate({ id, parameterValues: { n: "42" } });
    expect(run).toMatchObject({
      parameterValues: { n: 42 },
      renderedSql: expect.stringMatching(/^SELECT .*42.* AS n$/),
    });
    await execute(deps, run.id);
    await client.references.delete.mutate({ shortId });
    const refreshed = await client.queries.refresh.mutate({ id });
    expect(refreshed).toMatchObject({ status: "pending", parameterValues: { n: 42 }, queryId: id });
    await execute(deps, refreshed.id);
  });

  apiTest(
    "before the first run uses the references' defaults, oldest first",
    async ({ api, make, clock }) => {
      const owner = await make.owner();
      const client = await api.signedIn(owner);
      const { id } = await make.query(owner, "SELECT {{a}}, {{b}}");
      const missing = apiError("missing_parameter_values", /\{\{a\}\}/);
      await expect(client.queries.refresh.mutate({ id })).rejects.toEqual(missing);
      const definitions = [
        [parameter("a", "1"), parameter("b")],
        [parameter("a", "2"), parameter("b", "3")],
      ];
      for (const parameters of definitions) {
        await clock.advance(1);
        await client.references.create.mutate({ queryId: id, parameters });
      }
      // The oldest definition of b has no default, and it is the one that counts.
      await expect(client.queries.refresh.mutate({ id })).rejects.toEqual(
        apiError("missing_parameter_values", /\{\{b\}\}/),
      );
      const { items } = await client.references.list.query();
      await client.references.delete.mutate({ shortId: items.at(-1)?.shortId ?? "" });
      const run = await client.queries.refresh.mutate({ id });
      expect(run.parameterValues).toEqual({ a: 2, b: 3 });
    },
  );
});

describe("run", () => {
  apiTest(
    "parses values by their types and takes defaults for the others",
    async ({ api, make, makeKey, clock }) => {
      const owner = await make.owner();
      const { key, id: keyId } = await makeKey(owner, { scopes: ["queries:run"] });
      const parameters: ParameterDefinition[] = [
        parameter("n"),
        { ...parameter("since", "today-1d"), type: "date" },
        { ...parameter("names"), type: "string[]" },
      ];
      const sql = "SELECT {{n}}, {{since}} WHERE 'x' IN ({{names}})";
      const { id } = await make.query(owner, sql, { parameters });
      const client = api.withKey(key);
      const run = await client.queries.run.mutate({
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
        await expect(client.queries.run.mutate({ id, parameterValues })).rejects.toEqual(
          apiError("invalid_parameter_value"),
        );
      }
      await expect(client.queries.run.mutate({ id, parameterValues: { n: 1 } })).rejects.toEqual(
        apiError("missing_parameter_values", /\{\{names\}\}/),
      );
    },
  );

  apiTest("takes the chosen reference's definitions before the others'", async ({ api, make, clock }) => {
    const owner = await make.owner();
    const client = await api.signedIn(owner);
    const { id } = await make.query(owner, "SELECT {{n}}", { parameters: [parameter("n", "1")] });
    await clock.advance(1);
    const { shortId } = await client.references.create.mutate({
      queryId: id,
      parameters: [parameter("n", "2")],
    });
    expect(await client.queries.run.mutate({ id })).toMatchObject({ parameterValues: { n: 1 } });
    expect(await client.queries.run.mutate({ id, shortId })).toMatchObject({ parameterValues: { n: 2 } });
  });

  apiTest("takes a text for a placeholder that nobody has defined", async ({ api, make, deps }) => {
    const owner = await make.owner();
    const client = await api.signedIn(owner);
    const { id } = await make.query(owner, "SELECT {{n}}");
    await expect(client.queries.run.mutate({ id })).rejects.toEqual(
      apiError("missing_parameter_values", /Send a value/),
    );
    await expect(client.queries.refresh.mutate({ id })).rejects.toEqual(
      apiError("missing_parameter_values", /run the query with values once/),
    );
    const run = await client.queries.run.mutate({ id, parameterValues: { n: "seven" } });
    expect(run.parameterValues).toEqual({ n: "seven" });
    await execute(deps, run.id);
    expect(await client.queries.refresh.mutate({ id })).toMatchObject({ parameterValues: { n: "seven" } });
  });

  apiTest("that waits is cancelled at once", async ({ api, make }) => {
    const owner = await make.owner();
    const client = await api.signedIn(owner);
    const { id } = await make.query(owner, "SELECT 1");
    const run = await client.queries.run.mutate({ id });
    expect(await client.runs.cancel.mutate({ id: run.id })).toMatchObject({
      status: "failed",
      failure: { code: "cancelled" },
    });
    expect(await client.queries.get.query({ id })).toMatchObject({
      latestRun: { id: run.id, status: "failed" },
      latestRunMetadata: { status: "failed", rowsRead: 0, rowsWritten: 0 },
    });
  });

  apiTest("is refused while an equal one is being cancelled", async ({ api, make, deps }) => {
    const owner = await make.owner();
    const client = await api.signedIn(owner);
    const { id } = await make.query(owner, "SELECT 1");
    const run = await client.queries.run.mutate({ id });
    await changeRun(deps, run.id, toRunning);
    expect(await client.runs.cancel.mutate({ id: run.id })).toMatchObject({ status: "running" });
    await expect(client.queries.run.mutate({ id })).rejects.toEqual(
      apiError("query_already_running", /cancelled/),
    );
    await execute(deps, run.id);
    expect(await client.runs.get.query({ id: run.id })).toMatchObject({ status: "failed" });
  });
});

describe("runs.watch", () => {
  apiTest("streams a run's states over HTTP until it has ended", async ({ api, make, makeKey, deps }) => {
    const owner = await make.owner();
    const { key } = await makeKey(owner);
    const { id } = await make.query(owner, "SELECT * FROM range(3)");
    const run = await api.withKey(key).queries.run.mutate({ id });
    const statuses: string[] = [];
    const answer = await api.fetch(
      `/api/trpc/runs.watch?input=${encodeURIComponent(JSON.stringify({ id: run.id }))}`,
      {
        headers: { authorization: `Bearer ${key}`, accept: "text/event-stream" },
      },
    );
    const decoder = new TextDecoder();
    let executing: Promise<void> | undefined;
    for await (const chunk of answer.body ?? []) {
      for (const [, status = ""] of decoder.decode(chunk).matchAll(/"status":"(\w+)"/g))
        statuses.push(status);
      // Somebody watches: now the run may begin.
      if (statuses.length > 0) executing ??= execute(deps, run.id);
    }
    await executing;
    expect(statuses[0]).toBe("pending");
    expect(statuses.at(-1)).toBe("completed");
  });
});

describe("a server that closes", () => {
  apiTest("ends the watching, and says that it can be watched again", async ({ make, makeKey, deps }) => {
    const owner = await make.owner();
    const { key } = await makeKey(owner);
    const api = await startApi({ deps });
    const { id } = await make.query(owner, "SELECT 1");
    const run = await api.withKey(key).queries.run.mutate({ id });
    const answer = await api.fetch(
      `/api/trpc/runs.watch?input=${encodeURIComponent(JSON.stringify({ id: run.id }))}`,
      {
        headers: { authorization: `Bearer ${key}`, accept: "text/event-stream" },
      },
    );
    const decoder = new TextDecoder();
    let text = "";
    let closed: Promise<void> | undefined;
    for await (const chunk of answer.body ?? []) {
      text += decoder.decode(chunk);
      if (text.includes('"pending"')) closed ??= api[Symbol.asyncDispose]().then(() => {});
    }
    await closed;
    expect(text).toContain('"reason":"unavailable"');
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
  apiTest.for(refusedChanges)(
    "refuses after %j the change %j",
    async ([from, change], { make, deps, api }) => {
      const owner = await make.owner();
      const client = await api.signedIn(owner);
      const { id } = await make.query(owner, "SELECT 1");
      const run = await client.queries.run.mutate({ id });
      const update = (set: string) => changeRun(deps, run.id, set);
      for (const step of from) await update(step);
      await expect(update(change)).rejects.toMatchObject({ code: "QB002" });
      await expect(
        deps.db.transaction((tx) =>
          tx.$executeRawUnsafe(`UPDATE query_runs SET ${change} WHERE id = '${run.id}'`),
        ),
      ).rejects.toEqual(expect.any(AppError));
    },
  );

  apiTest("refuses a second unfinished run with the same values", async ({ make, deps, api }) => {
    const owner = await make.owner();
    const client = await api.signedIn(owner);
    const { id } = await make.query(owner, "SELECT 1");
    const run = await client.queries.run.mutate({ id });
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
