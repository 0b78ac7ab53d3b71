import type { Deps } from "@querybell/core";
import { describe, expect } from "vitest";
import { apiTest } from "../testing/api-test.ts";

/** Renames a table during the work, so that reading it fails like a bug of ours would. */
async function withoutTable({ db }: Deps, table: string, work: () => Promise<void>) {
  await db.pool.query(`ALTER TABLE ${table} RENAME TO renamed_table`);
  await work();
  await db.pool.query(`ALTER TABLE renamed_table RENAME TO ${table}`);
}

const internals = /renamed_table|relation|prisma|select|node_modules|at async|\.ts\b|stack/i;

const test = apiTest.extend("onError", { scope: "file" }, () => () => {});

describe("an error of ours", () => {
  test("shows tRPC clients nothing but that it happened", async ({ api, make, deps, logLines }) => {
    const cookie = await api.sessionCookie((await make.owner()).email);
    await withoutTable(deps, "audit_entries", async () => {
      const answer = await api.fetch("/api/trpc/audit.list?input={}", { headers: { cookie } });
      const text = await answer.text();
      expect(answer.status).toBe(500);
      expect(JSON.parse(text)).toEqual({
        error: {
          message: "Something went wrong on our side. Try again shortly.",
          code: -32603,
          data: { code: "INTERNAL_SERVER_ERROR", httpStatus: 500, reason: "internal", path: "audit.list" },
        },
      });
      expect(text).not.toMatch(internals);
      expectLogged(logLines, answer);
    });
  });

  apiTest(
    "shows REST clients nothing but that it happened",
    async ({ api, make, makeKey, deps, logLines }) => {
      const { key } = await makeKey(await make.owner());
      await withoutTable(deps, "organizations", async () => {
        const answer = await api.fetch("/api/key", { headers: { authorization: `Bearer ${key}` } });
        expect(answer.status).toBe(500);
        expect(await answer.json()).toEqual({
          type: "about:blank",
          title: "Something went wrong on our side",
          status: 500,
          detail: "Something went wrong on our side. Try again shortly.",
          code: "internal",
        });
        expectLogged(logLines, answer);
      });
    },
  );

  apiTest("shows nothing but that it happened at sign-in", async ({ api, make, deps, logLines }) => {
    const { email } = await make.owner();
    await withoutTable(deps, "sessions", async () => {
      const answer = await api.signIn(email);
      const text = await answer.text();
      expect(answer.status).toBe(500);
      expect(JSON.parse(text)).toMatchObject({ code: "internal", status: 500 });
      expect(text).not.toMatch(internals);
      expectLogged(logLines, answer);
    });
  });
});

/** The log has the cause, once, with the request id of the answer. */
function expectLogged(logLines: string[], answer: Response) {
  const id = answer.headers.get("x-request-id");
  const logged = logLines.map((line) => JSON.parse(line)).filter(({ reqId }) => reqId === id);
  const [error, ...more] = logged.filter(({ level }) => level >= 50);
  expect(error).toMatchObject({ err: { stack: expect.stringMatching(/does not exist/) } });
  expect(more, "an error is logged once").toEqual([]);
}
