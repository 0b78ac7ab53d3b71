import { gzipSync } from "node:zlib";
import { deleteDatabase } from "@querybell/core/databases";
import { createDestination } from "@querybell/core/destinations";
import { updateQuery } from "@querybell/core/queries";
import { cancelRun, runQuery } from "@querybell/core/runs";
import { changeRun, toCompleted, toRunning } from "@querybell/core/testing";
import { type CreateReference, type ErrorCode, MissingResultReason } from "@querybell/domain";
import type { ProvocationContext } from "./provoke.ts";

type Parameters = NonNullable<CreateReference["parameters"]>;

const parameter = (name: string, type: Parameters[number]["type"]): Parameters[number] => ({
  name,
  type,
  displayName: name,
  description: "",
});

// Each use of a value counts, so together these exceed the limit of a statement.
const many = Array.from({ length: 900 }, () => "{{a}}").join();
const long = "x".repeat(600);

/** Statements that are refused, with the code of the error. */
export const refusedStatements: [ErrorCode, string][] = [
  ["invalid_sql", "SELECT $1"],
  ["multiple_statements", "SELECT 1; SELECT 2"],
  ["misplaced_placeholder", 'SELECT "{{a}}"'],
  ["statement_too_large", `SELECT ${Array.from({ length: 1001 }, () => "{{a}}").join()}`],
];

/** Errors because of a statement or its values. */
export async function provokeStatements(context: ProvocationContext): Promise<void> {
  await provokeSql(context);
  await provokeValues(context);
  await provokeRefresh(context);
  await provokeResults(context);
}

async function provokeSql({ deps, make, owner, provoke }: ProvocationContext): Promise<void> {
  const { id: analyticalDatabaseConfigId } = await make.database(owner);
  const deleted = await make.database(owner);
  await deleteDatabase(deps, owner, deleted);
  const query = await make.query(owner, "SELECT 1");
  for (const [code, sql] of refusedStatements) {
    await provoke("queries.create", code, { sql, analyticalDatabaseConfigId });
    await provoke("queries.update", code, { id: query.id, sql });
  }
  const elsewhere = { analyticalDatabaseConfigId: deleted.id };
  await provoke("queries.create", "database_deleted", { sql: "SELECT 1", ...elsewhere });
  await provoke("queries.update", "database_deleted", { id: query.id, ...elsewhere });
  await provoke("queries.update", "query_changed", { id: query.id, sql: "SELECT 2", version: 7 });
}

/** The same values are refused by every procedure that takes values. */
async function provokeValues({ deps, make, owner, provoke }: ProvocationContext): Promise<void> {
  const plain = await make.reference(owner, "SELECT {{least}}", {
    parameters: [parameter("least", "integer")],
  });
  const large = await make.reference(owner, `SELECT ${many}`);
  const listed = await make.reference(owner, "SELECT 1 IN ({{names}})", {
    parameters: [parameter("names", "string[]")],
  });
  await updateQuery(deps, owner, { id: listed.currentQuery?.id ?? "", sql: "SELECT '{{names}}'" });
  const orphaned = await make.reference(owner, "SELECT 1");
  const { analyticalDatabaseConfigId } = await deps.db.prisma.query.findUniqueOrThrow({
    where: { id: orphaned.currentQuery?.id ?? "" },
  });
  await deleteDatabase(deps, owner, { id: analyticalDatabaseConfigId });
  const automation = await make.automation(owner);
  const { id: destinationId } = await createDestination(deps, owner, {
    ...({ kind: "slack", name: "#values", url: "http://127.0.0.1:9/" } as const),
  });
  const to = { kind: "destinations", choices: [{ value: "a", destinationId }] };

  const refused = [
    { code: "invalid_parameter_value", reference: plain, parameterValues: { least: "many" } },
    { code: "missing_parameter_values", reference: plain, parameterValues: {} },
    { code: "misplaced_placeholder", reference: listed, parameterValues: { names: ["a"] } },
    { code: "statement_too_large", reference: large, parameterValues: { a: long } },
    { code: "database_deleted", reference: orphaned, parameterValues: {} },
  ] as const;
  for (const { code, reference, parameterValues } of refused) {
    const { shortId, currentQuery } = reference;
    await provoke("queries.run", code, { id: currentQuery?.id, parameterValues });
    await provoke("queries.result", code, { id: currentQuery?.id, parameterValues });
    await provoke("queries.pastResults", code, { id: currentQuery?.id, parameterValues });
    if (!MissingResultReason.safeParse(code).success) {
      await provoke("queries.findResult", code, { id: currentQuery?.id, parameterValues });
    }
    const references = [{ shortId, parameterValues }];
    await provoke("automations.create", code, { name: "A", instruction: "B", references });
    await provoke("automations.update", code, { id: automation.id, references });
    await provoke("automations.try", code, { name: "A", instruction: "B", references });
    const condition = { shortId, rule: { condition: { kind: "failed" } } };
    await provoke("automations.replayCondition", code, { condition, parameterValues });
    const recipients = { shortId, column: "a", to };
    await provoke("automations.previewRecipients", code, { recipients, parameterValues });
  }
}

/** A refresh reuses the values of the last run, which may not fit a statement that was changed since. */
async function provokeRefresh({ deps, make, owner, provoke }: ProvocationContext): Promise<void> {
  const undefinedOne = await make.query(owner, "SELECT {{a}}");
  await provoke("queries.refresh", "missing_parameter_values", { id: undefinedOne.id });
  const { id: firstRun } = await runQuery(deps, owner, { id: undefinedOne.id, parameterValues: { a: long } });
  await provoke("queries.refresh", "query_already_running", { id: undefinedOne.id });
  await cancelRun(deps, owner, { id: firstRun });
  await updateQuery(deps, owner, { id: undefinedOne.id, sql: `SELECT ${many}` });
  await provoke("queries.refresh", "statement_too_large", { id: undefinedOne.id });

  const listed = await make.query(owner, "SELECT 1 IN ({{names}})", {
    parameters: [parameter("names", "string[]")],
  });
  const { id: listRun } = await runQuery(deps, owner, { id: listed.id, parameterValues: { names: ["a"] } });
  await cancelRun(deps, owner, { id: listRun });
  await updateQuery(deps, owner, { id: listed.id, sql: "SELECT '{{names}}'" });
  await provoke("queries.refresh", "misplaced_placeholder", { id: listed.id });

  const orphaned = await make.query(owner, "SELECT 1");
  await deleteDatabase(deps, owner, { id: orphaned.analyticalDatabaseConfigId });
  await provoke("queries.refresh", "database_deleted", { id: orphaned.id });
}

async function provokeResults({ deps, make, owner, provoke }: ProvocationContext): Promise<void> {
  const { shortId, currentQuery } = await make.reference(owner, "SELECT 1");
  const id = currentQuery?.id ?? "";
  const { id: destinationId } = await createDestination(deps, owner, {
    ...({ kind: "slack", name: "#results", url: "http://127.0.0.1:9/" } as const),
  });
  const to = { kind: "destinations", choices: [{ value: "a", destinationId }] };
  const preview = { recipients: { shortId, column: "a", to } };
  const run = await runQuery(deps, owner, { id, parameterValues: {} });
  await provoke("queries.result", "result_not_found", { id });
  await provoke("automations.previewRecipients", "result_not_found", preview);
  await provoke("runs.result", "result_not_found", { id: run.id });
  await provoke("runs.compare", "result_not_found", { from: run.id, to: run.id });
  await changeRun(deps, run.id, toRunning);
  await cancelRun(deps, owner, { id: run.id });
  await provoke("queries.run", "query_already_running", { id });
  // The run completed before the cancellation, and its result was purged.
  await changeRun(deps, run.id, toCompleted);
  await provoke("queries.result", "result_expired", { id });
  await provoke("automations.previewRecipients", "result_expired", preview);
  await provoke("runs.result", "result_expired", { id: run.id });
  await provoke("runs.compare", "result_expired", { from: run.id, to: run.id });
  await storeCutResult(deps, run.id);
  await provoke("runs.compare", "invalid_request", { from: run.id, to: run.id });
}

/** As a worker stores a result that a limit cut. */
async function storeCutResult({ db }: ProvocationContext["deps"], runId: string): Promise<void> {
  const { organizationId, queryId, parameterValuesHash } = await db.prisma.queryRun.findUniqueOrThrow({
    where: { id: runId },
  });
  const gzippedJson = gzipSync("{}");
  const stored = { gzippedJson, jsonBytes: 2, rowCount: 0, cutBy: "rows", etag: "cut" };
  const times = { completedAt: new Date(), expiresAt: new Date("2100-01-01") };
  await db.prisma.queryResult.create({
    data: { runId, organizationId, queryId, parameterValuesHash, ...stored, ...times },
  });
}
