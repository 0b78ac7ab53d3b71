import { type ErrorCode, type ParameterDefinition, shortIdAlphabet } from "@querybell/domain";
import { describe, expect } from "vitest";
import { apiError } from "../testing/api-error.ts";
import { apiTest } from "../testing/api-test.ts";

const words = { name: "Mornings", instruction: "Say what has changed." };
const daily = { cron: "0 9 * * *", timeZone: "Europe/Berlin" };
const days: ParameterDefinition = { name: "since", displayName: "Since", type: "date", description: "" };

describe("an automation", () => {
  apiTest("is made, changed, paused and deleted by a member", async ({ api, make, clock }) => {
    const owner = await make.owner();
    const client = await api.signedIn(await make.member(owner.organizationId));
    const { shortId } = await make.reference(owner, "SELECT 1");
    const made = await client.automations.create.mutate({ ...words, references: [{ shortId }] });
    expect(made).toMatchObject({
      ...words,
      references: [{ shortId, title: "Fruits", parameterValues: {}, isDeleted: false }],
      agent: "digest",
      schedule: null,
      enabled: true,
      whenBusy: "queue",
      timeLimitSeconds: 900,
      nextRunAt: null,
    });
    const { id } = made;
    const scheduled = await client.automations.update.mutate({ id, schedule: daily, name: " Days " });
    expect(scheduled).toEqual({ ...made, name: "Days", schedule: daily, nextRunAt: expect.any(String) });
    const { nextTimes } = await client.automations.previewSchedule.query({ schedule: daily });
    expect(nextTimes).toHaveLength(3);
    expect(scheduled.nextRunAt).toBe(nextTimes[0]);
    expect(nextTimes.every((time) => time > clock.now().toISOString())).toBe(true);
    const paused = await client.automations.update.mutate({ id, enabled: false });
    expect(paused).toEqual({ ...scheduled, enabled: false, nextRunAt: null });
    const neverRan = { latestRun: null, latestEndedRun: null };
    expect(await client.automations.get.query({ id })).toEqual({ ...paused, ...neverRan });
    expect(await client.automations.list.query()).toEqual({ items: [{ ...paused, ...neverRan }] });
    await client.automations.delete.mutate({ id });
    expect(await client.automations.list.query()).toEqual({ items: [] });
    await expect(client.automations.get.query({ id })).rejects.toEqual(apiError("not_found"));
    await expect(client.automations.trigger.mutate({ id })).rejects.toEqual(apiError("not_found"));
  });

  apiTest("is refused with what could never run", async ({ api, make }) => {
    const owner = await make.owner();
    const client = await api.signedIn(owner);
    const { shortId } = await make.reference(owner, "SELECT 1");
    const create = (more: object) =>
      client.automations.create.mutate({ ...words, references: [{ shortId }], ...more });
    await expect(create({ schedule: { cron: "0 0 30 2 *", timeZone: "UTC" } })).rejects.toEqual(
      apiError("invalid_request", /never fires/),
    );
    await expect(create({ schedule: { cron: "0 9 * * *", timeZone: "Europe/Atlantis" } })).rejects.toEqual(
      apiError("invalid_request", /time zone/),
    );
    await expect(create({ references: [] })).rejects.toEqual(apiError("invalid_request", /at least one/));
    await expect(create({ references: [{ shortId }, { shortId }] })).rejects.toEqual(
      apiError("invalid_request", /repeat/),
    );
    await expect(create({ references: [{ shortId: "nothing" }] })).rejects.toEqual(apiError("not_found"));
    const { shortId: optimistic } = await client.references.createOptimistic.mutate({});
    await expect(create({ references: [{ shortId: optimistic }] })).rejects.toEqual(
      apiError("conflict", /no query yet/),
    );
  });

  apiTest("is refused with the place of the reference at fault", async ({ api, make }) => {
    const owner = await make.owner();
    const client = await api.signedIn(owner);
    const { id: queryId } = await make.query(owner, "SELECT {{since}}");
    const { shortId } = await client.references.create.mutate({ queryId, parameters: [days] });
    const good = { shortId, parameterValues: { since: "today" } };
    const { id } = await client.automations.create.mutate({ ...words, references: [good] });
    const failure = async (second: { shortId: string; parameterValues?: Record<string, string> }) => {
      const references = [good, second];
      const created = client.automations.create.mutate({ ...words, references });
      const updated = client.automations.update.mutate({ id, references });
      const outcomes = await Promise.allSettled([created, updated]);
      return outcomes.map((outcome) => outcome.status === "rejected" && outcome.reason);
    };
    const refusal = (reason: ErrorCode, path: string) => ({
      message: expect.stringContaining("Reference 2 ("),
      data: { reason, errors: [{ path: `references.1.${path}`, message: expect.any(String) }] },
    });
    const unknown = await failure({ shortId: "nowhere" });
    expect(unknown).toMatchObject([refusal("not_found", "shortId"), refusal("not_found", "shortId")]);
    expect(unknown[0]).toMatchObject({
      message: expect.stringContaining("(nowhere): There is no reference"),
    });
    const at = "parameterValues.since";
    const wrong = refusal("invalid_parameter_value", at);
    expect(await failure({ shortId, parameterValues: { since: "soon" } })).toMatchObject([wrong, wrong]);
    const missing = refusal("missing_parameter_values", at);
    expect(await failure({ shortId })).toMatchObject([missing, missing]);
  });

  apiTest("takes values that its references' parameters allow", async ({ api, make }) => {
    const owner = await make.owner();
    const client = await api.signedIn(owner);
    const { id: queryId } = await make.query(owner, "SELECT {{since}}");
    const { shortId } = await client.references.create.mutate({ queryId, parameters: [days] });
    const create = (parameterValues: Record<string, string>) =>
      client.automations.create.mutate({ ...words, references: [{ shortId, parameterValues }] });
    await expect(create({})).rejects.toEqual(apiError("missing_parameter_values"));
    await expect(create({ since: "soon" })).rejects.toEqual(apiError("invalid_parameter_value"));
    await expect(create({ since: "today", until: "today" })).rejects.toEqual(
      apiError("invalid_parameter_value"),
    );
    const made = await create({ since: "today-7d" });
    expect(made.references[0]?.parameterValues).toEqual({ since: "today-7d" });
  });

  apiTest("says which of its references was deleted", async ({ api, make }) => {
    const owner = await make.owner();
    const client = await api.signedIn(owner);
    const { id, references } = await make.automation(owner);
    await client.references.delete.mutate({ shortId: references[0]?.shortId ?? "" });
    expect(await client.automations.get.query({ id })).toMatchObject({
      references: [{ isDeleted: true }],
    });
  });
});

describe("a chat", () => {
  apiTest("opens by its permalink for members of the organization only", async ({ api, make, makeKey }) => {
    const owner = await make.owner();
    const { id } = await make.automation(owner);
    const { key, id: keyId } = await makeKey(owner, { scopes: ["automations:run"] });
    const run = await api.withKey(key).automations.trigger.mutate({ id });
    expect(run).toMatchObject({
      triggerId: `key:${keyId}`,
      shortId: expect.stringMatching(new RegExp(`^[${shortIdAlphabet}]{10}$`)),
      chatUrl: `${api.origin}/chats/${run.shortId}`,
    });
    const colleague = await api.signedIn(await make.member(owner.organizationId));
    const { shortId } = run;
    expect(await colleague.automationRuns.findChat.query({ shortId })).toEqual(run);
    const stranger = await api.signedIn(await make.owner());
    await expect(stranger.automationRuns.findChat.query({ shortId })).rejects.toEqual(apiError("not_found"));
    await expect(api.asNobody().automationRuns.findChat.query({ shortId })).rejects.toEqual(
      apiError("unauthorized"),
    );
  });

  apiTest(
    "tells who looks from another of their organizations to switch",
    async ({ api, make, makeKey, deps }) => {
      const [here, there] = [await make.owner(), await make.owner()];
      const { id } = await make.automation(there);
      const { shortId } = await (await api.signedIn(there)).automations.trigger.mutate({ id });
      const { shortId: reference } = await make.reference(there, "SELECT 1");
      const open = async (client: ReturnType<typeof api.withKey>) => {
        const answers = await Promise.allSettled([
          client.automationRuns.findChat.query({ shortId }),
          client.references.get.query({ shortId: reference }),
        ]);
        return answers.map((answer) => (answer.status === "rejected" ? answer.reason.message : "opened"));
      };
      const client = await api.signedIn(here);
      const nothing = [expect.stringMatching(/^There is no/), expect.stringMatching(/^There is no/)];
      expect(await open(client)).toEqual(nothing);
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
      expect(await open(client)).toEqual([sentence, sentence]);
      expect(await open(api.withKey((await makeKey(here)).key)), "a key has one organization").toEqual(
        nothing,
      );
      await client.me.switchOrganization.mutate({ organizationId });
      expect(await open(client)).toEqual(["opened", "opened"]);
    },
  );

  apiTest("is read page by page, oldest step first", async ({ api, make }) => {
    const owner = await make.owner();
    const client = await api.signedIn(owner);
    const { id } = await make.automation(owner, { agent: "external" });
    await client.automations.trigger.mutate({ id });
    const claim = await client.externalAgents.claim.mutate({});
    const claimed = { runId: claim?.run.id ?? "", claimNumber: claim?.claimNumber ?? 0 };
    for (const name of ["one", "two", "three"]) {
      await client.externalAgents.report.mutate({ ...claimed, step: { kind: "message", name, text: name } });
    }
    const names: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await client.automationRuns.steps.query({ runId: claimed.runId, limit: 3, cursor });
      names.push(...page.items.map(({ name }) => name));
      cursor = page.nextCursor;
    } while (cursor);
    expect(names).toEqual(["instruction", "one", "two", "three"]);
  });

  apiTest("is watched live until its run has ended", async ({ api, make, makeKey }) => {
    const owner = await make.owner();
    const { key } = await makeKey(owner);
    const client = api.withKey(key);
    const { id } = await make.automation(owner, { agent: "external" });
    const run = await client.automations.trigger.mutate({ id });
    const answer = await api.fetch(
      `/api/trpc/automationRuns.watch?input=${encodeURIComponent(JSON.stringify({ id: run.id }))}`,
      { headers: { authorization: `Bearer ${key}`, accept: "text/event-stream" } },
    );
    const decoder = new TextDecoder();
    let seen = "";
    let working: Promise<unknown> | undefined;
    const work = async () => {
      const claim = await client.externalAgents.claim.mutate({});
      const claimed = { runId: run.id, claimNumber: claim?.claimNumber ?? 0 };
      const streamed = { kind: "message", name: "thought" } as const;
      const report = client.externalAgents.report;
      await report.mutate({ ...claimed, step: { ...streamed, state: "running", text: "Let me" } });
      await report.mutate({ ...claimed, step: { ...streamed, text: "Let me see." } });
      await client.externalAgents.complete.mutate({ ...claimed, summary: "All is well." });
    };
    for await (const chunk of answer.body ?? []) {
      seen += decoder.decode(chunk);
      // Somebody watches: now the agent may begin.
      if (seen.includes("instruction")) working ??= work();
    }
    await working;
    expect(seen).toContain('"text":"Let me see."');
    expect(seen).toContain('"summary":"All is well."');
    expect(seen).toContain('"status":"completed"');
  });
});

describe("the database itself", () => {
  apiTest("lets one unfinished run of an automation have its turn", async ({ api, make, deps }) => {
    const owner = await make.owner();
    const client = await api.signedIn(owner);
    const { id } = await make.automation(owner);
    await client.automations.trigger.mutate({ id });
    const second = await client.automations.trigger.mutate({ id });
    expect(second.isQueued).toBe(true);
    const push = deps.db.pool.query("UPDATE automation_runs SET ready_at = now() WHERE id = $1", [second.id]);
    await expect(push).rejects.toThrow(/turn_key/);
  });

  apiTest("refuses changes to a run or a step that has ended", async ({ api, make, deps }) => {
    const owner = await make.owner();
    const client = await api.signedIn(owner);
    const { id } = await make.automation(owner);
    const run = await client.automations.trigger.mutate({ id });
    const change = deps.db.pool.query("UPDATE automation_steps SET text = 'x' WHERE run_id = $1", [run.id]);
    await expect(change).rejects.toMatchObject({ code: "QB003" });
    await client.automationRuns.stop.mutate({ id: run.id });
    const revive = deps.db.pool.query("UPDATE automation_runs SET revision = 9 WHERE id = $1", [run.id]);
    await expect(revive).rejects.toMatchObject({ code: "QB002" });
  });
});
