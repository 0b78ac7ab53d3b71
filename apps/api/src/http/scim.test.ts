import type { Deps } from "@querybell/core";
import { listGroups } from "@querybell/core/groups";
import { createKey } from "@querybell/core/keys";
import { createScimToken } from "@querybell/core/scim";
import { addDomain } from "@querybell/core/single-sign-on";
import { type Caller, Scope } from "@querybell/domain";
import { describe, expect } from "vitest";
import { apiTest } from "../testing/api-test.ts";

// The requests that Okta and Microsoft Entra send, as their documentation and their connectors' tests show them.

const user = "urn:ietf:params:scim:schemas:core:2.0:User";
const enterprise = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";
const group = "urn:ietf:params:scim:schemas:core:2.0:Group";
const patchOp = "urn:ietf:params:scim:api:messages:2.0:PatchOp";

let count = 0;

async function proveDomain(deps: Deps, owner: Caller): Promise<string> {
  const domain = `provisioned-${++count}.example`;
  const { id } = await addDomain(deps, owner, { domain });
  await deps.db.prisma.organizationDomain.update({ where: { id }, data: { provenAt: deps.clock.now() } });
  return domain;
}

const test = apiTest
  .extend("passwordHashes", { scope: "file" }, () => "fast" as const)
  .extend("connect", { scope: "file" }, ({ api, deps, make }) => async () => {
    const owner = await make.owner();
    const domain = await proveDomain(deps, owner);
    const { text } = await createScimToken(deps, owner);
    const send = async (method: string, path: string, body?: object, token = text) => {
      const answer = await api.fetch(`/api/scim/v2${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body && { "content-type": "application/scim+json" }),
        },
        ...(body && { body: JSON.stringify(body) }),
      });
      const content = await answer.text();
      return {
        status: answer.status,
        type: answer.headers.get("content-type"),
        body: content && JSON.parse(content),
      };
    };
    const { organizationId } = owner;
    const isMember = async (email: string) =>
      (await deps.db.prisma.member.count({ where: { organizationId, user: { email } } })) === 1;
    const patch = (path: string, ...Operations: object[]) =>
      send("PATCH", path, { schemas: [patchOp], Operations });
    return { owner, domain, send, patch, isMember, organizationId };
  });

describe("Okta", () => {
  test("finds, creates, updates, disables and enables a person", async ({ connect, api, deps }) => {
    const { domain, send, patch, isMember, organizationId } = await connect();
    const email = `ann@${domain}`;
    const filter = encodeURIComponent(`userName eq "${email}"`);
    const none = await send("GET", `/Users?filter=${filter}&startIndex=1&count=100`);
    expect(none).toMatchObject({ status: 200, body: { totalResults: 0, Resources: [], startIndex: 1 } });
    expect(none.type).toMatch(/^application\/scim\+json/);
    const created = await send("POST", "/Users", {
      schemas: [user],
      userName: email,
      name: { givenName: "Ann", familyName: "Lee" },
      emails: [{ primary: true, value: email, type: "work" }],
      displayName: "Ann Lee",
      locale: "en-US",
      externalId: "00u1a2b3",
      groups: [],
      password: "1mz050nq",
      active: true,
    });
    expect(created).toMatchObject({
      status: 201,
      body: {
        schemas: [user],
        userName: email,
        externalId: "00u1a2b3",
        active: true,
        meta: { resourceType: "User" },
      },
    });
    const { id, meta } = created.body;
    expect(meta.location).toBe(`http://localhost:4000/api/scim/v2/Users/${id}`);
    expect(await isMember(email)).toBe(true);
    expect(
      (await send("POST", "/Users", { schemas: [user], userName: email.toUpperCase() })).body,
    ).toMatchObject({
      status: "409",
      scimType: "uniqueness",
    });
    const found = await send("GET", `/Users?filter=${filter.toUpperCase()}`);
    expect(found.body.totalResults).toBe(1);
    const renamed = await send("PUT", `/Users/${id}`, {
      ...created.body,
      name: { givenName: "Anna", familyName: "Lee" },
      displayName: "Anna Lee",
    });
    expect(renamed).toMatchObject({ status: 200, body: { displayName: "Anna Lee", active: true } });

    const { userId } = await deps.db.prisma.scimUser.findUniqueOrThrow({ where: { id } });
    const member: Caller = {
      userId: userId ?? "",
      organizationId,
      role: "member",
      via: { kind: "session", sessionId: id },
    };
    const { key } = await createKey(deps, member, { name: "Key", scopes: [...Scope.options] });
    expect((await api.fetch("/api/key", { headers: { authorization: `Bearer ${key}` } })).status).toBe(200);
    await deps.db.prisma.session.create({
      data: {
        ...{ id, userId: userId ?? "", token: id, createdAt: new Date(), updatedAt: new Date() },
        expiresAt: new Date(Date.now() + 60_000),
      },
    });
    const disabled = await patch(`/Users/${id}`, { op: "replace", value: { active: false } });
    expect(disabled).toMatchObject({ status: 200, body: { active: false } });
    expect(await isMember(email)).toBe(false);
    expect((await api.fetch("/api/key", { headers: { authorization: `Bearer ${key}` } })).status).toBe(401);
    expect(await deps.db.prisma.session.count({ where: { userId: userId ?? "" } })).toBe(0);
    await patch(`/Users/${id}`, { op: "replace", value: { active: true } });
    expect(await isMember(email)).toBe(true);
    expect((await send("GET", `/Users/${id}`)).body.active).toBe(true);
  });

  test("pushes a group, its members and its name", async ({ connect, deps }) => {
    const { owner, domain, send, patch } = await connect();
    const ids: string[] = [];
    for (const name of ["a", "b", "c"]) {
      ids.push((await send("POST", "/Users", { userName: `${name}@${domain}`, active: true })).body.id);
    }
    const [a = "", b = "", c = ""] = ids;
    const created = await send("POST", "/Groups", {
      schemas: [group],
      displayName: "Sales",
      members: [{ value: a }],
    });
    expect(created).toMatchObject({ status: 201, body: { displayName: "Sales", members: [{ value: a }] } });
    const path = `/Groups/${created.body.id}`;
    await patch(path, { op: "add", path: "members", value: [{ value: b, display: "b" }, { value: c }] });
    await patch(path, { op: "remove", path: `members[value eq "${a}"]` });
    await patch(path, { op: "replace", value: { id: created.body.id, displayName: "Sales team" } });
    const changed = (await send("GET", path)).body;
    expect(changed.displayName).toBe("Sales team");
    expect(changed.members.map(({ value }: { value: string }) => value).toSorted()).toEqual(
      [b, c].toSorted(),
    );
    await patch(path, { op: "replace", path: "members", value: [{ value: a }] });
    expect((await send("GET", path)).body.members).toMatchObject([{ value: a }]);
    expect(await listGroups(deps, owner)).toMatchObject([{ name: "Sales team", memberCount: 1 }]);
    expect((await send("DELETE", path)).status).toBe(204);
    expect((await send("GET", path)).status).toBe(404);
    expect(await listGroups(deps, owner)).toEqual([]);
  });
});

describe("Entra", () => {
  test("creates, updates and disables a person", async ({ connect }) => {
    const { domain, send, patch, isMember } = await connect();
    const email = `Ben@${domain}`;
    const created = await send("POST", "/Users", {
      schemas: [user, enterprise],
      externalId: "ben",
      userName: email,
      active: true,
      emails: [{ primary: true, type: "work", value: email }],
      meta: { resourceType: "User" },
      name: { formatted: "Ben Ray", familyName: "Ray", givenName: "Ben" },
      roles: [],
      [enterprise]: { department: "Sales" },
    });
    expect(created).toMatchObject({ status: 201, body: { userName: email, name: { givenName: "Ben" } } });
    const path = `/Users/${created.body.id}`;
    const changed = await patch(
      path,
      { op: "Replace", path: "displayName", value: "Ben Rayleigh" },
      { op: "Add", path: "name.familyName", value: "Rayleigh" },
      { op: "Replace", path: `${enterprise}:department`, value: "Support" },
      { op: "Replace", path: 'emails[type eq "work"].value', value: email },
    );
    expect(changed).toMatchObject({
      status: 200,
      body: { displayName: "Ben Rayleigh", name: { familyName: "Rayleigh" }, active: true },
    });
    await patch(path, { op: "Replace", path: "active", value: "False" });
    expect(await isMember(email.toLowerCase())).toBe(false);
    await patch(path, { op: "Replace", path: "active", value: "True" });
    expect(await isMember(email.toLowerCase())).toBe(true);
    expect((await send("DELETE", path)).status).toBe(204);
    expect(await isMember(email.toLowerCase())).toBe(false);
    expect((await send("GET", path)).body).toMatchObject({ status: "404" });
  });

  test("adds and removes members of a group, which it finds without them", async ({ connect, deps }) => {
    const { owner, domain, send, patch } = await connect();
    const { id: member } = (await send("POST", "/Users", { userName: `cat@${domain}` })).body;
    const { id } = (
      await send("POST", "/Groups", { schemas: [group], externalId: "8aa1", displayName: "Ops", members: [] })
    ).body;
    expect(await listGroups(deps, owner)).toMatchObject([{ name: "Ops", source: "scim", memberCount: 0 }]);
    await patch(`/Groups/${id}`, { op: "Add", path: "members", value: [{ $ref: null, value: member }] });
    const filter = encodeURIComponent('displayName eq "ops"');
    const found = await send("GET", `/Groups?excludedAttributes=members&filter=${filter}`);
    expect(found.body).toMatchObject({ totalResults: 1, Resources: [{ id, externalId: "8aa1" }] });
    expect(found.body.Resources[0].members).toBeUndefined();
    expect((await send("GET", `/Groups/${id}`)).body.members).toHaveLength(1);
    await patch(`/Groups/${id}`, { op: "Remove", path: "members", value: [{ $ref: null, value: member }] });
    expect((await send("GET", `/Groups/${id}`)).body.members).toEqual([]);
    await patch(`/Groups/${id}`, { op: "Replace", path: "displayName", value: "Operations" });
    expect((await send("GET", `/Groups/${id}`)).body.displayName).toBe("Operations");
  });
});

describe("provisioning", () => {
  test("lists pages", async ({ connect }) => {
    const { domain, send } = await connect();
    for (let n = 0; n < 5; n++) await send("POST", "/Users", { userName: `p${n}@${domain}` });
    const page = (await send("GET", "/Users?startIndex=4&count=3")).body;
    expect(page).toMatchObject({ totalResults: 5, startIndex: 4, itemsPerPage: 2 });
    expect((await send("GET", "/Users?startIndex=0&count=0")).body).toMatchObject({
      totalResults: 5,
      Resources: [],
    });
    expect((await send("GET", "/ServiceProviderConfig")).body.patch).toEqual({ supported: true });
    expect((await send("GET", "/ResourceTypes")).body.totalResults).toBe(2);
  });

  test("of another organization sees and changes nothing", async ({ connect }) => {
    const [ours, theirs] = [await connect(), await connect()];
    const { id } = (await theirs.send("POST", "/Users", { userName: `dan@${theirs.domain}` })).body;
    const theirGroup = (await theirs.send("POST", "/Groups", { displayName: "G", members: [{ value: id }] }))
      .body;
    for (const path of [`/Users/${id}`, `/Groups/${theirGroup.id}`, "/Users/not-an-id"]) {
      for (const method of ["GET", "DELETE"]) expect((await ours.send(method, path)).status).toBe(404);
      expect((await ours.patch(path, { op: "replace", value: { active: false } })).status).toBe(404);
    }
    const { id: mine } = (await ours.send("POST", "/Groups", { displayName: "Mine" })).body;
    const members = [{ value: id }];
    for (const refused of [
      await ours.send("POST", "/Groups", { displayName: "Other", members }),
      await ours.send("POST", "/Groups", { displayName: "Other", members: [{ value: "nobody" }] }),
      await ours.send("PUT", `/Groups/${mine}`, { displayName: "Mine", members }),
      await ours.patch(`/Groups/${mine}`, { op: "add", path: "members", value: members }),
    ]) {
      expect(refused).toMatchObject({ status: 400, body: { scimType: "invalidValue" } });
    }
    expect((await ours.send("GET", "/Groups")).body).toMatchObject({
      Resources: [{ id: mine, members: [] }],
    });
    expect((await ours.send("GET", "/Users")).body.totalResults).toBe(0);
    expect((await theirs.send("GET", `/Groups/${theirGroup.id}`)).body.members).toHaveLength(1);
  });

  test("adds nobody whose address is not of a proven domain, alike with and without an account", async ({
    connect,
    make,
  }) => {
    const { send, owner } = await connect();
    const victim = await make.owner();
    const answers = [];
    for (const email of [victim.email, "nobody@elsewhere.example"]) {
      const { status, body } = await send("POST", "/Users", { userName: email });
      answers.push([status, body.scimType, body.detail.replace(email, "")]);
    }
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]).toMatchObject([400, "invalidValue", expect.stringContaining("Prove")]);
    // A member who is there already is linked, and is not another's.
    const member = await make.member(owner.organizationId);
    expect((await send("POST", "/Users", { userName: member.email })).status).toBe(201);
  });

  test("does not remove the last owner, and refuses what it cannot read", async ({ connect }) => {
    const { send, patch, owner, isMember } = await connect();
    const { id } = (await send("POST", "/Users", { userName: owner.email })).body;
    expect(await patch(`/Users/${id}`, { op: "replace", value: { active: false } })).toMatchObject({
      status: 409,
      body: { status: "409", detail: expect.stringContaining("owner") },
    });
    expect(await isMember(owner.email)).toBe(true);
    const wrong = [
      await send("POST", "/Users", { active: true }),
      await send("POST", "/Users", { userName: "no address" }),
      await send("GET", "/Users?filter=userName%20co%20%22a%22"),
      await patch(`/Users/${id}`, { op: "jump" }),
      await patch(`/Users/${id}`, { op: "replace", path: "active", value: "perhaps" }),
      await patch(`/Users/${id}`, { op: "replace", path: "userName", value: "another@example.test" }),
    ];
    for (const { status, body } of wrong)
      expect([status, body.schemas]).toEqual([400, [expect.stringContaining("Error")]]);
  });

  test("needs the organization's token: no key, no session, no earlier token", async ({
    connect,
    api,
    deps,
    makeKey,
  }) => {
    const { send, owner } = await connect();
    const { key } = await makeKey(owner);
    for (const token of ["", "qbscim_wrong", key]) {
      expect((await send("GET", "/Users", undefined, token)).body).toMatchObject({ status: "401" });
    }
    const cookie = await api.sessionCookie(owner.email);
    expect((await api.fetch("/api/scim/v2/Users", { headers: { cookie } })).status).toBe(401);
    await createScimToken(deps, owner);
    expect((await send("GET", "/Users")).status).toBe(401);
    const stored = await deps.db.prisma.scimToken.findUniqueOrThrow({
      where: { organizationId: owner.organizationId },
    });
    expect(JSON.stringify(stored)).not.toContain("qbscim_");
  });
});
