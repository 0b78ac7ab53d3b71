import { describe, expect } from "vitest";
import { apiError } from "../testing/api-error.ts";
import { apiTest } from "../testing/api-test.ts";

const test = apiTest.extend("agents", { scope: "file" }, ({ api, deps, make, makeKey }) => ({
  /** A run of an automation for external agents, claimed with a key, and an agent with another key. */
  async claimed() {
    const owner = await make.owner();
    const automation = await make.automation(owner, { agent: "external" });
    const [one, other] = [await makeKey(owner), await makeKey(owner)];
    const client = api.withKey(one.key);
    const run = await client.automations.trigger.mutate({ id: automation.id });
    const claim = await client.externalAgents.claim.mutate({});
    expect(claim).toMatchObject({ run: { id: run.id }, claimNumber: 1 });
    return { claimed: { runId: run.id, claimNumber: 1 }, client, other: api.withKey(other.key) };
  },
  countEvents: (runId: string) =>
    deps.db.prisma.webhookEvent.count({ where: { dedupeKey: `automation_run:${runId}` } }),
}));

const message = { kind: "message", name: "m" } as const;

describe("an external agent", () => {
  test("that reports nonsense is refused, and the run goes on", async ({ agents }) => {
    const { client, claimed } = await agents.claimed();
    const { complete, fail, report } = client.externalAgents;
    const nonsense = [
      () => complete.mutate({ ...claimed, summary: "x".repeat(601) }),
      () => complete.mutate({ ...claimed, summary: "   " }),
      () => fail.mutate({ ...claimed, reason: "" }),
      () => report.mutate({ ...claimed, step: { ...message, name: "" } }),
      () => report.mutate({ ...claimed, step: { ...message, text: "x".repeat(20_001) } }),
      // @ts-expect-error No such kind.
      () => report.mutate({ ...claimed, step: { ...message, kind: "poem" } }),
      // @ts-expect-error No such state.
      () => report.mutate({ ...claimed, step: { ...message, state: "maybe" } }),
    ];
    for (const attempt of nonsense) await expect(attempt()).rejects.toEqual(apiError("invalid_request"));
    expect(await client.automationRuns.get.query({ id: claimed.runId })).toMatchObject({
      status: "running",
    });
    expect(await agents.countEvents(claimed.runId)).toBe(0);
  });

  test("cannot write the steps that are the run's own", async ({ agents }) => {
    const { client, claimed } = await agents.claimed();
    for (const name of ["summary", "instruction"]) {
      const step = { kind: "message", name, text: "All is well." } as const;
      await expect(client.externalAgents.report.mutate({ ...claimed, step })).rejects.toEqual(
        apiError("invalid_request", /^step\.name: must be another name/),
      );
    }
    const { items } = await client.automationRuns.steps.query({ runId: claimed.runId });
    expect(items.map(({ name }) => name)).toEqual(["instruction"]);
  });

  test("is its key: another key of the same person has not claimed the run", async ({ agents }) => {
    const { client, other, claimed } = await agents.claimed();
    const summary = { ...claimed, summary: "Mine." };
    await expect(other.externalAgents.complete.mutate(summary)).rejects.toEqual(apiError("claim_lost"));
    expect(await client.externalAgents.complete.mutate(summary)).toMatchObject({ status: "completed" });
  });
});
