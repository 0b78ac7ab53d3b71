import { createHash } from "node:crypto";
import type { RunReference } from "./agent.ts";

/** Equal values give equal names in every run, so that a result is compared with that of the previous run. */
export function toQueryStepName({ shortId, parameterValues }: RunReference): string {
  const values = sorted(parameterValues);
  if (values.length === 0) return `run_query:${shortId}`;
  return `run_query:${shortId}:${hashOf(values).slice(0, 10)}`;
}

/** The same for SQL of the model's own. */
export function toSqlStepName({ shortId, sql, parameterValues }: RunReference & { sql: string }): string {
  return `run_sql:${hashOf([shortId, sql, sorted(parameterValues)]).slice(0, 20)}`;
}

const sorted = (values: object) => Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1));
const hashOf = (data: unknown): string =>
  createHash("sha256").update(JSON.stringify(data)).digest("base64url");
