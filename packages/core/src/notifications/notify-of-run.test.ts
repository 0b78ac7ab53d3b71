import { type Caller, ClaimRun, ListNotifications, Scope } from "@querybell/domain";
import { describe, expect } from "vitest";
import {
  claimRun,
  completeClaimedRun,
  deleteAutomation,
  failClaimedRun,
  getAutomation,
  stopAutomationRun,
  triggerAutomation,
  updateAutomation,
} from "../automations/index.ts";
import { createKey } from "../keys/index.ts";
import { removeMember } from "../members/index.ts";
import { disablePersonAsOperator } from "../operator/index.ts";
import { appError } from "../testing/app-error.ts";
import { dbTest } from "../testing/db-test.ts";
import type { TestUser } from "../testing/factories.ts";
import { queuedMailsTo } from "../testing/queued-mails.ts";
import { getPreferences, listNotifications, setPreference } from "./index.ts";

type Someone = Caller & TestUser;

const everything = { inApp: true, byMail: true, onFailure: true, onSummary: true };

const test = dbTest.extend("told", { scope: "file" }, ({ deps, make }) => {
  /** An automation with these subscribers, and a run of it that an external agent has claimed. */
  const claimed = async (owner: Someone, subscribers: Parameters<typeof subscribersOf>[0]) => {
    const automation = await make.automation(owner, {
      agent: "external",
      subscribers: subscribersOf(subscribers),
    });
    const { id: keyId, scopes } = await createKey(deps, owner, {
      name: "Agent",
      scopes: [...Scope.options],
    });
    const agent: Caller = { ...owner, via: { kind: "key", keyId, scopes } };
    const run = await triggerAutomation(deps, agent, automation);
    const claim = await claimRun(deps, agent, ClaimRun.parse({ automationId: automation.id }));
    return { automation, agent, run, claim: { runId: run.id, claimNumber: claim?.claimNumber ?? 0 } };
  };

  const subscribersOf = (ways: [Someone, Partial<typeof everything>?][]) =>
    ways.map(([{ userId }, way]) => ({ userId, ...everything, ...way }));

  /** The notifications that somebody got: kinds in the app, subjects by mail. */
  const heard = async (someone: Someone) => {
    const { items } = await listNotifications(deps, someone, ListNotifications.parse({}));
    const mails = await queuedMailsTo(deps, someone.email);
    return { inApp: items.map(({ kind }) => kind), byMail: mails.map(({ subject }) => subject) };
  };

  return { claimed, heard };
});

const silence = { inApp: [], byMail: [] };
const failed = { inApp: ["automation_run_failed"], byMail: ["Watch the fruits: the run failed"] };
const summed = { inApp: ["automation_summary"], byMail: ["Watch the fruits"] };

describe("who is told how an automation's runs end", () => {
  test("is chosen on the automation, among the members", async ({ make, deps }) => {
    const owner = await make.owner();
    const [member, stranger] = [await make.member(owner.organizationId), await make.owner()];
    const subscribers = [{ userId: member.userId, ...everything }];
    const { id, ...made } = await make.automation(owner, { subscribers });
    expect(made.subscribers).toEqual(subscribers);
    const kept = await updateAutomation(deps, owner, { id, name: "Another" });
    expect(kept.subscribers).toEqual(subscribers);
    const chosen = [{ userId: owner.userId, inApp: false, byMail: true, onFailure: false, onSummary: true }];
    const changed = await updateAutomation(deps, owner, { id, subscribers: chosen });
    expect(changed.subscribers).toEqual(chosen);
    const nobody = await updateAutomation(deps, owner, { id, subscribers: [] });
    expect(nobody.subscribers).toEqual([]);

    const withStranger = [...subscribers, { userId: stranger.userId, ...everything }];
    await expect(updateAutomation(deps, owner, { id, subscribers: withStranger })).rejects.toMatchObject({
      code: "not_found",
      errors: [{ path: "subscribers.1.userId" }],
    });
  });

  test("hears of summaries and failures in the ways that were chosen, once", async ({ told, make, deps }) => {
    const owner = await make.owner();
    const member = () => make.member(owner.organizationId);
    const [all, failures, summaries, appOnly] = [
      await member(),
      await member(),
      await member(),
      await member(),
    ];
    const ways: Parameters<typeof told.claimed>[1] = [
      [all],
      [failures, { onSummary: false }],
      [summaries, { onFailure: false }],
      [appOnly, { byMail: false }],
    ];
    const one = await told.claimed(owner, ways);
    await completeClaimedRun(deps, one.agent, { ...one.claim, summary: "Three pears." });
    await expect(completeClaimedRun(deps, one.agent, { ...one.claim, summary: "Again." })).rejects.toEqual(
      appError("claim_lost"),
    );
    expect(await told.heard(all)).toEqual(summed);
    expect(await told.heard(failures)).toEqual(silence);
    expect(await told.heard(summaries)).toEqual(summed);
    expect(await told.heard(appOnly)).toEqual({ ...summed, byMail: [] });
    expect(await told.heard(owner)).toEqual(silence);

    const [notification] = (await listNotifications(deps, all, ListNotifications.parse({}))).items;
    expect(notification).toMatchObject({
      organizationId: owner.organizationId,
      detail: {
        automationId: one.automation.id,
        automationName: "Watch the fruits",
        runId: one.run.id,
        shortId: one.run.shortId,
        summary: "Three pears.",
      },
    });
    const [mail] = await queuedMailsTo(deps, all.email);
    expect(mail?.text).toContain("Three pears.");
    expect(mail?.text).toContain(one.run.chatUrl);
    expect(mail?.text).toContain("/account/notifications");

    const other = await told.claimed(owner, [[failures]]);
    await failClaimedRun(deps, other.agent, { ...other.claim, reason: "No pears." });
    expect(await told.heard(failures)).toEqual(failed);
    expect((await queuedMailsTo(deps, failures.email))[0]?.text).toContain("No pears.");
  });

  test("can turn kinds off, in the app and by mail, each for themselves", async ({ told, make, deps }) => {
    const owner = await make.owner();
    const [one, other] = [await make.member(owner.organizationId), await make.member(owner.organizationId)];
    const kinds = { failed: "automation_run_failed", summed: "automation_summary" } as const;
    const refreshes = { kind: "dashboard_refresh_failed", inApp: true, byMail: true };
    expect(await getPreferences(deps, one)).toEqual({
      items: [
        { kind: kinds.failed, inApp: true, byMail: true },
        { kind: kinds.summed, inApp: true, byMail: true },
        refreshes,
      ],
      sendsMail: true,
    });
    await setPreference(deps, one, { kind: kinds.failed, inApp: false, byMail: false });
    const { items } = await setPreference(deps, one, { kind: kinds.summed, inApp: true, byMail: false });
    expect(items).toEqual([
      { kind: kinds.failed, inApp: false, byMail: false },
      { kind: kinds.summed, inApp: true, byMail: false },
      refreshes,
    ]);
    const completing = await told.claimed(owner, [[one], [other]]);
    await completeClaimedRun(deps, completing.agent, { ...completing.claim, summary: "Fine." });
    const failing = await told.claimed(owner, [[one]]);
    await failClaimedRun(deps, failing.agent, { ...failing.claim, reason: "Not fine." });
    expect(await told.heard(one)).toEqual({ inApp: [kinds.summed], byMail: [] });
    expect(await told.heard(other)).toEqual(summed);
  });

  test("hears nothing more after leaving the organization, or while disabled", async ({
    told,
    make,
    deps,
  }) => {
    const owner = await make.owner();
    const member = () => make.member(owner.organizationId);
    const [gone, stays, keptOut] = [await member(), await member(), await member()];
    const run = await told.claimed(owner, [[gone], [stays], [keptOut]]);
    await removeMember(deps, owner, { userId: gone.userId });
    await disablePersonAsOperator(deps, keptOut);
    await failClaimedRun(deps, run.agent, { ...run.claim, reason: "No pears." });
    expect(await told.heard(gone)).toEqual(silence);
    expect(await told.heard(keptOut)).toEqual(silence);
    expect(await told.heard(stays)).toEqual(failed);
    const { subscribers } = await getAutomation(deps, owner, run.automation);
    expect(subscribers.map(({ userId }) => userId)).toEqual([stays.userId, keptOut.userId]);
  });

  test("hears of a stopped run, unless they stopped it themselves", async ({ told, make, deps }) => {
    const owner = await make.owner();
    const [stopper, other] = [
      await make.member(owner.organizationId),
      await make.member(owner.organizationId),
    ];
    const { run } = await told.claimed(owner, [[stopper], [other]]);
    await stopAutomationRun(deps, stopper, run);
    await stopAutomationRun(deps, stopper, run);
    expect(await told.heard(stopper)).toEqual(silence);
    expect(await told.heard(other)).toEqual(failed);
    // A program that stops runs with somebody's key is not that person.
    const byKey = await told.claimed(owner, [[owner]]);
    await stopAutomationRun(deps, byKey.agent, byKey.run);
    expect(await told.heard(owner)).toEqual(failed);
  });

  test("hears of the runs that end with a deleted automation", async ({ told, make, deps }) => {
    const owner = await make.owner();
    const other = await make.member(owner.organizationId);
    const { automation } = await told.claimed(owner, [[owner], [other]]);
    await deleteAutomation(deps, owner, automation);
    expect(await told.heard(owner)).toEqual(silence);
    expect(await told.heard(other)).toEqual(failed);
  });
});
