import type { Caller } from "@querybell/domain";
import type { TestUser } from "@querybell/core/testing";
import { describe, expect } from "vitest";
import { apiError } from "../testing/api-error.ts";
import { apiTest } from "../testing/api-test.ts";
import { queuedMailsTo } from "@querybell/core/testing";

type Someone = Caller & TestUser;

const everything = { inApp: true, byMail: true, onFailure: true, onSummary: true };

const test = apiTest.extend("told", { scope: "file" }, ({ api, deps, make, makeKey }) => {
  /** An automation for an external agent, which tells these people, with a run that the agent has claimed. */
  const claimed = async (owner: Someone, subscribers: Parameters<typeof subscribersOf>[0]) => {
    const automation = await make.automation(owner, {
      agent: "external",
      subscribers: subscribersOf(subscribers),
    });
    const agent = api.withKey((await makeKey(owner)).key);
    const run = await agent.automations.trigger.mutate({ id: automation.id });
    const claim = await agent.externalAgents.claim.mutate({ automationId: automation.id });
    return { automation, agent, run, claim: { runId: run.id, claimNumber: claim?.claimNumber ?? 0 } };
  };

  const subscribersOf = (ways: [Someone, Partial<typeof everything>?][]) =>
    ways.map(([{ userId }, way]) => ({ userId, ...everything, ...way }));

  /** What somebody has heard: kinds in the app, subjects by mail. */
  const heard = async (someone: Someone) => {
    const client = await api.signedIn(someone);
    const { items } = await client.notifications.list.query();
    const mails = await queuedMailsTo(deps, someone.email);
    return { inApp: items.map(({ kind }) => kind), byMail: mails.map(({ subject }) => subject) };
  };

  return { claimed, heard };
});

const silence = { inApp: [], byMail: [] };
const failed = { inApp: ["automation_run_failed"], byMail: ["Watch the fruits: the run failed"] };
const summed = { inApp: ["automation_summary"], byMail: ["Watch the fruits"] };

describe("who is told how an automation's runs end", () => {
  test("is chosen on the automation, among the members", async ({ api, make }) => {
    const owner = await make.owner();
    const [member, stranger] = [await make.member(owner.organizationId), await make.owner()];
    const client = await api.signedIn(owner);
    const subscribers = [{ userId: member.userId, ...everything }];
    const { id, ...made } = await make.automation(owner, { subscribers });
    expect(made.subscribers).toEqual(subscribers);
    const kept = await client.automations.update.mutate({ id, name: "Another" });
    expect(kept.subscribers).toEqual(subscribers);
    const changed = [{ userId: owner.userId, inApp: false, byMail: true, onFailure: false, onSummary: true }];
    expect((await client.automations.update.mutate({ id, subscribers: changed })).subscribers).toEqual(
      changed,
    );
    expect((await client.automations.update.mutate({ id, subscribers: [] })).subscribers).toEqual([]);

    const one = { userId: member.userId, ...everything };
    const update = (...others: Partial<typeof one>[]) =>
      client.automations.update.mutate({ id, subscribers: others.map((other) => ({ ...one, ...other })) });
    await expect(update({}, { userId: stranger.userId })).rejects.toMatchObject({
      data: { reason: "not_found", errors: [{ path: "subscribers.1.userId" }] },
    });
    await expect(update({}, {})).rejects.toEqual(apiError("invalid_request", /anybody twice/));
    await expect(update({ inApp: false, byMail: false })).rejects.toEqual(
      apiError("invalid_request", /in the app, by mail/),
    );
    await expect(update({ onFailure: false, onSummary: false })).rejects.toEqual(
      apiError("invalid_request", /failures, summaries/),
    );
  });

  test("hears of summaries and failures in the ways that were chosen, once", async ({
    told,
    make,
    api,
    deps,
  }) => {
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
    await one.agent.externalAgents.complete.mutate({ ...one.claim, summary: "Three pears." });
    await expect(
      one.agent.externalAgents.complete.mutate({ ...one.claim, summary: "Again." }),
    ).rejects.toEqual(apiError("claim_lost"));
    expect(await told.heard(all)).toEqual(summed);
    expect(await told.heard(failures)).toEqual(silence);
    expect(await told.heard(summaries)).toEqual(summed);
    expect(await told.heard(appOnly)).toEqual({ ...summed, byMail: [] });
    expect(await told.heard(owner)).toEqual(silence);

    const [notification] = (await (await api.signedIn(all)).notifications.list.query()).items;
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
    await other.agent.externalAgents.fail.mutate({ ...other.claim, reason: "No pears." });
    expect(await told.heard(failures)).toEqual(failed);
    expect((await queuedMailsTo(deps, failures.email))[0]?.text).toContain("No pears.");
  });

  test("can turn kinds off, in the app and by mail, each for themselves", async ({ told, make, api }) => {
    const owner = await make.owner();
    const [one, other] = [await make.member(owner.organizationId), await make.member(owner.organizationId)];
    const client = await api.signedIn(one);
    const kinds = { failed: "automation_run_failed", summed: "automation_summary" } as const;
    expect(await client.notifications.preferences.query()).toEqual({
      items: [
        { kind: kinds.failed, inApp: true, byMail: true },
        { kind: kinds.summed, inApp: true, byMail: true },
      ],
      sendsMail: true,
    });
    await client.notifications.setPreference.mutate({ kind: kinds.failed, inApp: false, byMail: false });
    const { items } = await client.notifications.setPreference.mutate({
      kind: kinds.summed,
      inApp: true,
      byMail: false,
    });
    expect(items).toEqual([
      { kind: kinds.failed, inApp: false, byMail: false },
      { kind: kinds.summed, inApp: true, byMail: false },
    ]);
    const completing = await told.claimed(owner, [[one], [other]]);
    await completing.agent.externalAgents.complete.mutate({ ...completing.claim, summary: "Fine." });
    const failing = await told.claimed(owner, [[one]]);
    await failing.agent.externalAgents.fail.mutate({ ...failing.claim, reason: "Not fine." });
    expect(await told.heard(one)).toEqual({ inApp: [kinds.summed], byMail: [] });
    expect(await told.heard(other)).toEqual(summed);
  });

  test("hears nothing more after leaving the organization", async ({ told, make, api }) => {
    const owner = await make.owner();
    const [gone, stays] = [await make.member(owner.organizationId), await make.member(owner.organizationId)];
    const run = await told.claimed(owner, [[gone], [stays]]);
    const client = await api.signedIn(owner);
    await client.members.remove.mutate({ userId: gone.userId });
    await run.agent.externalAgents.fail.mutate({ ...run.claim, reason: "No pears." });
    expect(await told.heard(gone)).toEqual(silence);
    expect(await told.heard(stays)).toEqual(failed);
    const { subscribers } = await client.automations.get.query({ id: run.automation.id });
    expect(subscribers.map(({ userId }) => userId)).toEqual([stays.userId]);
  });

  test("hears of a stopped run, unless they stopped it themselves", async ({ told, make, api }) => {
    const owner = await make.owner();
    const [stopper, other] = [
      await make.member(owner.organizationId),
      await make.member(owner.organizationId),
    ];
    const client = await api.signedIn(stopper);
    const { run } = await told.claimed(owner, [[stopper], [other]]);
    await client.automationRuns.stop.mutate({ id: run.id });
    await client.automationRuns.stop.mutate({ id: run.id });
    expect(await told.heard(stopper)).toEqual(silence);
    expect(await told.heard(other)).toEqual(failed);
    // A program that stops runs with somebody's key is not that person.
    const byKey = await told.claimed(owner, [[owner]]);
    await byKey.agent.automationRuns.stop.mutate({ id: byKey.run.id });
    expect(await told.heard(owner)).toEqual(failed);
  });

  test("hears of the runs that end with a deleted automation", async ({ told, make, api }) => {
    const owner = await make.owner();
    const other = await make.member(owner.organizationId);
    const { automation } = await told.claimed(owner, [[owner], [other]]);
    await (await api.signedIn(owner)).automations.delete.mutate({ id: automation.id });
    expect(await told.heard(owner)).toEqual(silence);
    expect(await told.heard(other)).toEqual(failed);
  });
});

describe("an automation's overview", () => {
  test("has its latest run and its last outcome, of its own runs alone", async ({ told, make, api }) => {
    const owner = await make.owner();
    const first = await told.claimed(owner, []);
    await first.agent.externalAgents.complete.mutate({ ...first.claim, summary: "One." });
    const again = await first.agent.automations.trigger.mutate({ id: first.automation.id });
    const second = await told.claimed(owner, []);
    const client = await api.signedIn(owner);
    const { items } = await client.automations.list.query();
    expect(items).toMatchObject([
      { id: second.automation.id, latestRun: { id: second.run.id }, latestEndedRun: null },
      {
        id: first.automation.id,
        latestRun: { id: again.id, status: "pending" },
        latestEndedRun: { id: first.run.id, summary: "One." },
      },
    ]);
  });
});
