import { expect } from "vitest";
import { describePerson } from "../identity/index.ts";
import { appError } from "../testing/app-error.ts";
import { dbTest } from "../testing/db-test.ts";
import { createOrganization } from "./index.ts";

dbTest("where only the operator creates organizations, nobody else can", async ({ deps, make }) => {
  const deployment = { ...deps.deployment, organizationCreation: "operator" as const };
  const restricted = { ...deps, deployment };
  const owner = await make.owner();
  const describeOwner = () => describePerson(restricted, { person: owner, caller: owner });
  expect(await describeOwner()).toMatchObject({ canCreateOrganization: false });
  await expect(createOrganization(restricted, owner, { name: "Mine" })).rejects.toEqual(
    appError("forbidden", /operator/),
  );
  expect((await describeOwner()).memberships).toHaveLength(1);
});
