import { gzipSync } from "node:zlib";
import { afterAll, describe, expect, test } from "vitest";
import { createEngineHosts, type StoredResult } from "./index.ts";
import { resolveAnyHost } from "./testing/resolve-any-host.ts";

const hosts = createEngineHosts({ size: 1, resolveHost: resolveAnyHost, dataFolder: "/nowhere" });
afterAll(() => hosts.close());

const organizationId = "an organization";
const fields = [
  { name: "product", type: "string" },
  { name: "orders", type: "integer" },
];

/** Stored as a run stores it, and read in pieces that end anywhere. */
function stored(rows: unknown[][], pieceBytes = 7): StoredResult {
  const bytes = gzipSync(JSON.stringify({ fields, rows, rowCount: rows.length }));
  return {
    cut: false,
    async *read() {
      for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
    },
  };
}

describe("a host", () => {
  test("computes a preview of a stored result, and what has changed against another", async () => {
    const before = stored([["Pan", 1]]);
    const now = stored([
      ["Pan", 3],
      ["x".repeat(200), 4],
    ]);
    expect(
      await hosts.compute({ organizationId, operation: { name: "preview" }, results: [now] }),
    ).toMatchObject({
      kind: "computed",
      answer: {
        preview: {
          fields,
          rows: [
            ["Pan", 3],
            [`${"x".repeat(100)}…`, 4],
          ],
          rowCount: 2,
        },
      },
    });
    const described = await hosts.compute({
      organizationId,
      operation: { name: "describe", title: "Orders", today: "2026-11-16", shownColumns: [] },
      results: [now, before],
    });
    expect(described).toMatchObject({
      answer: {
        report: {
          title: '"Orders"',
          subject: "orders",
          state: "changed",
          facts: [
            {
              wordings: [
                "total orders are 7 (2 rows), 600% more than in the last run.",
                "total orders are 7 (2 rows).",
              ],
            },
            {},
            {},
          ],
        },
      },
    });
  });

  test("previews only the beginning of a wide result", async () => {
    const wide = Array.from({ length: 1000 }, (_, i) => ({
      name: `c${i}`.padEnd(500, "x"),
      type: "integer",
    }));
    const json = JSON.stringify({ fields: wide, rows: [wide.map((_, i) => i)], rowCount: 1 });
    const result: StoredResult = {
      cut: true,
      async *read() {
        yield gzipSync(json);
      },
    };
    const outcome = await hosts.compute({
      organizationId,
      operation: { name: "preview" },
      results: [result],
    });
    expect(JSON.stringify(outcome).length).toBeLessThan(40_000);
  });

  test("is not used if a result cannot be read, and takes the next task", async () => {
    const broken: StoredResult = {
      cut: false,
      async *read() {
        yield Buffer.from([1]);
        throw new Error("The result is gone.");
      },
    };
    const preview = (result: StoredResult) =>
      hosts.compute({ organizationId, operation: { name: "preview" }, results: [result] });
    await expect(preview(broken)).rejects.toThrow("The result is gone.");
    expect(await preview(stored([["Pan", 1]]))).toMatchObject({ kind: "computed" });
  });

  test("does not keep a caller waiting that has aborted", async () => {
    const leaving = new AbortController();
    const endless: StoredResult = {
      cut: false,
      async *read() {
        yield Buffer.from([1]);
        leaving.abort();
        await new Promise(() => {});
      },
    };
    const outcome = await hosts.compute(
      { organizationId, operation: { name: "preview" }, results: [endless] },
      { signal: leaving.signal },
    );
    expect(outcome).toMatchObject({ kind: "failed", failure: { code: "cancelled" } });
  });
});
