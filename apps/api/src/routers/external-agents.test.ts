import { failAbandonedRuns } from "@querybell/core/automations";
import { describe, expect } from "vitest";
import { apiError } from "../testing/api-error.ts";
import { apiTest } from "../testing/api-test.ts";

const test = apiTest.extend("agents", { scope: "file" }, ({ api, deps, make, makeKey }) => ({
  /** A waiting run of an automation for external agents, and two agents with keys of their own. */
  async waiting() {
    const owner = await make.owner();
    const automation = await make.automation(owner, { agent: "external", timeLimitSeconds: 600 });
    const [one, other] = [await makeKey(owner), await makeKey(owner)];
    const client = api.withKey(one.key);
    const run = await client.automations.trigger.mutate({ id: automation.id });
    return { owner, automation, run, client, other: api.withKey(other.key) };
  },
  /** As if the agents had been silent for as long as their leases hold. */
  silence: () =>
    deps.db.pool.query(
      "UPDATE automation_runs SET lease_until = now() - interval '1 second' WHERE status = 'running'",
    ),
  events: async (runId: string) => {
    const rows = await deps.db.prisma.webhookEvent.findMany({
      where: { dedupeKey: `automation_run:${runId}` },
    });
    return rows.map(({ body }) => JSON.parse(Buffer.from(body).toString()));
  },
}));

describe("an external agent", () => {
  test("claims a run, reports steps, and completes it", async ({ agents }) => {
    const { client, run, automation } = await agents.waiting();
    const claim = await client.externalAgents.claim.mutate({ automationId: automation.id });
    expect(claim).toMatchObject({
      run: { id: run.id, status: "running" },
      brief: { instruction: automation.instruction, references: [{ title: "Fruits" }] },
      claimNumber: 1,
      steps: [{ name: "instruction" }],
    });
    expect(await client.externalAgents.claim.mutate({ automationId: automation.id })).toBeNull();
    const claimed = { runId: run.id, claimNumber: 1 };
    const step = {
      kind: "tool_call",
      name: "search",
      tool: "search",
      input: { q: "pears" },
      output: { hits: 3 },
    } as const;
    const reported = await client.externalAgents.report.mutate({ ...claimed, step });
    expect(reported).toMatchObject({ ...step, state: "completed" });
    // The same again is the same step: an agent that is not sure may repeat itself.
    expect(await client.externalAgents.report.mutate({ ...claimed, step })).toEqual(reported);
    expect(await client.externalAgents.renew.mutate(claimed)).toEqual({ leaseUntil: expect.any(String) });
    const done = await client.externalAgents.complete.mutate({ ...claimed, summary: " Three pears. " });
    expect(done).toMatchObject({ status: "completed", summary: "Three pears." });
    const { items } = await client.automationRuns.steps.query({ runId: run.id });
    expect(items.map(({ name }) => name)).toEqual(["instruction", "search", "summary"]);
    expect(await agents.events(run.id)).toEqual([
      expect.objectContaining({
        type: "automation.run.completed",
        data: expect.objectContaining({ runId: run.id, summary: "Three pears.", chatUrl: run.chatUrl }),
      }),
    ]);
  });

  test("fails a run with its own reason", async ({ agents }) => {
    const { client, run } = await agents.waiting();
    await client.externalAgents.claim.mutate({});
    const failed = { runId: run.id, claimNumber: 1, reason: "The warehouse is closed." };
    expect(await client.externalAgents.fail.mutate(failed)).toMatchObject({
      status: "failed",
      failure: { code: "agent_failed", reason: "The warehouse is closed." },
    });
    expect(await agents.events(run.id)).toMatchObject([{ data: { reason: "The warehouse is closed." } }]);
  });

  test("that reports nonsense is refused, and the run goes on", async ({ agents }) => {
    const { client, other, run } = await agents.waiting();
    await client.externalAgents.claim.mutate({});
    const claimed = { runId: run.id, claimNumber: 1 };
    const message = { kind: "message", name: "m" } as const;
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
    const step = { kind: "tool_call", name: "q", tool: "run_query", queryRunId: run.id } as const;
    await expect(client.externalAgents.report.mutate({ ...claimed, step })).rejects.toEqual(
      apiError("not_found"),
    );
    const lost = [
      () => complete.mutate({ ...claimed, claimNumber: 2, summary: "Mine." }),
      () => other.externalAgents.complete.mutate({ ...claimed, summary: "Mine." }),
    ];
    for (const attempt of lost) await expect(attempt()).rejects.toEqual(apiError("claim_lost"));
    expect(await client.automationRuns.get.query({ id: run.id })).toMatchObject({ status: "running" });
    expect(await agents.events(run.id)).toEqual([]);
  });

  test("cannot write the steps that are the run's own, nor turn a step into another kind", async ({
    agents,
  }) => {
    const { client, run } = await agents.waiting();
    await client.externalAgents.claim.mutate({});
    const claimed = { runId: run.id, claimNumber: 1 };
    const { report, complete } = client.externalAgents;
    for (const name of ["summary", "instruction"]) {
      const step = { kind: "message", name, text: "All is well." } as const;
      await expect(report.mutate({ ...claimed, step })).rejects.toEqual(
        apiError("invalid_request", /^step\.name: must be another name/),
      );
    }
    const running = { name: "look", state: "running" } as const;
    await report.mutate({ ...claimed, step: { kind: "message", ...running } });
    await expect(
      report.mutate({ ...claimed, step: { kind: "tool_call", tool: "look", ...running } }),
    ).rejects.toEqual(apiError("conflict", /The step look is a message/));
    await complete.mutate({ ...claimed, summary: "Nothing is well." });
    const { items } = await client.automationRuns.steps.query({ runId: run.id });
    expect(items.map(({ name, kind, text }) => ({ name, kind, text }))).toEqual([
      { name: "instruction", kind: "message", text: expect.any(String) },
      { name: "look", kind: "message", text: "" },
      { name: "summary", kind: "message", text: "Nothing is well." },
    ]);
  });

  test("that asks for an automation without work for it is told why", async ({
    agents,
    api,
    make,
    makeKey,
  }) => {
    const { client, owner, automation } = await agents.waiting();
    const claim = (automationId: string) => client.externalAgents.claim.mutate({ automationId });
    const { id: digest } = await make.automation(owner);
    await expect(claim(digest)).rejects.toEqual(apiError("conflict", /agent of this automation is digest/));
    const stranger = await make.owner();
    const { id: theirs } = await make.automation(stranger, { agent: "external" });
    await expect(claim(theirs)).rejects.toEqual(apiError("not_found"));
    expect(
      await api.withKey((await makeKey(stranger)).key).externalAgents.claim.mutate({ automationId: theirs }),
    ).toBeNull();
    // A run that was triggered for an external agent waits for one, whatever became of its automation.
    await (await api.signedIn(owner)).automations.update.mutate({ id: automation.id, agent: "digest" });
    expect(await claim(automation.id)).toMatchObject({ run: { automationId: automation.id } });
  });

  test("that vanishes loses its claim to another, with all that it wrote", async ({ agents, deps }) => {
    const { client, other, run } = await agents.waiting();
    await client.externalAgents.claim.mutate({});
    const step = { kind: "message", name: "half", text: "Half of it is done." } as const;
    await client.externalAgents.report.mutate({ runId: run.id, claimNumber: 1, step });
    expect(await other.externalAgents.claim.mutate({})).toBeNull();
    await agents.silence();
    await failAbandonedRuns(deps);
    const claim = await other.externalAgents.claim.mutate({});
    expect(claim).toMatchObject({ claimNumber: 2, steps: [{ name: "instruction" }, { name: "half" }] });
    await expect(
      client.externalAgents.complete.mutate({ runId: run.id, claimNumber: 1, summary: "Late." }),
    ).rejects.toEqual(apiError("claim_lost"));
    await other.externalAgents.complete.mutate({ runId: run.id, claimNumber: 2, summary: "Done." });
    expect(await agents.events(run.id)).toHaveLength(1);
  });

  test("that vanishes again and again makes the run fail with a reason", async ({ agents, deps }) => {
    const { client, run, automation } = await agents.waiting();
    for (let claims = 1; claims <= 5; claims++) {
      expect(await client.externalAgents.claim.mutate({})).toMatchObject({ claimNumber: claims });
      await agents.silence();
    }
    for (const automationId of [undefined, automation.id]) {
      expect(await client.externalAgents.claim.mutate({ automationId })).toBeNull();
    }
    await failAbandonedRuns(deps);
    expect(await client.automationRuns.get.query({ id: run.id })).toMatchObject({
      status: "failed",
      failure: { code: "agent_lost", reason: expect.stringContaining("fell silent") },
    });
    expect(await agents.events(run.id)).toHaveLength(1);
  });

  test("that never comes, or takes too long, makes the run fail with a reason", async ({
    agents,
    deps,
    clock,
  }) => {
    const unclaimed = await agents.waiting();
    const slow = await agents.waiting();
    await slow.client.externalAgents.claim.mutate({ leaseSeconds: 3600 });
    await failAbandonedRuns(deps);
    expect(await slow.client.automationRuns.get.query({ id: slow.run.id })).toMatchObject({
      status: "running",
    });
    await clock.advance(600_000);
    await agents.silence();
    for (const automationId of [undefined, slow.automation.id]) {
      expect(await slow.client.externalAgents.claim.mutate({ automationId })).toBeNull();
    }
    await failAbandonedRuns(deps);
    const codes = [];
    for (const { client, run } of [unclaimed, slow]) {
      codes.push((await client.automationRuns.get.query({ id: run.id })).failure?.code);
    }
    expect(codes).toEqual(["not_claimed", "time_limit"]);
  });
});
