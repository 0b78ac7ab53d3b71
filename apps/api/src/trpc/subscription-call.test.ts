import { runQuery } from "@querybell/core/runs";
import { describe, expect } from "vitest";
import { apiTest as test } from "../testing/api-test.ts";

const nobody = "00000000-0000-7000-8000-000000000000";
const calls: [what: string, input: (runId: string) => unknown, key: "valid" | "unknown" | "none"][] = [
  ["a run that has ended", (id) => ({ id }), "valid"],
  ["a run that is not there", () => ({ id: nobody }), "valid"],
  ["an input that is wrong", () => ({ id: "five" }), "valid"],
  ["no input", () => undefined, "valid"],
  ["malformed text", () => ({ id: "\ud800" }), "valid"],
  ["a key that is unknown", (id) => ({ id }), "unknown"],
  ["nobody", (id) => ({ id }), "none"],
];

describe("a subscription is answered as tRPC's own handler answers it:", () => {
  for (const [what, inputOf, which] of calls) {
    test(what, async ({ api, deps, make, makeKey }) => {
      const owner = await make.owner();
      const { id } = await make.query(owner, "SELECT 1");
      const run = await runQuery(deps, owner, { id, parameterValues: {} });
      for (const change of [
        "status = 'running', lease_worker = 'w', lease_until = now()",
        "status = 'completed', completed_at = now()",
      ]) {
        await deps.db.pool.query(`UPDATE query_runs SET ${change} WHERE id = $1`, [run.id]);
      }
      const keys = {
        valid: (await makeKey(owner)).key,
        unknown: `qb_${"0".repeat(12)}_${"a".repeat(43)}`,
        none: "",
      };
      const key = keys[which];
      const input = inputOf(run.id);
      const ask = async (options: string) => {
        const parameters = input === undefined ? "" : `input=${encodeURIComponent(JSON.stringify(input))}`;
        const answer = await api.fetch(`/api/trpc/runs.watch?${parameters}${options}`, {
          headers: { accept: "text/event-stream", ...(key && { authorization: `Bearer ${key}` }) },
        });
        const { "x-request-id": _, date: __, ...headers } = Object.fromEntries(answer.headers);
        return { status: answer.status, headers, text: await answer.text() };
      };
      const ours = await ask("");
      expect(ours.text).toMatch(/^event: connected\n/);
      // Whatever we do not know is left to tRPC.
      expect(ours).toEqual(await ask("&unknown=1"));
    });
  }
});
