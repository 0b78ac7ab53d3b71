import { type Caller, ClaimRun, newId, ReportStep, shortIdAlphabet } from "@querybell/domain";
import { describe, expect } from "vitest";
import type { Deps } from "../../deps.ts";
import { getReference } from "../../references/index.ts";
import { appError } from "../../testing/app-error.ts";
import { dbTest } from "../../testing/db-test.ts";
import {
  claimRun,
  getRunOfChat,
  listSteps,
  reportStep,
  stopAutomationRun,
  triggerAutomation,
} from "../index.ts";

/** The caller of an API key of this person. */
const withKey = ({ clock }: Pick<Deps, "clock">, person: Caller, keyId = newId(clock)): Caller => ({
  ...person,
  via: { kind: "key", keyId, scopes: ["automations:read", "automations:run", "references:read"] },
});

describe("a chat", () => {
  dbTest("opens by its permalink for members of the organization only", async ({ deps, make, publicUrl }) => {
    const owner = await make.owner();
    const { id } = await make.automation(owner);
    const keyId = newId(deps.clock);
    const run = await triggerAutomation(deps, withKey(deps, owner, keyId), { id });
    const { shortId } = run;
    expect(run).toMatchObject({
      triggerId: `key:${keyId}`,
      shortId: expect.stringMatching(new RegExp(`^[${shortIdAlphabet}]{10}$`)),
      chatUrl: `${publicUrl}/chats/${shortId}`,
    });
    const colleague = await make.member(owner.organizationId);
    expect(await getRunOfChat(deps, colleague, { shortId })).toEqual(run);
    const stranger = await make.owner();
    await expect(getRunOfChat(deps, stranger, { shortId })).rejects.toEqual(appError("not_found"));
  });

  dbTest("tells who looks from another of their organizations to switch", async ({ deps, make }) => {
    const [here, there] = [await make.owner(), await make.owner()];
    const { id } = await make.automation(there);
    const { shortId } = await triggerAutomation(deps, there, { id });
    const { shortId: reference } = await make.reference(there, "SELECT 1");
    const open = async (caller: Caller) => {
      const answers = await Promise.allSettled([
        getRunOfChat(deps, caller, { shortId }),
        getReference(deps, caller, { shortId: reference }),
      ]);
      return answers.map((answer) => (answer.status === "rejected" ? answer.reason.message : "opened"));
    };
    const nothing = [expect.stringMatching(/^There is no/), expect.stringMatching(/^There is no/)];
    expect(await open(here)).toEqual(nothing);
    const { organizationId } = there;
    await deps.db.prisma.member.create({
      data: {
        organizationId,
        userId: here.userId,
        role: "member",
        createdAt: deps.clock.now(),
      },
    });
    const { name } = await deps.db.prisma.organization.findUniqueOrThrow({ where: { id: organizationId } });
    const sentence = `This is in your organization "${name}". Switch to it, then open this again.`;
    expect(await open(here)).toEqual([sentence, sentence]);
    expect(await open(withKey(deps, here)), "a key has one organization").toEqual(nothing);
    expect(await open({ ...here, organizationId, role: "member" })).toEqual(["opened", "opened"]);
  });

  dbTest("is read page by page, oldest step first", async ({ deps, make }) => {
    const owner = await make.owner();
    const { id } = await make.automation(owner, { agent: "external" });
    await triggerAutomation(deps, owner, { id });
    const claim = await claimRun(deps, owner, ClaimRun.parse({}));
    const claimed = { runId: claim?.run.id ?? "", claimNumber: claim?.claimNumber ?? 0 };
    for (const name of ["one", "two", "three"]) {
      const step = { kind: "message", name, text: name };
      await reportStep(deps, owner, ReportStep.parse({ ...claimed, step }));
    }
    const names: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await listSteps(deps, owner, { runId: claimed.runId, limit: 3, cursor });
      names.push(...page.items.map(({ name }) => name));
      cursor = page.nextCursor;
    } while (cursor);
    expect(names).toEqual(["instruction", "one", "two", "three"]);
  });
});

describe("the database itself", () => {
  dbTest("lets one unfinished run of an automation have its turn", async ({ deps, make }) => {
    const owner = await make.owner();
    const { id } = await make.automation(owner);
    await triggerAutomation(deps, owner, { id });
    const second = await triggerAutomation(deps, owner, { id });
    expect(second.isQueued).toBe(true);
    const push = deps.db.pool.query("UPDATE automation_runs SET ready_at = now() WHERE id = $1", [second.id]);
    await expect(push).rejects.toThrow(/turn_key/);
  });

  dbTest("refuses changes to a run or a step that has ended", async ({ deps, make }) => {
    const owner = await make.owner();
    const { id } = await make.automation(owner);
    const run = await triggerAutomation(deps, owner, { id });
    const change = deps.db.pool.query("UPDATE automation_steps SET text = 'x' WHERE run_id = $1", [run.id]);
    await expect(change).rejects.toMatchObject({ code: "QB003" });
    await stopAutomationRun(deps, owner, { id: run.id });
    const revive = deps.db.pool.query("UPDATE automation_runs SET revision = 9 WHERE id = $1", [run.id]);
    await expect(revive).rejects.toMatchObject({ code: "QB002" });
  });
});
