import type { Draft, ParameterDefinition } from "@querybell/domain";
import { describe, expect } from "vitest";
import { getParameters, setParameters } from "../queries/index.ts";
import { createReference, getReference } from "../references/index.ts";
import { runQuery } from "../runs/index.ts";
import { appError } from "../testing/app-error.ts";
import { dbTest } from "../testing/db-test.ts";
import { execute } from "../testing/run-states.ts";
import { createDraft, deleteDraft, getDraft, runDraft, saveDraft, updateDraft } from "./index.ts";

const define = (name: string, more: Partial<ParameterDefinition> = {}): ParameterDefinition => ({
  name,
  displayName: name,
  type: "string",
  description: "",
  ...more,
});

const inputs = (...definitions: ParameterDefinition[]) => ({ definitions, choices: {}, ranges: [] });
const keyOf = ({ id, revision }: Draft) => ({ id, revision });

const day = (name: string, defaultValue?: string) =>
  define(name, { type: "date", ...(defaultValue !== undefined && { defaultValue }) });

describe("the parameters of a draft", () => {
  dbTest("of a new query are used by its trials, and saved with it", async ({ deps, make }) => {
    const author = await make.owner();
    const { id: analyticalDatabaseConfigId } = await make.database(author);
    const range = { displayName: "Period", start: "since", end: "until", includesEnd: true };
    const parameters = {
      ...inputs(day("since", "2026-01-01"), day("until", "2026-01-31")),
      ranges: [range],
      base: null,
    };
    const draft = await createDraft(deps, author, {
      sql: "SELECT {{since}} AS a, {{until}} AS b",
      analyticalDatabaseConfigId,
      parameters,
    });
    expect(draft.parameters).toEqual(parameters);
    expect(await getDraft(deps, author, draft)).toEqual(draft);
    const run = (parameterValues: Record<string, string>) =>
      runDraft(deps, author, { ...draft, parameterValues });
    await expect(run({ since: "soon" })).rejects.toEqual(appError("invalid_parameter_value"));
    await expect(run({ since: "2026-02-01" })).rejects.toEqual(
      appError("invalid_parameter_value", /ends before it starts/),
    );
    const trial = await run({});
    expect(trial.parameterValues).toEqual({ since: "2026-01-01", until: "2026-01-31" });
    await execute(deps, trial.id);

    const saved = await saveDraft(deps, author, { ...keyOf(draft), name: "Days" });
    expect(await getParameters(deps, author, { id: saved.id, names: [] })).toEqual({
      ...inputs(...parameters.definitions),
      ranges: [range],
      version: 1,
    });
    expect(saved.latestRun).toMatchObject({ status: "completed" });
    // The answer of the first call was lost.
    expect(await saveDraft(deps, author, { ...keyOf(draft), name: "Days" })).toEqual(saved);
  });

  dbTest("of a saved query change nothing for others until it is saved", async ({ deps, make }) => {
    const author = await make.owner();
    const { id: queryId, analyticalDatabaseConfigId } = await make.query(author, "SELECT {{n}} AS n");
    const before = await setParameters(deps, author, {
      id: queryId,
      version: 0,
      ...inputs(define("n", { defaultValue: "x" })),
    });
    const { shortId } = await createReference(deps, author, { queryId, parameters: [define("n")] });
    const parameters = { ...inputs(define("n", { type: "integer", defaultValue: "7" })), base: before };
    const draft = await createDraft(deps, author, {
      sql: "SELECT {{n}} AS n",
      analyticalDatabaseConfigId,
      queryId,
      parameters,
    });
    const trial = await runDraft(deps, author, { ...draft, parameterValues: {} });
    expect(trial.parameterValues).toEqual({ n: 7 });
    expect(await getParameters(deps, author, { id: queryId, names: [] })).toEqual(before);
    expect(await runQuery(deps, author, { id: queryId, parameterValues: {} })).toMatchObject({
      parameterValues: { n: "x" },
    });

    // The text is the saved one, so there is no new version of it; charts follow the type.
    expect(await saveDraft(deps, author, keyOf(draft))).toMatchObject({ version: 1 });
    expect(await getParameters(deps, author, { id: queryId, names: [] })).toEqual({
      ...inputs(...parameters.definitions),
      version: 2,
    });
    expect((await getReference(deps, author, { shortId })).parameters).toMatchObject([{ type: "integer" }]);
  });

  dbTest(
    "are refused when somebody has saved others meanwhile, and nothing is lost",
    async ({ deps, make }) => {
      const author = await make.owner();
      const colleague = await make.member(author.organizationId);
      const { id, analyticalDatabaseConfigId } = await make.query(author, "SELECT {{n}}");
      const base = { ...inputs(), version: 0 };
      const mine = inputs(define("n", { displayName: "Mine" }));
      const change = { sql: "SELECT {{n}}, 1", analyticalDatabaseConfigId, queryId: id };
      const draft = await createDraft(deps, author, { ...change, parameters: { ...mine, base } });
      const theirs = await setParameters(deps, colleague, { id, version: 0, ...inputs(define("m")) });
      await expect(saveDraft(deps, author, keyOf(draft))).rejects.toEqual(
        appError("query_changed", /changed the parameters/),
      );
      // Neither the text nor the definitions were saved.
      expect(await getParameters(deps, author, { id, names: [] })).toEqual(theirs);
      expect(await getDraft(deps, author, draft)).toEqual(draft);
      const merged = { ...inputs(define("m"), ...mine.definitions), base: theirs };
      const next = await updateDraft(deps, author, { ...keyOf(draft), parameters: merged });
      expect(next).toMatchObject({ sql: "SELECT {{n}}, 1", parameters: merged, revision: 2 });
      expect(await saveDraft(deps, author, keyOf(next))).toMatchObject({ version: 2 });
      expect(await getParameters(deps, author, { id, names: [] })).toMatchObject({
        version: 2,
        definitions: merged.definitions,
      });
    },
  );

  dbTest(
    "are kept when only the text changes, and go back to the query's with null",
    async ({ deps, make }) => {
      const author = await make.owner();
      const { id: queryId, analyticalDatabaseConfigId } = await make.query(author, "SELECT {{n}}");
      const parameters = { ...inputs(define("n", { type: "integer" })), base: null };
      const change = { sql: "SELECT {{n}}", analyticalDatabaseConfigId, queryId };
      const draft = await createDraft(deps, author, { ...change, parameters });
      // The same content is a call whose answer was lost; other parameters are those of another window.
      expect(await createDraft(deps, author, { ...change, parameters })).toEqual(draft);
      await expect(createDraft(deps, author, change)).rejects.toEqual(appError("draft_changed"));
      const second = await updateDraft(deps, author, { ...keyOf(draft), sql: "SELECT {{n}}, 2" });
      expect(second).toMatchObject({ parameters, revision: 2 });
      const third = await updateDraft(deps, author, { ...keyOf(second), parameters: null });
      expect(third).toMatchObject({ parameters: null, sql: "SELECT {{n}}, 2", revision: 3 });
      await deleteDraft(deps, author, draft);
    },
  );

  dbTest("of another type make a trial one of before: it is not published", async ({ deps, make }) => {
    const author = await make.owner();
    const { id: analyticalDatabaseConfigId } = await make.database(author);
    const draft = await createDraft(deps, author, { sql: "SELECT {{n}} AS n", analyticalDatabaseConfigId });
    const trial = await runDraft(deps, author, { ...draft, parameterValues: { n: "7" } });
    await execute(deps, trial.id);
    const labelled = { ...inputs(define("n", { displayName: "Number" })), base: null };
    const second = await updateDraft(deps, author, { ...keyOf(draft), parameters: labelled });
    expect(second.trial).toMatchObject({ isCurrent: true });
    const typed = { ...inputs(define("n", { type: "integer" })), base: null };
    const third = await updateDraft(deps, author, { ...keyOf(second), parameters: typed });
    expect(third.trial).toMatchObject({ isCurrent: false });
    expect((await saveDraft(deps, author, { ...keyOf(third), name: "N" })).latestRun).toBeNull();
  });

  dbTest("must fit together, and take choices from queries of the organization", async ({ deps, make }) => {
    const author = await make.owner();
    const { id: queryId, analyticalDatabaseConfigId } = await make.query(author, "SELECT {{n}}");
    const foreign = await make.query(await make.owner(), "SELECT 1");
    const change = { sql: "SELECT {{n}}", analyticalDatabaseConfigId, queryId };
    const from = (id: string) => ({ n: { kind: "query" as const, queryId: id, dependsOn: [] } });
    const refused = [
      [{ ...inputs(define("n", { type: "integer", defaultValue: "x" })) }, "invalid_parameter_value"],
      [{ ...inputs(define("n")), choices: from(foreign.id) }, "not_found"],
      [{ ...inputs(define("n")), choices: from(queryId) }, "invalid_request"],
    ] as const;
    const draft = await createDraft(deps, author, { ...change, sql: "SELECT 2" });
    for (const [parameters, code] of refused) {
      const given = { ...parameters, definitions: [...parameters.definitions], ranges: [], base: null };
      await expect(updateDraft(deps, author, { ...keyOf(draft), parameters: given })).rejects.toEqual(
        appError(code),
      );
    }
    expect(await getDraft(deps, author, draft)).toEqual(draft);
  });
});
