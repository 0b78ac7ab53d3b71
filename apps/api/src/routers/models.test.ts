import { describe, expect } from "vitest";
import { apiError } from "../testing/api-error.ts";
import { apiTest } from "../testing/api-test.ts";

const secret = "a key nobody may see";
const connection = { url: "http://127.0.0.1:9/v1", name: "small" };

describe("an organization's model", () => {
  apiTest("is set by an admin, and its key is in no answer and no log", async ({ api, make, logLines }) => {
    const owner = await make.owner();
    const admin = await api.signedIn(owner);
    const updated = await admin.models.update.mutate({
      connection: { ...connection, apiKey: secret },
      monthlyTokens: 5_000,
      consent: true,
    });
    const member = await api.signedIn(await make.member(owner.organizationId));
    const shown = await member.models.get.query();
    expect(shown).toMatchObject({ ...connection, isReady: true, hasApiKey: true, monthlyTokens: 5_000 });
    const audited = await admin.audit.list.query({});
    expect(audited.items).toMatchObject([{ action: "model.changed" }]);
    expect(JSON.stringify([updated, shown, audited, logLines])).not.toContain(secret);
  });

  apiTest("is not set without consent, or by a member", async ({ api, make }) => {
    const owner = await make.owner();
    const admin = await api.signedIn(owner);
    // @ts-expect-error Without consent.
    await expect(admin.models.update.mutate({ connection, monthlyTokens: 1 })).rejects.toEqual(
      apiError("invalid_request", /consent/),
    );
    const member = await api.signedIn(await make.member(owner.organizationId));
    const wanted = { connection, monthlyTokens: 1, consent: true } as const;
    await expect(member.models.update.mutate(wanted)).rejects.toEqual(apiError("forbidden"));
    expect(await admin.models.get.query()).toMatchObject({ isReady: false });
  });
});
