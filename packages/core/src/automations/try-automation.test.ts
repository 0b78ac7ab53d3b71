import { ListAutomationRuns, ListAutomations, TryAutomation } from "@querybell/domain";
import { describe, expect } from "vitest";
import { readHomeOverview } from "../home.ts";
import { appError } from "../testing/app-error.ts";
import { dbTest } from "../testing/db-test.ts";
import {
  deleteAutomation,
  getAutomation,
  getRunOfChat,
  listAutomationRuns,
  listAutomations,
  stopAutomationRun,
  triggerAutomation,
  tryAutomation,
  updateAutomation,
} from "./index.ts";

// Nothing executes these trials. What they do when they run: `trials.test.ts`.
describe("a trial", () => {
  dbTest("is one at a time for each person, however many begin at once", async ({ deps, make }) => {
    const owner = await make.owner();
    const { shortId } = await make.reference(owner, "SELECT 1 AS one");
    const values = TryAutomation.parse({ name: "A", instruction: "B", references: [{ shortId }] });
    const outcomes = await Promise.allSettled(
      Array.from({ length: 5 }, () => tryAutomation(deps, owner, values)),
    );
    const started = outcomes.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    expect(started).toEqual([expect.objectContaining({ isTrial: true, status: "pending" })]);
    await expect(tryAutomation(deps, owner, values)).rejects.toEqual(appError("automation_busy", /stop it/));
    const colleague = await make.member(owner.organizationId);
    expect(await tryAutomation(deps, colleague, values)).toMatchObject({ isTrial: true });

    await stopAutomationRun(deps, owner, { id: started[0]?.id ?? "" });
    expect(await tryAutomation(deps, owner, values)).toMatchObject({ status: "pending" });
  });

  dbTest("is in no list, and cannot be triggered, changed or deleted", async ({ deps, make }) => {
    const owner = await make.owner();
    const { shortId } = await make.reference(owner, "SELECT 1 AS one");
    const values = {
      name: "Findable",
      instruction: "B",
      references: [{ shortId }],
      timeLimitSeconds: 86_400,
    };
    const trial = await tryAutomation(deps, owner, TryAutomation.parse(values));
    const { automationId: id, shortId: chat } = trial;
    expect((await listAutomations(deps, owner, ListAutomations.parse({}))).items).toEqual([]);
    for (const filter of [{}, { automationId: id }]) {
      const { items } = await listAutomationRuns(deps, owner, ListAutomationRuns.parse(filter));
      expect(items).toEqual([]);
    }
    expect(await readHomeOverview(deps, owner)).toMatchObject({
      firstSteps: { automation: false },
      summaries: [],
    });
    const calls = [
      () => getAutomation(deps, owner, { id }),
      () => triggerAutomation(deps, owner, { id }),
      () => updateAutomation(deps, owner, { id, name: "C" }),
      () => deleteAutomation(deps, owner, { id }),
    ];
    for (const call of calls) await expect(call()).rejects.toEqual(appError("not_found"));
    expect(await getRunOfChat(deps, owner, { shortId: chat })).toMatchObject({ isTrial: true });
  });

  dbTest("needs an automation of the organization, if it names one", async ({ deps, make }) => {
    const owner = await make.owner();
    const { shortId } = await make.reference(owner, "SELECT 1 AS one");
    const { id } = await make.automation(await make.owner());
    const values = TryAutomation.parse({ id, name: "A", instruction: "B", references: [{ shortId }] });
    await expect(tryAutomation(deps, owner, values)).rejects.toEqual(appError("not_found"));
  });

  dbTest("takes five minutes at most", async ({ deps, make }) => {
    const owner = await make.owner();
    const { shortId } = await make.reference(owner, "SELECT 1 AS one");
    const values = { name: "A", instruction: "B", references: [{ shortId }], timeLimitSeconds: 86_400 };
    const { id } = await tryAutomation(deps, owner, TryAutomation.parse(values));
    const row = await deps.db.prisma.automationRun.findUniqueOrThrow({ where: { id } });
    expect(row.brief).toMatchObject({ timeLimitSeconds: 300 });
  });
});
