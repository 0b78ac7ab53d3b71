import {
  type Caller,
  CreateAutomation,
  type ParameterDefinition,
  type SetParameters,
} from "@querybell/domain";
import { describe, expect } from "vitest";
import { createAutomation } from "../automations/index.ts";
import {
  createReference,
  deleteReference,
  getReference,
  getReferenceWithInputs,
  updateReference,
} from "../references/index.ts";
import { findResult } from "../results/index.ts";
import { refreshQuery, runQuery } from "../runs/index.ts";
import { appError } from "../testing/app-error.ts";
import { dbTest } from "../testing/db-test.ts";
import { deleteQuery, getParameters, setParameters } from "./index.ts";

const define = (name: string, more: Partial<ParameterDefinition> = {}): ParameterDefinition => ({
  name,
  displayName: name,
  type: "string",
  description: "",
  ...more,
});

type Content = Partial<Pick<SetParameters, "version" | "choices" | "ranges">>;

const change = (id: string, definitions: ParameterDefinition[], more: Content = {}): SetParameters => ({
  id,
  version: 0,
  definitions,
  choices: {},
  ranges: [],
  ...more,
});

describe("the parameters of a query", () => {
  dbTest("are used by its runs, whatever its references come and go", async ({ deps, make }) => {
    const owner = await make.owner();
    const { id } = await make.query(owner, "SELECT {{n}} AS n");
    const old = await createReference(deps, owner, {
      queryId: id,
      parameters: [define("n", { defaultValue: "of the reference" })],
    });
    const read = () => getParameters(deps, owner, { id, names: ["n"] });
    // Until the query has a definition, that of its oldest reference applies.
    expect(await read()).toMatchObject({ version: 0, definitions: [{ defaultValue: "of the reference" }] });
    const saved = await setParameters(deps, owner, change(id, [define("n", { defaultValue: "own" })]));
    expect(saved.version).toBe(1);
    expect(await read()).toEqual(saved);
    const run = await runQuery(deps, owner, { id, parameterValues: {} });
    expect(run.parameterValues).toEqual({ n: "own" });
    await deleteReference(deps, owner, { shortId: old.shortId });
    expect(await read()).toEqual(saved);
  });

  dbTest("give a first refresh its defaults", async ({ deps, make }) => {
    const owner = await make.owner();
    const { id } = await make.query(owner, "SELECT {{n}}");
    await setParameters(deps, owner, change(id, [define("n", { type: "integer", defaultValue: "7" })]));
    expect((await refreshQuery(deps, owner, { id })).parameterValues).toEqual({ n: 7 });
  });

  dbTest("get other labels and defaults on a chart, and only there", async ({ deps, make }) => {
    const owner = await make.owner();
    const { id } = await make.query(owner, "SELECT {{n}}, {{m}}, {{other}}");
    const [n, m] = [define("n", { defaultValue: "query" }), define("m", { defaultValue: "m" })];
    const choices = { n: { kind: "list" as const, items: [{ value: "a" }, { value: "b", label: "B" }] } };
    await setParameters(deps, owner, change(id, [n, m, define("other", { defaultValue: "" })], { choices }));
    const { shortId } = await createReference(deps, owner, { queryId: id });
    const mine = { ...n, displayName: "Mine", defaultValue: "chart" };
    await updateReference(deps, owner, { shortId, parameters: [mine] });
    const { inputs } = await getReferenceWithInputs(deps, owner, { shortId });
    expect(inputs).toEqual({
      definitions: [mine, m, define("other", { defaultValue: "" })],
      choices,
      ranges: [],
    });
    const values = async (chart?: string) =>
      (await runQuery(deps, owner, { id, shortId: chart, parameterValues: {} })).parameterValues;
    expect(await values(shortId)).toMatchObject({ n: "chart", m: "m" });
    expect(await values()).toMatchObject({ n: "query", m: "m" });
  });

  dbTest("are not published by a reference that has none", async ({ deps, make }) => {
    const owner = await make.owner();
    const { id } = await make.query(owner, "SELECT {{n}}");
    await setParameters(deps, owner, change(id, [define("n")]));
    const { shortId } = await createReference(deps, owner, { queryId: id });
    expect((await getReference(deps, owner, { shortId })).parameters).toEqual([]);
  });

  dbTest("are not overwritten by a second editor", async ({ deps, make }) => {
    const owner = await make.owner();
    const { id } = await make.query(owner, "SELECT {{n}}");
    const writes = await Promise.allSettled(
      ["one", "two"].map((displayName) =>
        setParameters(deps, owner, change(id, [define("n", { displayName })])),
      ),
    );
    const lost = writes.flatMap((write) => (write.status === "rejected" ? [write.reason] : []));
    expect(lost).toEqual([appError("query_changed", /version 1 now/)]);
    const { version, definitions, choices } = await getParameters(deps, owner, { id, names: [] });
    // The same change once more, because its answer was lost, is no conflict.
    const again = await setParameters(deps, owner, change(id, definitions, { choices }));
    expect(again.version).toBe(version);
  });

  dbTest("take references along to another type, unless a default would not fit", async ({ deps, make }) => {
    const owner = await make.owner();
    const { id } = await make.query(owner, "SELECT {{n}}");
    await setParameters(deps, owner, change(id, [define("n")]));
    const reference = (more: Partial<ParameterDefinition>) =>
      createReference(deps, owner, { queryId: id, parameters: [define("n", more)], title: "A chart" });
    const follows = await reference({ defaultValue: "4" });
    const differs = await reference({ type: "date" });
    await setParameters(deps, owner, change(id, [define("n", { type: "integer" })], { version: 1 }));
    const typeOf = async ({ shortId }: { shortId: string }) =>
      (await getReference(deps, owner, { shortId })).parameters[0]?.type;
    expect(await typeOf(follows)).toBe("integer");
    expect(await typeOf(differs)).toBe("date");
    await expect(
      setParameters(deps, owner, change(id, [define("n", { type: "boolean" })], { version: 2 })),
    ).rejects.toEqual(appError("conflict", /The chart “A chart” has its own default .* “4”/));
    expect(await typeOf(follows)).toBe("integer");
    expect((await getParameters(deps, owner, { id, names: [] })).version).toBe(2);
  });

  const fromQuery = (queryId: string, ...dependsOn: string[]) => ({
    kind: "query" as const,
    queryId,
    dependsOn,
  });

  interface Refused {
    what: string;
    definitions: ParameterDefinition[];
    content: (other: string) => Content;
    words: RegExp;
  }
  const dates = [define("from", { type: "date" }), define("to", { type: "date" })];
  const range = { displayName: "Period", start: "from", end: "to", includesEnd: true };
  const refused: Refused[] = [
    {
      what: "choices in a circle",
      definitions: [define("a"), define("b"), define("c")],
      content: (other) => ({
        choices: { a: fromQuery(other, "b"), b: fromQuery(other, "c"), c: fromQuery(other, "a") },
      }),
      words: /in a circle: {{a}} → {{b}} → {{c}} → {{a}}/,
    },
    {
      what: "choices that depend on themselves",
      definitions: [define("a")],
      content: (other) => ({ choices: { a: fromQuery(other, "a") } }),
      words: /in a circle: {{a}} → {{a}}/,
    },
    {
      what: "choices that depend on what is not defined",
      definitions: [define("a")],
      content: (other) => ({ choices: { a: fromQuery(other, "nothing") } }),
      words: /{{nothing}}, which is not defined/,
    },
    {
      what: "choices of yes or no",
      definitions: [define("a", { type: "boolean" })],
      content: () => ({ choices: { a: { kind: "list", items: [{ value: "true" }] } } }),
      words: /not for true or false/,
    },
    {
      what: "a choice that does not fit",
      definitions: [define("a", { type: "integer[]" })],
      content: () => ({ choices: { a: { kind: "list", items: [{ value: "many" }] } } }),
      words: /whole number/,
    },
    {
      what: "a range of texts",
      definitions: [define("from"), define("to", { type: "date" })],
      content: () => ({ ranges: [range] }),
      words: /{{from}} to be defined as a date/,
    },
    {
      what: "a date in two ranges",
      definitions: [...dates, define("end", { type: "date" })],
      content: () => ({ ranges: [range, { ...range, end: "end" }] }),
      words: /{{from}} once/,
    },
    {
      what: "defaults of a range in the wrong order",
      definitions: [
        define("from", { type: "date", defaultValue: "2026-02-01" }),
        define("to", { type: "date", defaultValue: "2026-01-31" }),
      ],
      content: () => ({ ranges: [range] }),
      words: /end before they start/,
    },
    {
      what: "a default that does not fit",
      definitions: [define("a", { type: "date", defaultValue: "soon" })],
      content: () => ({}),
      words: /takes a date/,
    },
  ];
  dbTest.for(refused)("refuse $what", async ({ definitions, content, words }, { deps, make }) => {
    const owner = await make.owner();
    const [{ id }, other] = [await make.query(owner, "SELECT 1"), await make.query(owner, "SELECT 2")];
    await expect(
      setParameters(deps, owner, change(id, definitions, content(other.id))),
    ).rejects.toMatchObject({
      message: expect.stringMatching(words),
      errors: [{ path: expect.any(String) }],
    });
    expect((await getParameters(deps, owner, { id, names: [] })).version).toBe(0);
  });

  dbTest("take choices only from other queries of the organization", async ({ deps, make }) => {
    const [owner, stranger] = [await make.owner(), await make.owner()];
    const { id } = await make.query(owner, "SELECT 1");
    const from = (queryId: string, caller: Caller = owner) =>
      setParameters(deps, caller, change(id, [define("a")], { choices: { a: fromQuery(queryId) } }));
    await expect(from(id)).rejects.toEqual(appError("invalid_request", /choose another query/));
    const foreign = await make.query(stranger, "SELECT 1");
    await expect(from(foreign.id)).rejects.toEqual(appError("not_found"));
    await expect(from(foreign.id, stranger)).rejects.toEqual(appError("not_found"));
    const deleted = await make.query(owner, "SELECT 1");
    await deleteQuery(deps, owner, deleted);
    await expect(from(deleted.id)).rejects.toEqual(appError("not_found"));
    const other = await make.query(owner, "SELECT 1");
    expect((await from(other.id)).version).toBe(1);
  });

  dbTest("do not let a range end before it starts; it may be empty", async ({ deps, make }) => {
    const owner = await make.owner();
    const { id } = await make.query(owner, "SELECT {{from}}, {{to}}");
    await setParameters(deps, owner, change(id, dates, { ranges: [range] }));
    const { shortId } = await createReference(deps, owner, { queryId: id });
    const wrong = { from: "2026-02-01", to: "2026-01-31" };
    const refused = appError("invalid_parameter_value", /ends before it starts/);
    for (const chart of [undefined, shortId]) {
      const run = (parameterValues: Record<string, string>) =>
        runQuery(deps, owner, { id, shortId: chart, parameterValues });
      await expect(run(wrong)).rejects.toEqual(refused);
      await expect(run(wrong)).rejects.toMatchObject({ errors: [{ path: "parameterValues.to" }] });
      await run({ from: "tomorrow", to: "today" });
      await run({ from: "2026-01-31", to: "2026-01-31" });
    }
    await expect(findResult(deps, owner, { id, parameterValues: wrong })).rejects.toEqual(refused);
    const references = [{ shortId, parameterValues: wrong }];
    const automation = CreateAutomation.parse({ name: "Days", instruction: "Report.", references });
    await expect(createAutomation(deps, owner, automation)).rejects.toEqual(refused);
    // Where one of the two is no date, they are no range.
    await updateReference(deps, owner, { shortId, parameters: [define("from")] });
    await runQuery(deps, owner, { id, shortId, parameterValues: wrong });
  });

  dbTest("show a range only where both of its dates are", async ({ deps, make }) => {
    const owner = await make.owner();
    const { id } = await make.query(owner, "SELECT {{from}}, {{to}}");
    await setParameters(deps, owner, change(id, dates, { ranges: [range] }));
    const { shortId } = await createReference(deps, owner, { queryId: id });
    const ranges = async () => (await getReferenceWithInputs(deps, owner, { shortId })).inputs.ranges;
    expect(await ranges()).toEqual([range]);
    await updateReference(deps, owner, { shortId, parameters: [define("from")] });
    expect(await ranges()).toEqual([]);
  });
});
