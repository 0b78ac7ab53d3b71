import { createQuery } from "@querybell/core/queries";
import { runQuery } from "@querybell/core/runs";
import { execute } from "@querybell/core/testing";
import { expect } from "vitest";
import { z } from "zod";
import { apiTest } from "../testing/api-test.ts";
import { callTool } from "../testing/call-tool.ts";

const Rows = z.object({ truncated: z.boolean(), runId: z.string(), rows: z.array(z.array(z.number())) });
const Summary = z.object({
  rowCount: z.int(),
  columns: z.array(z.object({ minimum: z.string(), maximum: z.string(), sum: z.string() })),
});

/** What a client says of a result: from its rows if it has them all, otherwise from the summary. */
async function ask(call: (name: string, input: unknown) => Promise<unknown>, id: string) {
  const { truncated, runId, rows } = Rows.parse(await call("run_query", { id }));
  if (truncated) {
    const { rowCount, columns } = Summary.parse(await call("summarize_result", { runId }));
    const figures = columns.map(({ minimum, maximum, sum }) => [minimum, maximum, sum].map(Number));
    return { count: rowCount, figures };
  }
  return { count: rows.length, figures: figuresOf(rows) };
}

const figuresOf = (rows: number[][]) =>
  [0, 1].map((column) => {
    const cells = rows.map((row) => row[column] ?? Number.NaN);
    return [Math.min(...cells), Math.max(...cells), cells.reduce((sum, cell) => sum + cell, 0)];
  });

// 2,000 and 2,001: where other servers cut without a word.
const sizes = [1, 99, 100, 101, 501, 2_000, 2_001, 30_000];

apiTest(
  "no count, sum, minimum or maximum is wrong because an answer is cut",
  async ({ api, make, makeKey, deps }) => {
    const owner = await make.owner();
    const { key } = await makeKey(owner);
    const { id: analyticalDatabaseConfigId } = await make.database(owner);
    for (const size of sizes) {
      const sql = `SELECT (i * 7919) % 1009 - 500 AS v, i * i % 257 AS w FROM range(${size}) t(i)`;
      const { id } = await createQuery(deps, owner, { sql, analyticalDatabaseConfigId });
      const run = await runQuery(deps, owner, { id, parameterValues: {} });
      await execute(deps, run.id);
      const rows = Array.from({ length: size }, (_, i) => [((i * 7919) % 1009) - 500, (i * i) % 257]);
      const answer = await ask(async (name, input) => (await callTool(api, key, { name, input })).data, id);
      expect(answer, `${size} rows`).toEqual({ count: size, figures: figuresOf(rows) });
    }
  },
);
