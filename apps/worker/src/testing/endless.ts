import type { TestEngine } from "@querybell/testkit";

/** Statements that run for minutes. */
export const endless: Record<TestEngine, string> = {
  duckdb: "SELECT sum(sqrt(a.range * b.range)) FROM range(10000000) a, range(10000000) b",
  postgres: "SELECT pg_sleep(600)",
};
