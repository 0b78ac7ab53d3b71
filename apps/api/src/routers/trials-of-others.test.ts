import { createDraft, runDraft } from "@querybell/core/drafts";
import { execute } from "@querybell/core/testing";
import { expect } from "vitest";
import { apiTest } from "../testing/api-test.ts";
import { callProcedure, everyProcedure } from "../testing/every-procedure.ts";
import { kindOfField } from "../testing/kind-of-field.ts";
import { fieldsWithIds, withIds } from "../testing/sample-input.ts";

/** The fields of a procedure's sample that take the id of a query's run. */
const runFields = (path: string, sample: Parameters<typeof fieldsWithIds>[0]): boolean[] => {
  const [router = ""] = path.split(".");
  return fieldsWithIds(sample).map((name) => kindOfField(name, router) === "query_runs");
};

const takingRunIds = everyProcedure.flatMap((procedure) =>
  procedure.samples
    .filter((sample) => runFields(procedure.path, sample).includes(true))
    .map((sample) => ({ procedure, sample })),
);

const addresses = ["result", "result.json", "result.csv", "result.parquet", "expired-result"];

apiTest("no procedure and no address shows another member's trial", async ({ api, deps, make, makeKey }) => {
  const owner = await make.owner();
  const author = await make.member(owner.organizationId);
  const { id: analyticalDatabaseConfigId } = await make.database(owner);
  const sql = "SELECT 'a secret word' AS word";
  const draft = await createDraft(deps, author, { sql, analyticalDatabaseConfigId });
  const trial = await runDraft(deps, author, { ...draft, parameterValues: {} });
  await execute(deps, trial.id);
  const session = async (email: string) => ({ cookie: await api.sessionCookie(email), origin: api.origin });
  const own = await session(author.email);
  const others = [
    await session(owner.email),
    { authorization: `Bearer ${(await makeKey(owner)).key}` },
    // A key of the author is used by programs, which see no trials either.
    { authorization: `Bearer ${(await makeKey(author)).key}` },
  ];
  // A new procedure that takes the id of a run is called too.
  expect(new Set(takingRunIds.map(({ procedure }) => procedure.path))).toEqual(
    new Set([
      "externalAgents.report",
      "runs.get",
      "runs.cancel",
      "runs.compare",
      "runs.result",
      "runs.watch",
    ]),
  );
  for (const headers of others) {
    for (const { procedure, sample } of takingRunIds) {
      const isRun = runFields(procedure.path, sample);
      const input = withIds(
        sample,
        sample.ids.map((id, at) => (isRun[at] ? trial.id : id)),
      );
      const { reason, text } = await callProcedure(api, procedure, { input, headers });
      // Results are compared in the web app, not by programs.
      const notForKeys = procedure.path === "runs.compare" && "authorization" in headers;
      expect([procedure.path, reason], text).toEqual([
        procedure.path,
        notForKeys ? "forbidden" : "not_found",
      ]);
      expect(text).not.toContain("secret");
    }
    for (const address of addresses) {
      const answer = await api.fetch(`/api/runs/${trial.id}/${address}`, { headers });
      // Expired results are not for programs at all.
      const refused = address === "expired-result" && "authorization" in headers ? 403 : 404;
      expect([address, answer.status]).toEqual([address, refused]);
      expect(await answer.text()).not.toContain("secret");
    }
  }
  for (const address of addresses) {
    const answer = await api.fetch(`/api/runs/${trial.id}/${address}`, { headers: own });
    expect([address, answer.status]).toEqual([address, 200]);
  }
});
