import { expect } from "vitest";
import { apiTest, startApi } from "../testing/api-test.ts";
import { everyProcedure } from "../testing/every-procedure.ts";
import { createProvoke } from "../testing/provocations/provoke.ts";
import { provokeAutomations } from "../testing/provocations/provoke-automations.ts";
import { provokeDatabases } from "../testing/provocations/provoke-databases.ts";
import { provokeDrafts } from "../testing/provocations/provoke-drafts.ts";
import { provokeLibrary } from "../testing/provocations/provoke-library.ts";
import { provokeModels } from "../testing/provocations/provoke-models.ts";
import { provokePeople } from "../testing/provocations/provoke-people.ts";
import { provokeParameters, provokeReferences } from "../testing/provocations/provoke-references.ts";
import { provokeStatements } from "../testing/provocations/provoke-statements.ts";
import { provokeUploads } from "../testing/provocations/provoke-uploads.ts";
import { provokeWebhooks } from "../testing/provocations/provoke-webhooks.ts";
import { cursorErrors, storageErrors, webhookErrors } from "../trpc/documented-errors.ts";

// These follow from the input and the access of a procedure, and are tested elsewhere.
// A full disk is tested where files are written.
const derived = { ...cursorErrors, ...webhookErrors, ...storageErrors };

const newPasskey = {
  ...{ id: "new", rawId: "new", type: "public-key" },
  response: { clientDataJSON: "x", attestationObject: "x" },
};

apiTest("every error that the reference lists for a procedure occurs", async ({ api, deps, make }) => {
  const owner = await make.owner();
  const session = { cookie: await api.sessionCookie(owner.email), origin: api.origin };
  const { provoke, seen } = createProvoke(api, session);
  const context = { api, deps, make, owner, provoke };
  await provokeWebhooks(context);
  await provokeStatements(context);
  await provokeDrafts(context);
  await provokeReferences(context);
  await provokeLibrary(context);
  await provokeParameters(context);
  await provokeDatabases(context);
  await provokeModels(context);
  await provokeAutomations(context);
  const seenWithSmallQuota = await provokeUploads(context, session);
  await provokePeople(context);
  const publicUrl = "http://querybell.test";
  const deployment = { ...deps.deployment, organizationCreation: "operator", publicUrl } as const;
  await using strict = await startApi({ deps: { ...deps, deployment } });
  const elsewhere = createProvoke(strict, { ...session, origin: publicUrl });
  await elsewhere.provoke("me.createOrganization", "forbidden", { name: "Acme" });
  await elsewhere.provoke("secondFactor.startConfirm", "conflict");
  await elsewhere.provoke("secondFactor.finishPasskey", "conflict", {
    name: "Laptop",
    credential: newPasskey,
  });
  for (const { path, errors, samples } of everyProcedure) {
    // The ids in samples do not exist. The last sample with ids has the fewest fields that could cause other errors.
    const given = errors.not_found ? samples.findLast(({ ids }) => ids.length > 0) : undefined;
    if (given) await provoke(path, "not_found", given.input);
  }

  const listed = everyProcedure.flatMap(({ path, errors }) =>
    Object.keys(errors)
      .filter((code) => !(code in derived))
      .map((code) => `${path} ${code}`),
  );
  expect(
    listed.filter((pair) => ![seen, elsewhere.seen, seenWithSmallQuota].some((pairs) => pairs.has(pair))),
  ).toEqual([]);
});
