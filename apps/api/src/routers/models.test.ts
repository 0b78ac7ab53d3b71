import { startModelServer } from "@querybell/models/testing";
import { describe, expect } from "vitest";
import { apiError } from "../testing/api-error.ts";
import { apiTest } from "../testing/api-test.ts";
import { auditDuring } from "@querybell/core/testing";

const secret = "a key nobody may see";
const chosen = (url: string, more: object = {}) => ({ url, name: "small", ...more });

describe("an organization's model", () => {
  apiTest(
    "is set by an admin with consent, and never gives its key back",
    async ({ api, make, deps, logLines }) => {
      await using server = await startModelServer(() => ({ kind: "say", pieces: ["ready"] }));
      const owner = await make.owner();
      const { organizationId, userId } = owner;
      const admin = await api.signedIn(owner);
      expect(await admin.models.get.query()).toMatchObject({
        isReady: false,
        missing: expect.stringContaining("No model is set up"),
        source: null,
      });
      const update = () =>
        admin.models.update.mutate({
          connection: chosen(server.url, { apiKey: secret }),
          monthlyTokens: 5_000,
          consent: true,
        });
      const audited = await auditDuring(deps, organizationId, update);
      expect(audited).toEqual([
        {
          actorUserId: userId,
          action: "model.changed",
          targetId: organizationId,
          detail: { url: server.url, name: "small", monthlyTokens: 5_000, consent: true },
        },
      ]);
      const member = await api.signedIn(await make.member(organizationId));
      const shown = await member.models.get.query();
      expect(shown).toMatchObject({
        isReady: true,
        missing: null,
        source: "organization",
        url: server.url,
        hasApiKey: true,
        monthlyTokens: 5_000,
        usedTokens: 0,
      });
      const stored = await deps.db.pool.query("SELECT t::text FROM model_settings t");
      expect(JSON.stringify([shown, stored.rows, audited, logLines])).not.toContain(secret);
    },
  );

  apiTest("is not set without consent, on a private address, or by a member", async ({ api, make }) => {
    const owner = await make.owner();
    const admin = await api.signedIn(owner);
    const connection = chosen("http://127.0.0.1:9/v1");
    // @ts-expect-error Without consent.
    await expect(admin.models.update.mutate({ connection, monthlyTokens: 1 })).rejects.toEqual(
      apiError("invalid_request", /consent/),
    );
    const wanted = { monthlyTokens: 1, consent: true } as const;
    for (const url of ["http://10.0.0.1/v1", "http://169.254.169.254/v1", "http://models.example.com/v1"]) {
      await expect(admin.models.update.mutate({ connection: chosen(url), ...wanted })).rejects.toEqual(
        apiError("invalid_request"),
      );
    }
    const member = await api.signedIn(await make.member(owner.organizationId));
    await expect(member.models.update.mutate({ connection, ...wanted })).rejects.toEqual(
      apiError("forbidden"),
    );
    expect(await admin.models.get.query()).toMatchObject({ isReady: false });
  });

  apiTest(
    "keeps its key while its server stays the same, and gives it to no other",
    async ({ api, make }) => {
      await using first = await startModelServer(() => ({ kind: "say", pieces: ["one"] }));
      await using second = await startModelServer(() => ({ kind: "say", pieces: ["two"] }));
      const admin = await api.signedIn(await make.owner());
      const update = (connection: object) =>
        admin.models.update.mutate({
          connection: { url: first.url, name: "small", ...connection },
          monthlyTokens: 1,
          consent: true,
        });
      await update({ apiKey: secret });
      expect(await update({ name: "large" })).toMatchObject({ name: "large", hasApiKey: true });
      expect(await admin.models.test.mutate({ connection: chosen(first.url) })).toEqual({ text: "one" });
      expect(first.keys).toEqual([`Bearer ${secret}`]);
      expect(await admin.models.test.mutate({ connection: chosen(second.url) })).toEqual({ text: "two" });
      expect(second.keys).toEqual([undefined]);
      expect(await update({ url: second.url })).toMatchObject({ hasApiKey: false });
    },
  );

  apiTest(
    "has its used tokens corrected by an admin, with an entry in the audit log",
    async ({ api, make, deps }) => {
      const owner = await make.owner();
      const admin = await api.signedIn(owner);
      const { organizationId } = owner;
      const month = deps.clock.now().toISOString().slice(0, 7);
      await deps.db.prisma.modelUsage.create({
        data: { organizationId, month: new Date(`${month}-01`), tokens: 2_000_000_000n },
      });
      const audited = await auditDuring(deps, organizationId, () =>
        admin.models.correctUsage.mutate({ month, tokens: 1_200 }),
      );
      expect(audited).toMatchObject([
        { action: "model_usage.corrected", detail: { month, before: 2_000_000_000, tokens: 1_200 } },
      ]);
      expect(await admin.models.get.query()).toMatchObject({ usedTokens: 1_200 });
      await admin.models.correctUsage.mutate({ month: "2020-01", tokens: 5 });
      expect(await admin.models.get.query()).toMatchObject({ usedTokens: 1_200 });
      const later = admin.models.correctUsage.mutate({ month: "2999-01", tokens: 5 });
      await expect(later).rejects.toEqual(apiError("invalid_request"));
    },
  );

  apiTest("is removed with its key and the consent", async ({ api, make, deps }) => {
    const owner = await make.owner();
    const admin = await api.signedIn(owner);
    const connection = chosen("http://127.0.0.1:9/v1", { apiKey: secret });
    await admin.models.update.mutate({ connection, monthlyTokens: 1, consent: true });
    const { organizationId } = owner;
    const audited = await auditDuring(deps, organizationId, () => admin.models.remove.mutate());
    expect(audited).toMatchObject([{ action: "model.removed", targetId: organizationId }]);
    expect(await admin.models.get.query()).toMatchObject({
      isReady: false,
      hasApiKey: false,
      consentedAt: null,
    });
    expect(await deps.db.prisma.modelSettings.count({ where: { organizationId } })).toBe(0);
  });
});

apiTest("a model that refuses or does not answer is told apart by its test", async ({ api, make }) => {
  await using refusing = await startModelServer(() => ({ kind: "status", status: 401 }));
  const admin = await api.signedIn(await make.owner());
  await expect(admin.models.test.mutate({ connection: chosen(refusing.url) })).rejects.toEqual(
    apiError("model_refused"),
  );
  await expect(admin.models.test.mutate({ connection: chosen("http://127.0.0.1:9/v1") })).rejects.toEqual(
    apiError("model_unreachable"),
  );
});
