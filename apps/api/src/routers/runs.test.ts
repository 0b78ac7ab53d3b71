import { execute } from "@querybell/core/testing";
import { describe, expect } from "vitest";
import { apiError } from "../testing/api-error.ts";
import { apiTest, startApi } from "../testing/api-test.ts";

describe("refresh", () => {
  apiTest(
    "two hundred at once make one run; 199 are told that it is running",
    async ({ api, make, makeKey, deps }) => {
      const owner = await make.owner();
      const { id } = await make.query(owner, "SELECT 1");
      const { key } = await makeKey(owner);
      const client = api.withKey(key);
      const answers = await Promise.allSettled(
        Array.from({ length: 200 }, () => client.queries.refresh.mutate({ id })),
      );
      const made = answers.filter(({ status }) => status === "fulfilled");
      const refusals = answers.flatMap((answer) => (answer.status === "rejected" ? [answer.reason] : []));
      expect(made).toHaveLength(1);
      expect(refusals).toHaveLength(199);
      for (const refusal of refusals)
        expect(refusal).toEqual(apiError("query_already_running", /already running/));
      expect(await deps.db.prisma.queryRun.count({ where: { queryId: id } })).toBe(1);
    },
  );
});

describe("runs.watch", () => {
  apiTest("streams a run's states over HTTP until it has ended", async ({ api, make, makeKey, deps }) => {
    const owner = await make.owner();
    const { key } = await makeKey(owner);
    const { id } = await make.query(owner, "SELECT * FROM range(3)");
    const run = await api.withKey(key).queries.run.mutate({ id });
    const statuses: string[] = [];
    const answer = await api.fetch(
      `/api/trpc/runs.watch?input=${encodeURIComponent(JSON.stringify({ id: run.id }))}`,
      {
        headers: { authorization: `Bearer ${key}`, accept: "text/event-stream" },
      },
    );
    const decoder = new TextDecoder();
    let executing: Promise<void> | undefined;
    for await (const chunk of answer.body ?? []) {
      for (const [, status = ""] of decoder.decode(chunk).matchAll(/"status":"(\w+)"/g))
        statuses.push(status);
      // Somebody watches: now the run may begin.
      if (statuses.length > 0) executing ??= execute(deps, run.id);
    }
    await executing;
    expect(statuses[0]).toBe("pending");
    expect(statuses.at(-1)).toBe("completed");
  });
});

describe("a server that closes", () => {
  apiTest("ends the watching, and says that it can be watched again", async ({ make, makeKey, deps }) => {
    const owner = await make.owner();
    const { key } = await makeKey(owner);
    const api = await startApi({ deps });
    const { id } = await make.query(owner, "SELECT 1");
    const run = await api.withKey(key).queries.run.mutate({ id });
    const answer = await api.fetch(
      `/api/trpc/runs.watch?input=${encodeURIComponent(JSON.stringify({ id: run.id }))}`,
      {
        headers: { authorization: `Bearer ${key}`, accept: "text/event-stream" },
      },
    );
    const decoder = new TextDecoder();
    let text = "";
    let closed: Promise<void> | undefined;
    for await (const chunk of answer.body ?? []) {
      text += decoder.decode(chunk);
      if (text.includes('"pending"')) closed ??= api[Symbol.asyncDispose]().then(() => {});
    }
    await closed;
    expect(text).toContain('"reason":"unavailable"');
  });
});
