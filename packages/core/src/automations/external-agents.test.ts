import { type Caller, ClaimRun, CompleteClaimedRun, newId, RenewClaim, ReportStep } from "@querybell/domain";
import { describe, expect } from "vitest";
import type { z } from "zod";
import { createDraft, runDraft } from "../drafts/index.ts";
import { appError } from "../testing/app-error.ts";
import { dbTest } from "../testing/db-test.ts";
import {
  claimRun,
  completeClaimedRun,
  failAbandonedRuns,
  failClaimedRun,
  getAutomationRun,
  listSteps,
  renewClaim,
  reportStep,
  triggerAutomation,
  updateAutomation,
} from "./index.ts";

const test = dbTest.extend("agents", { scope: "file" }, ({ deps, make }) => ({
  /** A waiting run of an automation for external agents, and two agents, each with its own key. */
  async waiting() {
    const owner = await make.owner();
    const automation = await make.automation(owner, { agent: "external", timeLimitSeconds: 600 });
    const newAgent = (): Caller => ({
      ...owner,
      via: { kind: "key", keyId: newId(deps.clock), scopes: ["automations:read", "automations:run"] },
    });
    const agent = newAgent();
    const run = await triggerAutomation(deps, agent, { id: automation.id });
    return { owner, automation, run, agent, other: newAgent() };
  },
  claim: (agent: Caller, wanted: z.input<typeof ClaimRun> = {}) =>
    claimRun(deps, agent, ClaimRun.parse(wanted)),
  report: (agent: Caller, reported: z.input<typeof ReportStep>) =>
    reportStep(deps, agent, ReportStep.parse(reported)),
  steps: async (agent: Caller, runId: string) => (await listSteps(deps, agent, { runId, limit: 20 })).items,
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
  test("claims a run, reports steps, and completes it", async ({ agents, deps }) => {
    const { agent, run, automation } = await agents.waiting();
    const claim = await agents.claim(agent, { automationId: automation.id });
    expect(claim).toMatchObject({
      run: { id: run.id, status: "running" },
      brief: { instruction: automation.instruction, references: [{ title: "Fruits" }] },
      claimNumber: 1,
      steps: [{ name: "instruction" }],
    });
    expect(await agents.claim(agent, { automationId: automation.id })).toBeNull();
    const claimed = { runId: run.id, claimNumber: 1 };
    const step = {
      kind: "tool_call",
      name: "search",
      tool: "search",
      input: { q: "pears" },
      output: { hits: 3 },
    } as const;
    const reported = await agents.report(agent, { ...claimed, step });
    expect(reported).toMatchObject({ ...step, state: "completed" });
    // The same again is the same step: an agent that is not sure may repeat itself.
    expect(await agents.report(agent, { ...claimed, step })).toEqual(reported);
    expect(await renewClaim(deps, agent, RenewClaim.parse(claimed))).toEqual({
      leaseUntil: expect.any(String),
    });
    const summary = CompleteClaimedRun.parse({ ...claimed, summary: " Three pears. " });
    const done = await completeClaimedRun(deps, agent, summary);
    expect(done).toMatchObject({ status: "completed", summary: "Three pears." });
    const steps = await agents.steps(agent, run.id);
    expect(steps.map(({ name }) => name)).toEqual(["instruction", "search", "summary"]);
    expect(await agents.events(run.id)).toEqual([
      expect.objectContaining({
        type: "automation.run.completed",
        data: expect.objectContaining({ runId: run.id, summary: "Three pears.", chatUrl: run.chatUrl }),
      }),
    ]);
  });

  test("fails a run with its own reason", async ({ agents, deps }) => {
    const { agent, run } = await agents.waiting();
    await agents.claim(agent);
    const failed = { runId: run.id, claimNumber: 1, reason: "The warehouse is closed." };
    expect(await failClaimedRun(deps, agent, failed)).toMatchObject({
      status: "failed",
      failure: { code: "agent_failed", reason: "The warehouse is closed." },
    });
    expect(await agents.events(run.id)).toMatchObject([{ data: { reason: "The warehouse is closed." } }]);
  });

  test("that names another query run or claim is refused, and the run goes on", async ({ agents, deps }) => {
    const { agent, other, run } = await agents.waiting();
    await agents.claim(agent);
    const claimed = { runId: run.id, claimNumber: 1 };
    const step = { kind: "tool_call", name: "q", tool: "run_query", queryRunId: run.id } as const;
    await expect(agents.report(agent, { ...claimed, step })).rejects.toEqual(appError("not_found"));
    const lost = [
      () => completeClaimedRun(deps, agent, { ...claimed, claimNumber: 2, summary: "Mine." }),
      () => completeClaimedRun(deps, other, { ...claimed, summary: "Mine." }),
    ];
    for (const attempt of lost) await expect(attempt()).rejects.toEqual(appError("claim_lost"));
    expect(await getAutomationRun(deps, agent, { id: run.id })).toMatchObject({ status: "running" });
    expect(await agents.events(run.id)).toEqual([]);
  });

  test("cannot turn a step into another kind", async ({ agents, deps }) => {
    const { agent, run } = await agents.waiting();
    await agents.claim(agent);
    const claimed = { runId: run.id, claimNumber: 1 };
    const running = { name: "look", state: "running" } as const;
    await agents.report(agent, { ...claimed, step: { kind: "message", ...running } });
    await expect(
      agents.report(agent, { ...claimed, step: { kind: "tool_call", tool: "look", ...running } }),
    ).rejects.toEqual(appError("conflict", /The step look is a message/));
    await completeClaimedRun(deps, agent, { ...claimed, summary: "Nothing is well." });
    const steps = await agents.steps(agent, run.id);
    expect(steps.map(({ name, kind, text }) => ({ name, kind, text }))).toEqual([
      { name: "instruction", kind: "message", text: expect.any(String) },
      { name: "look", kind: "message", text: "" },
      { name: "summary", kind: "message", text: "Nothing is well." },
    ]);
  });

  test("that is a person cannot put a trial of theirs into the transcript", async ({
    agents,
    deps,
    make,
  }) => {
    const { owner, run } = await agents.waiting();
    await agents.claim(owner);
    const { id: analyticalDatabaseConfigId } = await make.database(owner);
    const draft = await createDraft(deps, owner, { sql: "SELECT 1", analyticalDatabaseConfigId });
    const trial = await runDraft(deps, owner, { ...draft, parameterValues: {} });
    const step = { kind: "tool_call", name: "q", tool: "run_query", queryRunId: trial.id } as const;
    const reported = agents.report(owner, { runId: run.id, claimNumber: 1, step });
    await expect(reported).rejects.toEqual(appError("not_found", /no such run/));
  });

  test("that asks for an automation without work for it is told why", async ({ agents, deps, make }) => {
    const { agent, owner, automation } = await agents.waiting();
    const claim = (automationId: string) => agents.claim(agent, { automationId });
    const { id: digest } = await make.automation(owner);
    await expect(claim(digest)).rejects.toEqual(appError("conflict", /agent of this automation is digest/));
    const stranger = await make.owner();
    const { id: theirs } = await make.automation(stranger, { agent: "external" });
    await expect(claim(theirs)).rejects.toEqual(appError("not_found"));
    expect(await agents.claim(stranger, { automationId: theirs })).toBeNull();
    // A run that was triggered for an external agent waits for one, whatever became of its automation.
    await updateAutomation(deps, owner, { id: automation.id, agent: "digest" });
    expect(await claim(automation.id)).toMatchObject({ run: { automationId: automation.id } });
  });

  test("that vanishes loses its claim to another, with all that it wrote", async ({ agents, deps }) => {
    const { agent, other, run } = await agents.waiting();
    await agents.claim(agent);
    const step = { kind: "message", name: "half", text: "Half of it is done." } as const;
    await agents.report(agent, { runId: run.id, claimNumber: 1, step });
    expect(await agents.claim(other)).toBeNull();
    await agents.silence();
    await failAbandonedRuns(deps);
    const claim = await agents.claim(other);
    expect(claim).toMatchObject({ claimNumber: 2, steps: [{ name: "instruction" }, { name: "half" }] });
    await expect(
      completeClaimedRun(deps, agent, { runId: run.id, claimNumber: 1, summary: "Late." }),
    ).rejects.toEqual(appError("claim_lost"));
    await completeClaimedRun(deps, other, { runId: run.id, claimNumber: 2, summary: "Done." });
    expect(await agents.events(run.id)).toHaveLength(1);
  });

  test("that vanishes again and again makes the run fail with a reason", async ({ agents, deps }) => {
    const { agent, run, automation } = await agents.waiting();
    for (let claims = 1; claims <= 5; claims++) {
      expect(await agents.claim(agent)).toMatchObject({ claimNumber: claims });
      await agents.silence();
    }
    for (const automationId of [undefined, automation.id]) {
      expect(await agents.claim(agent, { automationId })).toBeNull();
    }
    await failAbandonedRuns(deps);
    expect(await getAutomationRun(deps, agent, { id: run.id })).toMatchObject({
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
    await agents.claim(slow.agent, { leaseSeconds: 3600 });
    await failAbandonedRuns(deps);
    expect(await getAutomationRun(deps, slow.agent, { id: slow.run.id })).toMatchObject({
      status: "running",
    });
    await clock.advance(600_000);
    await agents.silence();
    for (const automationId of [undefined, slow.automation.id]) {
      expect(await agents.claim(slow.agent, { automationId })).toBeNull();
    }
    await failAbandonedRuns(deps);
    const codes = [];
    for (const { agent, run } of [unclaimed, slow]) {
      codes.push((await getAutomationRun(deps, agent, { id: run.id })).failure?.code);
    }
    expect(codes).toEqual(["not_claimed", "time_limit"]);
  });
});
