import { createReference } from "@querybell/core/references";
import { longestBlock, maxBlockMs } from "@querybell/core/testing";
import type { ParameterDefinition } from "@querybell/domain";
import { describe, expect } from "vitest";
import { apiTest } from "../testing/api-test.ts";

const definition = (name: string, rest: Partial<ParameterDefinition> = {}): ParameterDefinition => ({
  name,
  displayName: name,
  type: "string",
  description: "",
  ...rest,
});

/** A member with a query that has one text parameter, and raw requests of theirs. */
const heavyTest = apiTest.extend("hostile", { scope: "file" }, async ({ api, make }) => {
  const owner = await make.owner();
  const cookie = await api.sessionCookie(owner.email);
  const headers = { "content-type": "application/json", cookie, origin: api.origin };
  const post = async (procedure: string, body: string) => {
    const answer = await api.fetch(`/api/trpc/${procedure}`, { method: "POST", headers, body });
    const text = await answer.text();
    const { error } = JSON.parse(text);
    return {
      status: answer.status,
      bytes: text.length,
      reason: error?.data?.reason,
      message: error?.message,
    };
  };
  /** Measures them. Bodies are encoded before, so that only the server's work counts. */
  const send = async (procedure: string, body: unknown) => {
    const text = JSON.stringify(body);
    let answer = { status: 0, bytes: 0, reason: undefined, message: undefined };
    const blockedMs = await longestBlock(async () => {
      answer = await post(procedure, text);
    });
    return { ...answer, blockedMs };
  };
  return { owner, send };
});

const values = (count: number, value: (index: number) => unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`, value(index)]));

describe("a request that would cost much more than it sends is refused at once:", () => {
  heavyTest("a value of 900 kB for a placeholder that is used 900 times", async ({ hostile, make }) => {
    const sql = `SELECT ${Array(900).fill("{{a}}").join(",")}`;
    const { id } = await make.query(hostile.owner, sql, { parameters: [definition("a")] });
    const long = await hostile.send("queries.run", { id, parameterValues: { a: "x".repeat(900_000) } });
    expect(long).toMatchObject({ status: 400, reason: "invalid_parameter_value" });
    expect(long.blockedMs).toBeLessThan(maxBlockMs);
    const often = await hostile.send("queries.run", { id, parameterValues: { a: "x".repeat(100_000) } });
    expect(often).toMatchObject({ status: 400, reason: "statement_too_large" });
    expect(often.message).toMatch(/500000 characters.*shorter values/);
    expect(often.blockedMs).toBeLessThan(maxBlockMs);
  });

  heavyTest("a list of 10,000 numbers that is used 900 times", async ({ hostile, make }) => {
    const sql = `SELECT 1 WHERE ${Array(900).fill("1 IN ({{a}})").join(" OR ")}`;
    const parameters = [definition("a", { type: "integer[]" })];
    const { id } = await make.query(hostile.owner, sql, { parameters });
    const list = Array.from({ length: 10_000 }, (_, index) => index);
    const answer = await hostile.send("queries.run", { id, parameterValues: { a: list } });
    expect(answer).toMatchObject({ status: 400, reason: "statement_too_large" });
    expect(answer.blockedMs).toBeLessThan(maxBlockMs);
  });

  heavyTest.for([
    [500_000, "invalid_request"],
    [80_000, "statement_too_large"],
  ] as const)("%i characters of 1,1,…", async ([length, reason], { hostile, make }) => {
    const { id: analyticalDatabaseConfigId } = await make.database(hostile.owner);
    const sql = `SELECT 1${",1".repeat(length / 2)}`;
    const answer = await hostile.send("queries.create", { sql, analyticalDatabaseConfigId });
    expect(answer).toMatchObject({ status: 400, reason });
    expect(answer.blockedMs).toBeLessThan(maxBlockMs);
  });

  const id = "01a10000-0000-7000-8000-000000000000";
  const automation = (references: unknown) => ({ name: "a", instruction: "b", references });
  const list = (count: number, item: unknown) => Array(count).fill(item);
  heavyTest.for<[what: string, procedure: string, body: () => unknown]>([
    ["60,000 values", "queries.run", () => ({ id, parameterValues: values(60_000, () => 1) })],
    ["60,000 unknown fields", "queries.run", () => ({ id, ...values(60_000, () => 1) })],
    ["200,000 items", "queries.run", () => ({ id, parameterValues: { a: list(200_000, "x") } })],
    [
      "200,000 items that are none",
      "automations.create",
      () => automation([{ shortId: "a", parameterValues: { a: list(200_000, null) } }]),
    ],
    [
      "names of 60,000 values that are none",
      "automations.create",
      () => automation([{ shortId: "a", parameterValues: values(60_000, () => null) }]),
    ],
    [
      "a preview of 60,000 lists",
      "externalAgents.report",
      () => ({
        runId: id,
        claimNumber: 1,
        step: { kind: "tool_call", name: "x", tool: "y", output: values(60_000, () => []) },
      }),
    ],
    [
      "900 kB of defaults",
      "references.create",
      () => ({
        queryId: id,
        parameters: Array.from({ length: 90 }, (_, i) =>
          definition(`a${i}`, { defaultValue: "x".repeat(10_000) }),
        ),
      }),
    ],
  ])("%s (%s)", async ([_, procedure, body], { hostile }) => {
    const { status, bytes, blockedMs } = await hostile.send(procedure, body());
    expect(status).toBe(400);
    expect(bytes).toBeLessThan(20_000);
    expect(blockedMs).toBeLessThan(maxBlockMs);
  });
});

heavyTest(
  "a query with 100 references full of definitions runs without a pause",
  async ({ hostile, deps, make }) => {
    const { owner, send } = hostile;
    const { id } = await make.query(owner, "SELECT {{a0}}");
    const parameters = Array.from({ length: 100 }, (_, i) =>
      definition(`a${i}`, { defaultValue: "x".repeat(1000), description: "y".repeat(2000) }),
    );
    const made = [];
    for (let i = 0; i < 100; i++) made.push(await createReference(deps, owner, { queryId: id, parameters }));
    const run = await send("queries.run", { id });
    expect(run).toMatchObject({ status: 200 });
    expect(run.blockedMs).toBeLessThan(maxBlockMs);
    expect(await deps.db.prisma.queryRun.findFirst({ where: { queryId: id } })).toMatchObject({
      parameterValues: { a0: "x".repeat(1000) },
    });
    const refused = await send("references.create", { queryId: id, parameters: [definition("a0")] });
    expect(refused).toMatchObject({ status: 409, reason: "conflict" });
    // A reference that already has definitions can still change them.
    const changed = await send("references.update", {
      shortId: made[0]?.shortId,
      parameters: [definition("a0")],
    });
    expect(changed).toMatchObject({ status: 200 });
  },
);
