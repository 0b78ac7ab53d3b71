import { expect } from "vitest";
import { apiError } from "../testing/api-error.ts";
import { apiTest } from "../testing/api-test.ts";

apiTest("a trial needs an agent that runs here", async ({ api, make }) => {
  const owner = await make.owner();
  const { shortId } = await make.reference(owner, "SELECT 1 AS one");
  const values = { name: "A", instruction: "B", references: [{ shortId }] };
  const person = await api.signedIn(owner);
  // @ts-expect-error An external agent cannot be tried.
  await expect(person.automations.try.mutate({ ...values, agent: "external" })).rejects.toEqual(
    apiError("invalid_request"),
  );
});
