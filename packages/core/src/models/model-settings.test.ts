import { startModelServer } from "@querybell/models/testing";
import { describe, expect } from "vitest";
import { appError } from "../testing/app-error.ts";
import { auditDuring } from "../testing/audit-during.ts";
import { dbTest } from "../testing/db-test.ts";
import { correctModelUsage, getModel, removeModel, testModel, updateModel } from "./index.ts";

const secret = "a key nobody may see";
const chosen = (url: string, more: object = {}) => ({ url, name: "small", ...more });

describe("an organization's model", () => {
  dbTest("is set with consent, and never gives its key back", async ({ deps, make }) => {
    await using server = await startModelServer(() => ({ kind: "say", pieces: ["ready"] }));
    const owner = await make.owner();
    const { organizationId, userId } = owner;
    expect(await getModel(deps, owner)).toMatchObject({
      isReady: false,
      missing: expect.stringContaining("No model is set up"),
      source: null,
    });
    const update = () =>
      updateModel(deps, owner, {
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
    const shown = await getModel(deps, await make.member(organizationId));
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
    expect(JSON.stringify([shown, stored.rows, audited])).not.toContain(secret);
  });

  dbTest("is not set on a private address", async ({ deps, make }) => {
    const owner = await make.owner();
    for (const url of ["http://10.0.0.1/v1", "http://169.254.169.254/v1", "http://models.example.com/v1"]) {
      const wanted = { connection: chosen(url), monthlyTokens: 1, consent: true } as const;
      await expect(updateModel(deps, owner, wanted)).rejects.toEqual(appError("invalid_request"));
    }
    expect(await getModel(deps, owner)).toMatchObject({ isReady: false });
  });

  dbTest(
    "keeps its key while its server stays the same, and gives it to no other",
    async ({ deps, make }) => {
      await using first = await startModelServer(() => ({ kind: "say", pieces: ["one"] }));
      await using second = await startModelServer(() => ({ kind: "say", pieces: ["two"] }));
      const owner = await make.owner();
      const update = (connection: object) =>
        updateModel(deps, owner, {
          connection: { url: first.url, name: "small", ...connection },
          monthlyTokens: 1,
          consent: true,
        });
      await update({ apiKey: secret });
      expect(await update({ name: "large" })).toMatchObject({ name: "large", hasApiKey: true });
      expect(await testModel(deps, owner, { connection: chosen(first.url) })).toEqual({ text: "one" });
      expect(first.keys).toEqual([`Bearer ${secret}`]);
      expect(await testModel(deps, owner, { connection: chosen(second.url) })).toEqual({ text: "two" });
      expect(second.keys).toEqual([undefined]);
      expect(await update({ url: second.url })).toMatchObject({ hasApiKey: false });
    },
  );

  dbTest("has its used tokens corrected, with an entry in the audit log", async ({ deps, make }) => {
    const owner = await make.owner();
    const { organizationId } = owner;
    const month = deps.clock.now().toISOString().slice(0, 7);
    await deps.db.prisma.modelUsage.create({
      data: { organizationId, month: new Date(`${month}-01`), tokens: 2_000_000_000n },
    });
    const audited = await auditDuring(deps, organizationId, () =>
      correctModelUsage(deps, owner, { month, tokens: 1_200 }),
    );
    expect(audited).toMatchObject([
      { action: "model_usage.corrected", detail: { month, before: 2_000_000_000, tokens: 1_200 } },
    ]);
    expect(await getModel(deps, owner)).toMatchObject({ usedTokens: 1_200 });
    await correctModelUsage(deps, owner, { month: "2020-01", tokens: 5 });
    expect(await getModel(deps, owner)).toMatchObject({ usedTokens: 1_200 });
    const later = correctModelUsage(deps, owner, { month: "2999-01", tokens: 5 });
    await expect(later).rejects.toEqual(appError("invalid_request"));
  });

  dbTest("is removed with its key and the consent", async ({ deps, make }) => {
    const owner = await make.owner();
    const connection = chosen("http://127.0.0.1:9/v1", { apiKey: secret });
    await updateModel(deps, owner, { connection, monthlyTokens: 1, consent: true });
    const { organizationId } = owner;
    const audited = await auditDuring(deps, organizationId, () => removeModel(deps, owner));
    expect(audited).toMatchObject([{ action: "model.removed", targetId: organizationId }]);
    expect(await getModel(deps, owner)).toMatchObject({
      isReady: false,
      hasApiKey: false,
      consentedAt: null,
    });
    expect(await deps.db.prisma.modelSettings.count({ where: { organizationId } })).toBe(0);
  });
});

dbTest("a model that refuses or does not answer is told apart by its test", async ({ deps, make }) => {
  await using refusing = await startModelServer(() => ({ kind: "status", status: 401 }));
  const owner = await make.owner();
  await expect(testModel(deps, owner, { connection: chosen(refusing.url) })).rejects.toEqual(
    appError("model_refused"),
  );
  await expect(testModel(deps, owner, { connection: chosen("http://127.0.0.1:9/v1") })).rejects.toEqual(
    appError("model_unreachable"),
  );
});
