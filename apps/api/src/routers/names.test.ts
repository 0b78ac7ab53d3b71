import { createInvitation } from "@querybell/core/invitations";
import { createReference } from "@querybell/core/references";
import { testPassword } from "@querybell/core/testing";
import { expect } from "vitest";
import { apiError } from "../testing/api-error.ts";
import { apiTest } from "../testing/api-test.ts";

const refused = apiError("invalid_request", /must be in one line/);

apiTest(
  "a name with a line break or a change of direction is refused, whatever it names",
  async ({ api, make, makeKey, deps }) => {
    const owner = await make.owner();
    const client = await api.signedIn(owner);
    await deps.db.prisma.organization.update({
      where: { id: owner.organizationId },
      data: { webhooksEnabled: true },
    });
    const { id: analyticalDatabaseConfigId } = await make.database(owner);
    const query = await make.query(owner, "SELECT 1");
    const { shortId } = await make.reference(owner, "SELECT 1");
    const automation = await make.automation(owner, { references: [{ shortId }] });
    const { link } = await createInvitation(deps, owner, { email: "named@example.test", role: "member" });
    const token = link.url.split("#")[1] ?? "";
    const { key } = await makeKey(owner, { scopes: ["references:write", "uploads:write"] });
    for (const name of ["Revenue\r\nBcc: all", "evil\u202egpj.exe"]) {
      const calls = {
        organization: () => client.settings.update.mutate({ name }),
        person: () => client.me.updateProfile.mutate({ name }),
        newPerson: () =>
          api.asNobody().invitations.accept.mutate({ token, account: { name, password: testPassword } }),
        key: () => client.keys.create.mutate({ name, scopes: ["queries:run"] }),
        database: () => client.databases.update.mutate({ id: analyticalDatabaseConfigId, name }),
        query: () => client.queries.create.mutate({ sql: "SELECT 1", analyticalDatabaseConfigId, name }),
        renamedQuery: () => client.queries.update.mutate({ id: query.id, name }),
        reference: () => client.references.update.mutate({ shortId, title: name }),
        parameter: () =>
          client.references.update.mutate({
            shortId,
            parameters: [{ name: "n", displayName: name, type: "string", description: "" }],
          }),
        automation: () => client.automations.update.mutate({ id: automation.id, name }),
        endpoint: () =>
          client.webhookEndpoints.create.mutate({
            url: "https://example.com/",
            description: name,
            eventTypes: ["automation.run.completed"],
          }),
      };
      for (const [what, call] of Object.entries(calls)) await expect(call(), what).rejects.toEqual(refused);
      const authorization = `Bearer ${key}`;
      const overRest = await api.fetch(`/api/queries/refs/${shortId}`, {
        method: "PUT",
        headers: { authorization, "content-type": "application/json" },
        body: JSON.stringify({ title: name }),
      });
      expect([overRest.status, await overRest.json()]).toMatchObject([
        400,
        {
          code: "invalid_request",
          errors: [{ path: "title", message: expect.stringContaining("one line") }],
        },
      ]);
      const upload = await api.fetch(`/api/uploads?name=${encodeURIComponent(name)}`, {
        method: "POST",
        headers: { authorization, "content-type": "text/csv" },
        body: "a\n1\n",
      });
      expect([upload.status, await upload.json()]).toMatchObject([400, { code: "invalid_request" }]);
    }
  },
);

apiTest("a name that was stored before stays readable", async ({ api, make, deps }) => {
  const owner = await make.owner();
  const client = await api.signedIn(owner);
  const { id: queryId } = await make.query(owner, "SELECT 1");
  const name = "Two\nlines\u202e";
  const stored = { displayName: name, name: "n", type: "string", description: "" } as const;
  const { shortId } = await createReference(deps, owner, { queryId, title: name, parameters: [stored] });
  await deps.db.prisma.query.update({ where: { id: queryId }, data: { name } });
  expect(await client.references.get.query({ shortId })).toMatchObject({ title: name, parameters: [stored] });
  expect(await client.queries.get.query({ id: queryId })).toMatchObject({ name });
  const { organizationId } = owner;
  await deps.db.prisma.organization.update({
    where: { id: organizationId },
    data: { webhooksEnabled: true },
  });
  const settings = { url: "http://127.0.0.1:9/", eventTypes: ["automation.run.completed" as const] };
  const endpoint = await client.webhookEndpoints.create.mutate(settings);
  await deps.db.prisma.webhookEndpoint.update({ where: { id: endpoint.id }, data: { description: name } });
  expect(await client.webhookEndpoints.get.query({ id: endpoint.id })).toMatchObject({ description: name });
  await expect(client.references.update.mutate({ shortId, description: "Changed" })).resolves.toMatchObject({
    title: name,
  });
});
