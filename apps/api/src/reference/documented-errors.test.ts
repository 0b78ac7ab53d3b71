import { expect } from "vitest";
import { apiTest, startApi } from "../testing/api-test.ts";
import { everyProcedure } from "../testing/every-procedure.ts";
import { createProvoke } from "../testing/provocations/provoke.ts";
import { provokeAutomations } from "../testing/provocations/provoke-automations.ts";
import { provokeDatabases } from "../testing/provocations/provoke-databases.ts";
import { provokeModels } from "../testing/provocations/provoke-models.ts";
import { provokePeople } from "../testing/provocations/provoke-people.ts";
import { provokeReferences } from "../testing/provocations/provoke-references.ts";
import { provokeStatements } from "../testing/provocations/provoke-statements.ts";
import { provokeWebhooks } from "../testing/provocations/provoke-webhooks.ts";
import { cursorErrors, webhookErrors } from "./common-errors.ts";

// These follow from a procedure's input and from who may call it, and are tested with those.
const derived = { ...cursorErrors, ...webhookErrors };

apiTest(
  "every error that the reference lists for a procedure can be had from it",
  async ({ api, deps, make }) => {
    const owner = await make.owner();
    const session = { cookie: await api.sessionCookie(owner.email), origin: api.origin };
    const { provoke, seen } = createProvoke(api, session);
    const stage = { api, deps, make, owner, provoke };
    await provokeWebhooks(stage);
    await provokeStatements(stage);
    await provokeReferences(stage);
    await provokeDatabases(stage);
    await provokeModels(stage);
    await provokeAutomations(stage);
    await provokePeople(stage);
    const deployment = { ...deps.deployment, organizationCreation: "operator" } as const;
    await using strict = await startApi({ deps: { ...deps, deployment } });
    const elsewhere = createProvoke(strict, session);
    await elsewhere.provoke("me.createOrganization", "forbidden", { name: "Acme" });
    for (const { path, errors, samples } of everyProcedure) {
      // The ids in samples are of nothing. The last one that has some has the fewest other reasons to be refused.
      const given = errors.not_found ? samples.findLast(({ ids }) => ids.length > 0) : undefined;
      if (given) await provoke(path, "not_found", given.input);
    }

    const listed = everyProcedure.flatMap(({ path, errors }) =>
      Object.keys(errors)
        .filter((code) => !(code in derived))
        .map((code) => `${path} ${code}`),
    );
    expect(listed.filter((pair) => !seen.has(pair) && !elsewhere.seen.has(pair))).toEqual([]);
  },
);
