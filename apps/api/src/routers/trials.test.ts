import { describe, expect } from "vitest";
import { apiError } from "../testing/api-error.ts";
import { apiTest } from "../testing/api-test.ts";

describe("a trial", () => {
  apiTest("is one at a time for each person, however many begin at once", async ({ api, make }) => {
    const owner = await make.owner();
    const { shortId } = await make.reference(owner, "SELECT 1 AS one");
    const values = { name: "A", instruction: "B", references: [{ shortId }] };
    const person = await api.signedIn(owner);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 5 }, () => person.automations.try.mutate(values)),
    );
    const started = outcomes.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    expect(started).toEqual([expect.objectContaining({ isTrial: true, status: "pending" })]);
    await expect(person.automations.try.mutate(values)).rejects.toEqual(
      apiError("automation_busy", /stop it/),
    );
    const colleague = await api.signedIn(await make.member(owner.organizationId));
    expect(await colleague.automations.try.mutate(values)).toMatchObject({ isTrial: true });

    await person.automationRuns.stop.mutate({ id: started[0]?.id ?? "" });
    expect(await person.automations.try.mutate(values)).toMatchObject({ status: "pending" });
  });

  apiTest("is in no list, and cannot be triggered, changed or deleted", async ({ api, make }) => {
    const owner = await make.owner();
    const { shortId } = await make.reference(owner, "SELECT 1 AS one");
    const person = await api.signedIn(owner);
    const { automationId: id, shortId: chat } = await person.automations.try.mutate({
      name: "Findable",
      instruction: "B",
      references: [{ shortId }],
      timeLimitSeconds: 86_400,
    });
    expect((await person.automations.list.query()).items).toEqual([]);
    expect((await person.automationRuns.list.query({})).items).toEqual([]);
    expect((await person.automationRuns.list.query({ automationId: id })).items).toEqual([]);
    expect(await person.home.overview.query()).toMatchObject({
      firstSteps: { automation: false },
      summaries: [],
    });
    await expect(person.automations.get.query({ id })).rejects.toEqual(apiError("not_found"));
    await expect(person.automations.trigger.mutate({ id })).rejects.toEqual(apiError("not_found"));
    await expect(person.automations.update.mutate({ id, name: "C" })).rejects.toEqual(apiError("not_found"));
    await expect(person.automations.delete.mutate({ id })).rejects.toEqual(apiError("not_found"));
    expect(await person.automationRuns.findChat.query({ shortId: chat })).toMatchObject({ isTrial: true });
  });

  apiTest("needs an agent that runs here, and an automation of the organization", async ({ api, make }) => {
    const owner = await make.owner();
    const { shortId } = await make.reference(owner, "SELECT 1 AS one");
    const values = { name: "A", instruction: "B", references: [{ shortId }] };
    const person = await api.signedIn(owner);
    // @ts-expect-error An external agent cannot be tried.
    await expect(person.automations.try.mutate({ ...values, agent: "external" })).rejects.toEqual(
      apiError("invalid_request"),
    );
    const other = await make.automation(await make.owner());
    await expect(person.automations.try.mutate({ ...values, id: other.id })).rejects.toEqual(
      apiError("not_found"),
    );
  });

  apiTest("takes five minutes at most", async ({ api, make, deps }) => {
    const owner = await make.owner();
    const { shortId } = await make.reference(owner, "SELECT 1 AS one");
    const person = await api.signedIn(owner);
    const { id } = await person.automations.try.mutate({
      name: "A",
      instruction: "B",
      references: [{ shortId }],
      timeLimitSeconds: 86_400,
    });
    const row = await deps.db.prisma.automationRun.findUniqueOrThrow({ where: { id } });
    expect(row.brief).toMatchObject({ timeLimitSeconds: 300 });
  });
});
