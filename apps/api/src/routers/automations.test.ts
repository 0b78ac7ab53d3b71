import { describe, expect } from "vitest";
import { apiError } from "../testing/api-error.ts";
import { apiTest } from "../testing/api-test.ts";

const words = { name: "Mornings", instruction: "Say what has changed." };

describe("an automation", () => {
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
  });
});

describe("a chat", () => {
  apiTest(
    "of a run that a key triggered opens for members, and for nobody without credentials",
    async ({ api, make, makeKey }) => {
      const owner = await make.owner();
      const { id } = await make.automation(owner);
      const { key, id: keyId } = await makeKey(owner, { scopes: ["automations:run"] });
      const run = await api.withKey(key).automations.trigger.mutate({ id });
      const { shortId } = run;
      expect(run).toMatchObject({ triggerId: `key:${keyId}`, chatUrl: `${api.origin}/chats/${shortId}` });
      const colleague = await api.signedIn(await make.member(owner.organizationId));
      expect(await colleague.automationRuns.findChat.query({ shortId })).toEqual(run);
      await expect(api.asNobody().automationRuns.findChat.query({ shortId })).rejects.toEqual(
        apiError("unauthorized"),
      );
    },
  );

  apiTest("of another of one's organizations opens after switching to it", async ({ api, make, deps }) => {
    const [here, there] = [await make.owner(), await make.owner()];
    const { id } = await make.automation(there);
    const { shortId } = await (await api.signedIn(there)).automations.trigger.mutate({ id });
    const client = await api.signedIn(here);
    const { organizationId } = there;
    await deps.db.prisma.member.create({
      data: {
        organizationId,
        userId: here.userId,
        role: "member",
        createdAt: deps.clock.now(),
      },
    });
    const open = () => client.automationRuns.findChat.query({ shortId });
    await expect(open()).rejects.toEqual(apiError("not_found", /Switch to it/));
    await client.me.switchOrganization.mutate({ organizationId });
    expect(await open()).toMatchObject({ automationId: id, shortId });
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
