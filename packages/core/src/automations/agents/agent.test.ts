import { describe, expect } from "vitest";
import { claimOneAutomationRun, listenForNotices } from "../../testing/index.ts";
import { runTest } from "../../testing/run-test.ts";
import { type Agent, executeAutomationRun, getAutomationRun, triggerAutomation } from "../index.ts";

const test = runTest
  .extend("onError", { scope: "file" }, () => () => {})
  .extend("runWith", { scope: "file" }, ({ deps, make }) => {
    /** Runs an automation with an agent of the test, as a worker does. */
    return async (agent: Agent) => {
      const owner = await make.owner();
      const automation = await make.automation(owner);
      const run = await triggerAutomation(deps, owner, automation);
      const stopping = new AbortController();
      const errors: unknown[] = [];
      const execute = async () => {
        const held = await claimOneAutomationRun(deps, run.id);
        if (!held) expect.unreachable("The run cannot be claimed.");
        const onError = (error: unknown) => void errors.push(error);
        await executeAutomationRun(deps, held, { signal: stopping.signal, onError, agent });
      };
      const steps = () =>
        deps.db.prisma.automationStep.findMany({ where: { runId: run.id }, orderBy: { position: "asc" } });
      const ended = () => getAutomationRun(deps, owner, run);
      return { owner, automation, run, stopping, errors, execute, steps, ended };
    };
  });

describe("an agent", () => {
  test("streams messages and finds out about the schema through its tools", async ({ runWith }) => {
    const made = await runWith(async ({ brief, tools, transcript, budget }) => {
      await transcript.say({ name: "plan", state: "running", text: "First" });
      await transcript.say({ name: "plan", state: "completed", text: "First, look at the tables." });
      await transcript.say({ name: "plan", state: "completed", text: "Too late to say something else." });
      const [reference] = brief.references;
      const schema = await tools.describe_schema.call("tables", { shortId: reference?.shortId ?? "" });
      const strange = await tools.describe_schema.call("strange", { shortId: "elsewhere" });
      const forbidden = await tools.run_query.call("q", { shortId: "elsewhere", parameterValues: {} });
      const tables = schema.kind === "answered" ? schema.answer.map(({ name }) => name).join() : "none";
      const summary = [tables, strange.kind, forbidden.kind, budget.steps > 10].join(" ");
      return { kind: "completed", summary };
    });
    await made.execute();
    expect(await made.ended()).toMatchObject({ status: "completed", summary: "fruits failed failed true" });
    const steps = await made.steps();
    expect(steps.map(({ name, state }) => [name, state])).toEqual([
      ["instruction", "completed"],
      ["plan", "completed"],
      ["tables", "completed"],
      ["strange", "failed"],
      ["q", "failed"],
      ["summary", "completed"],
    ]);
    expect(steps[1]?.text).toBe("First, look at the tables.");
  });

  test("that throws makes its run fail, and the error is logged", async ({ runWith }) => {
    const made = await runWith(async () => {
      throw new Error("a bug");
    });
    await made.execute();
    expect(await made.ended()).toMatchObject({ status: "failed", failure: { code: "internal" } });
    expect(made.errors).toEqual([new Error("a bug")]);
  });

  test("that does not listen is not waited for when its worker stops", async ({ runWith, deps }) => {
    const began = Promise.withResolvers<void>();
    const made = await runWith(async () => {
      began.resolve();
      return new Promise(() => {});
    });
    const notice = await listenForNotices(deps.db.notices, "querybell_automation_run_waiting");
    const executing = made.execute();
    await began.promise;
    made.stopping.abort();
    await executing;
    expect(await made.ended()).toMatchObject({ status: "running" });
    await notice(made.run.id);
    expect(await claimOneAutomationRun(deps, made.run.id)).toMatchObject({ leaseNumber: 2 });
  });

  test("whose lease is lost writes nothing more", async ({ runWith, deps }) => {
    const made = await runWith(async ({ transcript }) => {
      await deps.db.pool.query("UPDATE automation_runs SET lease_number = 9 WHERE id = $1", [made.run.id]);
      await transcript.say({ name: "late", state: "completed", text: "Am I late?" });
      return { kind: "completed", summary: "Done." };
    });
    await made.execute();
    expect(await made.ended()).toMatchObject({ status: "running", summary: null });
    expect(await made.steps()).toHaveLength(1);
  });

  test("that has lost five workers is not started again", async ({ runWith, deps }) => {
    const made = await runWith(async () => ({ kind: "completed", summary: "Done." }));
    await deps.db.pool.query(
      `UPDATE automation_runs SET status = 'running', lease_number = 5, lease_holder = 'gone', lease_until = now(),
         deadline_at = now() + interval '1 hour' WHERE id = $1`,
      [made.run.id],
    );
    await made.execute();
    expect(await made.ended()).toMatchObject({ status: "failed", failure: { code: "worker_lost" } });
  });
});
