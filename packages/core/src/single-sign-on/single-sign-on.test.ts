import { type Caller, SaveIdentityProvider } from "@querybell/domain";
import { describe, expect } from "vitest";
import type { Deps } from "../deps.ts";
import { readCurrentAccess, readRequestCookie, resolveSession } from "../identity/index.ts";
import { acceptInvitation, createInvitation } from "../invitations/index.ts";
import { removeMember } from "../members/index.ts";
import { disablePersonAsOperator, makeSingleSignOnOptionalAsOperator } from "../operator/index.ts";
import { listMemberships, updateSettings } from "../organizations/index.ts";
import { appError } from "../testing/app-error.ts";
import { auditDuring } from "../testing/audit-during.ts";
import { dbTest } from "../testing/db-test.ts";
import { type OidcProvider, startOidcProvider } from "../testing/oidc-provider.ts";
import { signIn } from "../testing/sign-in.ts";
import {
  addDomain,
  checkDomain,
  enforceSingleSignOn,
  finishSingleSignOn,
  getSingleSignOn,
  removeDomain,
  removeIdentityProvider,
  type SingleSignOnAnswer,
  saveIdentityProvider,
  startSingleSignOn,
} from "./index.ts";

const client = { address: "192.0.2.1", userAgent: null };
const headersOf = (cookies: string[]) =>
  new Headers({ cookie: cookies.map((cookie) => cookie.split(";")[0]).join("; ") });
const refusedAs = (problem: string) => expect.objectContaining({ kind: "refused", problem });

let count = 0;
const newDomain = () => `company-${++count}.example`;

const test = dbTest
  .extend("passwordHashes", { scope: "file" }, () => "fast" as const)
  .extend("provider", { scope: "file" }, async ({ clock: _ }, { onCleanup }) => {
    const provider = await startOidcProvider();
    onCleanup(() => provider[Symbol.asyncDispose]());
    return provider;
  })
  .extend("records", { scope: "file" }, () => new Map<string, string>())
  .extend("world", { scope: "file" }, ({ deps, records }): Deps => {
    const resolveTxt = async (name: string) => [["unrelated"], [records.get(name) ?? ""]];
    return { ...deps, singleSignOn: { ...deps.singleSignOn, resolveTxt } };
  })
  /** An organization with a provider, and with a proven domain unless that is not wanted. */
  .extend("company", { scope: "file" }, ({ world, make, provider, records }) => {
    return async ({
      proves = true,
      ...settings
    }: { proves?: boolean } & Partial<SaveIdentityProvider> = {}) => {
      const owner = await make.owner();
      const domain = newDomain();
      if (proves) await proveDomain(world, owner, { domain, records });
      const { redirectUrl } = await saveProvider(world, owner, provider, settings);
      provider.allowRedirect(redirectUrl ?? "");
      const { slug } = await world.db.prisma.organization.findUniqueOrThrow({
        where: { id: owner.organizationId },
      });
      return { owner, domain, slug, organizationId: owner.organizationId };
    };
  });

const saveProvider = (
  deps: Deps,
  owner: Caller,
  provider: OidcProvider,
  settings: Partial<SaveIdentityProvider> = {},
) =>
  saveIdentityProvider(
    deps,
    owner,
    SaveIdentityProvider.parse({ issuer: provider.issuer, ...provider.client, ...settings }),
  );

async function proveDomain(
  deps: Deps,
  owner: Caller,
  { domain, records }: { domain: string; records: Map<string, string> },
) {
  const { id, record } = await addDomain(deps, owner, { domain });
  records.set(record.name, record.value);
  await checkDomain(deps, owner, { id });
}

/** Begins a sign-in, and returns what the browser brings back from the provider. */
async function visit(
  deps: Deps,
  provider: OidcProvider,
  {
    sub,
    linkTo,
    ...input
  }: { sub: string; organization?: string; linkTo?: Parameters<typeof startSingleSignOn>[2] },
) {
  const { url, cookies } = await startSingleSignOn(deps, { to: "/queries", ...input }, linkTo);
  const back = new URL(await provider.visit(url, sub));
  const token = readRequestCookie(deps, headersOf(cookies));
  const key = back.pathname.split("/")[4] ?? "";
  const callback = { key, token, path: back.pathname + back.search };
  const finish = (changes: Partial<typeof callback> = {}) =>
    finishSingleSignOn(deps, { ...callback, ...changes }, client);
  return { ...callback, back, finish };
}

/** The session of a successful sign-in. */
async function sessionOf(deps: Deps, answer: SingleSignOnAnswer) {
  if (answer.kind === "refused") throw new Error(`refused: ${answer.problem} ${String(answer.cause)}`);
  const found = await resolveSession(deps, headersOf(answer.cookies));
  if (!found) throw new Error("There is no session.");
  return found;
}

describe("the first sign-in through a provider", () => {
  test("creates an account for an address of a proven domain, which is the same one later", async ({
    world,
    provider,
    company,
  }) => {
    const { domain, slug, organizationId } = await company();
    const email = `ann@${domain}`;
    provider.accounts.set("ann", { email, email_verified: true, name: "Ann" });
    let userId = "";
    const logged = await auditDuring(world, organizationId, async () => {
      const { finish } = await visit(world, provider, { sub: "ann", organization: slug });
      const answer = await finish();
      expect(answer).toMatchObject({ kind: "signed_in", to: "/queries" });
      const { caller } = await sessionOf(world, answer);
      expect(caller).toMatchObject({ organizationId, role: "member" });
      userId = caller?.userId ?? "";
    });
    expect(logged).toMatchObject([{ action: "member.joined", targetId: userId }]);
    const user = await world.db.prisma.user.findUniqueOrThrow({ where: { id: userId } });
    expect(user).toMatchObject({ email, name: "Ann", emailVerified: true });
    // The address may change at the provider: the subject says who it is.
    provider.accounts.set("ann", { email: `ann.new@${domain}`, email_verified: true });
    const again = await sessionOf(
      world,
      await (await visit(world, provider, { sub: "ann", organization: slug })).finish(),
    );
    expect(again.person.userId).toBe(userId);
    await disablePersonAsOperator(world, { email });
    const { finish } = await visit(world, provider, { sub: "ann", organization: slug });
    expect(await finish()).toEqual(refusedAs("disabled"));
  });

  test("finds the provider by the domain of the address", async ({ world, company }) => {
    const { domain } = await company();
    const { url } = await startSingleSignOn(world, { email: `ben@${domain}`, to: "/" });
    expect(new URL(url).searchParams.get("login_hint")).toBe(`ben@${domain}`);
    await expect(startSingleSignOn(world, { email: "ben@elsewhere.example", to: "/" })).rejects.toEqual(
      appError("not_found"),
    );
  });

  test("is refused for other addresses, alike with and without an account", async ({
    world,
    provider,
    company,
    make,
  }) => {
    const { domain, slug, organizationId } = await company();
    const victim = await make.owner();
    const strangers: Record<string, Parameters<typeof provider.accounts.set>[1]> = {
      victim: { email: victim.email, email_verified: true },
      nobody: { email: "nobody@elsewhere.example", email_verified: true },
      unverified: { email: `eve@${domain}`, email_verified: false },
      below: { email: `eve@sub.${domain}`, email_verified: true },
      nameless: {},
    };
    for (const [sub, claims] of Object.entries(strangers)) {
      provider.accounts.set(sub, claims);
      const { finish } = await visit(world, provider, { sub, organization: slug });
      expect(await finish(), sub).toEqual(refusedAs("unproven"));
    }
    expect(await world.db.prisma.member.count({ where: { organizationId } })).toBe(1);
    const unproven = await company({ proves: false });
    provider.accounts.set("early", { email: `early@${unproven.domain}`, email_verified: true });
    const early = await visit(world, provider, { sub: "early", organization: unproven.slug });
    expect(await early.finish()).toEqual(refusedAs("unproven"));
  });

  test("takes over an account that somebody else has registered with the address", async ({
    world,
    provider,
    company,
    make,
  }) => {
    const { domain, slug } = await company();
    const squatter = await make.member((await make.owner()).organizationId);
    const email = `cat@${domain}`;
    await world.db.prisma.user.update({
      where: { id: squatter.userId },
      data: { email, emailVerified: false },
    });
    const theirs = await signIn(world, email);
    provider.accounts.set("cat", { email, email_verified: true });
    const { person } = await sessionOf(
      world,
      await (await visit(world, provider, { sub: "cat", organization: slug })).finish(),
    );
    expect(person.userId).toBe(squatter.userId);
    expect(await theirs.isActive()).toBe(false);
    await expect(signIn(world, email)).rejects.toEqual(appError("unauthorized"));
  });

  test("links an account that its person agreed to, while they are signed in", async ({
    world,
    provider,
    company,
    make,
  }) => {
    const { slug, organizationId } = await company();
    const member = await make.member(organizationId);
    provider.accounts.set("dan", { email: "dan@private.example" });
    const linkTo = { userId: member.userId, sessionId: member.sessionId };
    const { finish } = await visit(world, provider, { sub: "dan", organization: slug, linkTo });
    expect(await finish()).toMatchObject({ kind: "linked" });
    const later = await visit(world, provider, { sub: "dan", organization: slug });
    expect((await sessionOf(world, await later.finish())).person.userId).toBe(member.userId);
    const other = await make.member(organizationId);
    provider.accounts.set("eli", {});
    const late = await visit(world, provider, { sub: "eli", organization: slug, linkTo: other });
    await world.db.prisma.session.deleteMany({ where: { userId: other.userId } });
    expect(await late.finish()).toEqual(refusedAs("expired"));
    const outsider = await make.owner();
    const foreign = await visit(world, provider, { sub: "eli", organization: slug, linkTo: outsider });
    expect(await foreign.finish()).toEqual(refusedAs("removed"));
  });
});

describe("an answer of the provider", () => {
  test("works once, in the browser and for the provider that it was asked for", async ({
    world,
    provider,
    company,
  }) => {
    const [ours, theirs] = [await company(), await company()];
    provider.accounts.set("fay", { email: `fay@${ours.domain}`, email_verified: true });
    const first = await visit(world, provider, { sub: "fay", organization: ours.slug });
    const second = await visit(world, provider, { sub: "fay", organization: ours.slug });
    expect(await first.finish({ token: undefined })).toEqual(refusedAs("expired"));
    // The code of one sign-in with the state of another: neither the verifier nor the nonce fits.
    const mixed = new URL(second.back);
    mixed.searchParams.set("code", first.back.searchParams.get("code") ?? "");
    expect(await second.finish({ path: mixed.pathname + mixed.search })).toEqual(refusedAs("failed"));
    expect(await first.finish()).toMatchObject({ kind: "signed_in" });
    expect(await first.finish()).toEqual(refusedAs("expired"));
    // Another browser begins a sign-in, and brings the answer that was already used.
    const third = await visit(world, provider, { sub: "fay", organization: ours.slug });
    const reused = new URL(third.back);
    reused.searchParams.set("code", first.back.searchParams.get("code") ?? "");
    expect(await third.finish({ path: reused.pathname + reused.search })).toEqual(refusedAs("failed"));
    // Mix-up: the answer of one provider at the address of another.
    const fourth = await visit(world, provider, { sub: "fay", organization: ours.slug });
    const { redirectUrl } = await getSingleSignOn(world, theirs.owner);
    const key = new URL(redirectUrl ?? "").pathname.split("/")[4] ?? "";
    expect(await fourth.finish({ key })).toEqual(refusedAs("expired"));
  });

  test("is refused with another state, another issuer, or an error", async ({ world, provider, company }) => {
    const { slug, domain } = await company();
    provider.accounts.set("gil", { email: `gil@${domain}`, email_verified: true });
    const changes: ((url: URL) => void)[] = [
      (url) => url.searchParams.set("state", "another"),
      (url) => url.searchParams.delete("state"),
      (url) => url.searchParams.set("iss", "https://evil.example"),
      (url) => url.searchParams.delete("iss"),
      (url) => {
        url.searchParams.delete("code");
        url.searchParams.set("error", "access_denied");
      },
    ];
    for (const change of changes) {
      const { back, finish } = await visit(world, provider, { sub: "gil", organization: slug });
      change(back);
      expect(await finish({ path: back.pathname + back.search })).toEqual(refusedAs("failed"));
    }
  });

  test("expires after ten minutes", async ({ world, provider, company, clock }) => {
    const { slug } = await company();
    const { finish } = await visit(world, provider, { sub: "gil", organization: slug });
    await clock.advance(10 * 60_000);
    expect(await finish()).toEqual(refusedAs("expired"));
  });
});

describe("a session of an organization's provider", () => {
  test("opens only that organization, and joins no other", async ({ world, provider, company, make }) => {
    const { slug, domain, organizationId } = await company();
    const elsewhere = await make.owner();
    const person = await make.member(elsewhere.organizationId);
    await world.db.prisma.user.update({ where: { id: person.userId }, data: { email: `hal@${domain}` } });
    provider.accounts.set("hal", { email: `hal@${domain}`, email_verified: true });
    const answer = await (await visit(world, provider, { sub: "hal", organization: slug })).finish();
    const signedIn = await sessionOf(world, answer);
    expect(signedIn.person).toMatchObject({ userId: person.userId, onlyOrganizationId: organizationId });
    expect(await listMemberships(world, signedIn.person)).toMatchObject([{ organizationId }]);
    const { sessionId } = signedIn.person;
    await world.db.prisma.session.update({
      where: { id: sessionId },
      data: { activeOrganizationId: elsewhere.organizationId },
    });
    const moved = await sessionOf(world, answer);
    expect(moved.caller).toBeUndefined();
    const access = await readCurrentAccess(world, { keyIds: [], sessionIds: [sessionId] });
    expect(access.sessions.get(sessionId)).toMatchObject({ role: null });
    const { link } = await createInvitation(world, await make.owner(), {
      email: `hal@${domain}`,
      role: "owner",
    });
    const token = link.url.split("#")[1] ?? "";
    await expect(acceptInvitation(world, signedIn.person, { token })).rejects.toEqual(appError("forbidden"));
  });

  test("ends for a removed member, who does not come back through the provider", async ({
    world,
    provider,
    company,
  }) => {
    const { owner, slug, domain } = await company();
    provider.accounts.set("ida", { email: `ida@${domain}`, email_verified: true });
    const answer = await (await visit(world, provider, { sub: "ida", organization: slug })).finish();
    const { person } = await sessionOf(world, answer);
    await removeMember(world, owner, person);
    expect((await sessionOf(world, answer)).caller).toBeUndefined();
    const again = await visit(world, provider, { sub: "ida", organization: slug });
    expect(await again.finish()).toEqual(refusedAs("removed"));
  });

  test("ends with the provider", async ({ world, provider, company }) => {
    const { owner, slug, domain } = await company();
    provider.accounts.set("jan", { email: `jan@${domain}`, email_verified: true });
    const answer = await (await visit(world, provider, { sub: "jan", organization: slug })).finish();
    await removeIdentityProvider(world, owner);
    await expect(sessionOf(world, answer)).rejects.toThrow("There is no session.");
    await expect(removeIdentityProvider(world, owner)).rejects.toEqual(appError("not_found"));
  });
});

describe("roles", () => {
  test("follow the groups at the provider, if some are named, but owners stay owners", async ({
    world,
    provider,
    company,
  }) => {
    const { owner, slug, domain, organizationId } = await company({ adminGroups: ["ops"] });
    const roleWith = async (sub: string, groups: string[]) => {
      provider.accounts.set(sub, { email: `${sub}@${domain}`, email_verified: true, groups });
      const answer = await (await visit(world, provider, { sub, organization: slug })).finish();
      return (await sessionOf(world, answer)).caller?.role;
    };
    expect(await roleWith("kay", ["ops", "sales"])).toBe("admin");
    const logged = await auditDuring(world, organizationId, async () => {
      expect(await roleWith("kay", ["sales"])).toBe("member");
    });
    expect(logged.filter(({ action }) => action === "member.role_changed")).toMatchObject([
      { action: "member.role_changed", detail: { from: "admin", to: "member" } },
    ]);
    await world.db.prisma.user.update({ where: { id: owner.userId }, data: { email: `boss@${domain}` } });
    expect(await roleWith("boss", [])).toBe("owner");
  });
});

describe("an organization that demands single sign-on", () => {
  test("is opened by nothing else, until the operator helps", async ({ world, provider, company, make }) => {
    const { owner, slug, domain, organizationId } = await company();
    const password = await signIn(world, owner.email);
    await expect(enforceSingleSignOn(world, owner, { enforced: true })).rejects.toEqual(appError("conflict"));
    await world.db.prisma.user.update({ where: { id: owner.userId }, data: { email: `lea@${domain}` } });
    provider.accounts.set("lea", { email: `lea@${domain}`, email_verified: true });
    const { caller } = await sessionOf(
      world,
      await (await visit(world, provider, { sub: "lea", organization: slug })).finish(),
    );
    if (!caller) throw new Error("There is no caller.");
    await enforceSingleSignOn(world, caller, { enforced: true });
    await expect(password.getCaller()).rejects.toThrow();
    expect(await password.describe()).toMatchObject({ blocked: { organizationId, by: "single_sign_on" } });
    const member = await make.member(organizationId);
    await expect((await signIn(world, member.email)).getCaller()).rejects.toThrow();
    await makeSingleSignOnOptionalAsOperator(world, { slug });
    expect(await password.getCaller()).toMatchObject({ role: "owner" });
  });

  test("and a second factor takes the provider's word for it", async ({ world, provider, company }) => {
    const { owner, slug, domain } = await company();
    await updateSettings(world, owner, { secondFactorFor: "everybody" });
    provider.accounts.set("mia", { email: `mia@${domain}`, email_verified: true });
    const answer = await (await visit(world, provider, { sub: "mia", organization: slug })).finish();
    expect((await sessionOf(world, answer)).caller).toBeDefined();
  });
});

describe("setting up single sign-on", () => {
  test("is for owners", async ({ world, make, provider, company }) => {
    const { organizationId } = await company();
    const admin = await make.member(organizationId, "admin");
    const forbidden = appError("forbidden");
    await expect(saveProvider(world, admin, provider)).rejects.toEqual(forbidden);
    await expect(removeIdentityProvider(world, admin)).rejects.toEqual(forbidden);
    await expect(enforceSingleSignOn(world, admin, { enforced: false })).rejects.toEqual(forbidden);
    await expect(addDomain(world, admin, { domain: "x.example" })).rejects.toEqual(forbidden);
  });

  test("reaches public addresses only, and says nothing about others", async ({ world, make, provider }) => {
    const owner = await make.owner();
    for (const issuer of [
      "https://10.0.0.1",
      "https://169.254.169.254/latest",
      "http://example.com",
      "not a URL",
    ]) {
      const saved = saveIdentityProvider(
        world,
        owner,
        SaveIdentityProvider.parse({ issuer, clientId: "x", clientSecret: "y" }),
      );
      await expect(saved).rejects.toEqual(appError("invalid_request", /cannot be used/));
    }
    await expect(
      saveProvider(world, owner, provider, { issuer: `${provider.issuer}/another` }),
    ).rejects.toEqual(appError("invalid_request", /does not answer/));
    expect(await getSingleSignOn(world, owner)).toMatchObject({ provider: null });
  });

  test("keeps the secret sealed, and asks for it again with another client", async ({
    world,
    provider,
    company,
  }) => {
    const { owner, organizationId } = await company();
    const row = await world.db.prisma.identityProvider.findUniqueOrThrow({ where: { organizationId } });
    expect(JSON.stringify(row)).not.toContain(provider.client.clientSecret);
    const { issuer, client: registered } = provider;
    const save = (clientId: string) =>
      saveIdentityProvider(
        world,
        owner,
        SaveIdentityProvider.parse({ issuer, clientId, groupsClaim: "roles" }),
      );
    expect(await save(registered.clientId)).toMatchObject({ provider: { groupsClaim: "roles" } });
    await expect(save("another")).rejects.toEqual(appError("invalid_request", /secret of the client/));
  });

  test("proves a domain by its TXT record, for each organization by another one", async ({
    world,
    make,
    records,
  }) => {
    const [ours, theirs] = [await make.owner(), await make.owner()];
    const domain = newDomain();
    await proveDomain(world, ours, { domain, records });
    const { id, record } = await addDomain(world, theirs, { domain });
    const unproven = appError("domain_unproven");
    await expect(checkDomain(world, theirs, { id })).rejects.toEqual(unproven);
    await expect(checkDomain(world, ours, { id })).rejects.toEqual(appError("not_found"));
    await expect(removeDomain(world, ours, { id })).rejects.toEqual(appError("not_found"));
    records.set(record.name, record.value);
    expect(await checkDomain(world, theirs, { id })).toMatchObject({ provenAt: expect.any(String) });
    await removeDomain(world, theirs, { id });
    expect((await addDomain(world, theirs, { domain })).provenAt).toBeNull();
  });
});

describe("the deployment's provider", () => {
  const withDeployment = (deps: Deps, { issuer, client: registered }: OidcProvider, domain: string): Deps => {
    const deployment = { name: "Company", issuer, ...registered, domains: [domain], enforced: false };
    return { ...deps, singleSignOn: { ...deps.singleSignOn, deployment } };
  };

  test("signs in people of the named domains, in all their organizations", async ({
    world,
    provider,
    make,
  }) => {
    const domain = newDomain();
    const deps = withDeployment(world, provider, domain);
    provider.allowRedirect("http://localhost:4000/api/auth/oidc/deployment/callback");
    const owner = await make.owner();
    await world.db.prisma.user.update({ where: { id: owner.userId }, data: { email: `nia@${domain}` } });
    provider.accounts.set("nia", { email: `nia@${domain}`, email_verified: true });
    const signedIn = await sessionOf(deps, await (await visit(deps, provider, { sub: "nia" })).finish());
    expect(signedIn).toMatchObject({ person: { userId: owner.userId }, caller: { role: "owner" } });
    expect(signedIn.person.onlyOrganizationId).toBeUndefined();
    provider.accounts.set("oto", { email: `oto@${domain}` });
    expect(await (await visit(deps, provider, { sub: "oto" })).finish(), "not verified").toEqual(
      refusedAs("unproven"),
    );
    provider.accounts.set("oto", { email: "oto@elsewhere.example", email_verified: true });
    expect(await (await visit(deps, provider, { sub: "oto" })).finish()).toEqual(refusedAs("unproven"));
    await expect(startSingleSignOn(world, { to: "/" })).rejects.toEqual(appError("not_found"));
  });

  test("can be the only way to sign in", async ({ world, provider, make }) => {
    const deps = withDeployment(world, provider, newDomain());
    const { deployment } = deps.singleSignOn;
    if (deployment) deployment.enforced = true;
    const { email } = await make.owner();
    await expect(signIn(deps, email)).rejects.toEqual(
      appError("forbidden", /everybody signs in with Company/),
    );
  });
});
