import { createHash } from "node:crypto";
import type { RunReference } from "./agent.ts";

/** Equal values give equal names in every run, so that a result is compared with that of the previous run. */
export function toQueryStepName({ shortId, parameterValues }: RunReference): string {
  const values = Object.entries(parameterValues).sort(([a], [b]) => (a < b ? -1 : 1));
  if (values.length === 0) return `run_query:${shortId}`;
  const hash = createHash("sha256").update(JSON.stringify(values)).digest("base64url");
  return `run_query:${shortId}:${hash.slice(0, 10)}`;
}
