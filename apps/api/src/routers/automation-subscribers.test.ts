import { expect } from "vitest";
import { apiError } from "../testing/api-error.ts";
import { apiTest } from "../testing/api-test.ts";

const everything = { inApp: true, byMail: true, onFailure: true, onSummary: true };

apiTest(
  "whoever is told how an automation's runs end is named once, with a way and an outcome",
  async ({ api, make }) => {
    const owner = await make.owner();
    const { automations } = await api.signedIn(owner);
    const { id } = await make.automation(owner);
    const one = { userId: owner.userId, ...everything };
    const update = (...others: Partial<typeof one>[]) =>
      automations.update.mutate({ id, subscribers: others.map((other) => ({ ...one, ...other })) });
    await expect(update({}, {})).rejects.toEqual(apiError("invalid_request", /anybody twice/));
    await expect(update({ inApp: false, byMail: false })).rejects.toEqual(
      apiError("invalid_request", /in the app, by mail/),
    );
    await expect(update({ onFailure: false, onSummary: false })).rejects.toEqual(
      apiError("invalid_request", /failures, summaries/),
    );
    expect((await update({})).subscribers).toEqual([one]);
  },
);
