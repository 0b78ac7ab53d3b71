import { createHash, randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Caller, ConnectionDays, ConnectionRequest, Scope } from "@querybell/domain";
import { describe, expect, onTestFinished } from "vitest";
import { createKeyCache, createKeyVerifier, listKeys } from "../keys/index.ts";
import { changeRole, removeMember } from "../members/index.ts";
import { purgeExpiredIdentity } from "../retention/index.ts";
import { appError } from "../testing/app-error.ts";
import { requireSubscribed, subscriptionTest } from "../testing/subscription-test.ts";
import {
  approveConnection,
  describeRequest,
  disconnectProgram,
  issueTokens,
  listOwnPrograms,
  listPrograms,
  registerClient,
  revokeProgram,
  revokeToken,
} from "./index.ts";

const hourMs = 60 * 60 * 1000;
const dayMs = 24 * hourMs;
const redirectUri = "http://127.0.0.1:5000/callback";

const refusedWith = (code: string) => expect.objectContaining({ name: "OAuthError", code });

const test = subscriptionTest
  .extend("connect", { scope: "file" }, ({ deps }) => {
    /** A program that asks this person for access. */
    return async (person: Caller, given: Partial<ConnectionRequest> = {}) => {
      const metadata = { client_name: "Assistant", redirect_uris: ["http://127.0.0.1/callback"] };
      const { clientId } = await registerClient(deps, metadata);
      const verifier = randomBytes(32).toString("base64url");
      const request: ConnectionRequest = {
        ...{ client_id: clientId, redirect_uri: redirectUri, response_type: "code", state: "s" },
        code_challenge: createHash("sha256").update(verifier).digest("base64url"),
        code_challenge_method: "S256",
        scope: "queries:read queries:run automations:read events:subscribe",
        ...given,
      };
      const approve = async (scopes: Scope[] = ["queries:read"], days: ConnectionDays = 90) => {
        const { url } = await approveConnection(deps, person, { request, scopes, days });
        return new URL(url).searchParams.get("code") ?? "";
      };
      const exchange = (code: string, changed: Record<string, string> = {}) =>
        issueTokens(deps, {
          ...{ grant_type: "authorization_code", code, client_id: clientId },
          ...{ redirect_uri: redirectUri, code_verifier: verifier, ...changed },
        });
      const refresh = (token: string, changed: Record<string, string> = {}) =>
        issueTokens(deps, {
          ...{ grant_type: "refresh_token", refresh_token: token, client_id: clientId, ...changed },
        });
      return { clientId, request, verifier, approve, exchange, refresh };
    };
  })
  .extend("connected", { scope: "file" }, ({ connect }) => {
    return async (person: Caller, scopes: Scope[] = ["queries:read"], days: ConnectionDays = 90) => {
      const program = await connect(person);
      const tokens = await program.exchange(await program.approve(scopes, days));
      return { ...program, tokens };
    };
  })
  /** As the process that makes a change, and as another one. */
  .extend("verify", ({ deps }, { onCleanup }) => {
    const onError = () => expect.unreachable();
    const here = createKeyVerifier({ ...deps, onError });
    const elsewhere = createKeyVerifier({ ...deps, keyCache: createKeyCache(deps), onError });
    onCleanup(async () => {
      await Promise.all([here.close(), elsewhere.close()]);
    });
    return { here: here.verifyToken, elsewhere: elsewhere.verifyToken, key: here.verify };
  })
  .extend("auditOf", { scope: "file" }, ({ deps }) => async ({ organizationId }: Caller) => {
    const rows = await deps.db.prisma.auditEntry.findMany({
      where: { organizationId, action: { startsWith: "program." } },
      orderBy: { id: "asc" },
    });
    return rows.map(({ action, actorUserId, detail }) => ({ action, actorUserId, detail }));
  });

describe("connecting a program", () => {
  test("gives it the rights of the person, within the scopes and for the time that they chose", async ({
    make,
    deps,
    connect,
    verify,
    auditOf,
    clock,
  }) => {
    const owner = await make.owner();
    const { request, approve, exchange } = await connect(owner);
    expect(await describeRequest(deps, owner, request)).toEqual({
      kind: "asks",
      program: { name: "Assistant", host: "this computer" },
      scopes: ["queries:read", "queries:run", "automations:read", "events:subscribe"],
      denyUrl: expect.stringMatching(/\?error=access_denied&.*state=s&iss=http/),
    });
    const code = await approve(["queries:run", "queries:read"], 7);
    expect(await listPrograms(deps, owner)).toEqual([]);
    const tokens = await exchange(code);
    expect(tokens).toMatchObject({
      token_type: "Bearer",
      expires_in: 3600,
      scope: "queries:run queries:read",
    });
    const { organizationId, userId } = owner;
    const [program] = await listPrograms(deps, owner);
    expect(program).toMatchObject({
      program: { name: "Assistant", host: "this computer" },
      owner: { userId },
      expiresAt: new Date(clock.now().getTime() + 7 * dayMs).toISOString(),
    });
    expect(await verify.here(tokens.access_token)).toEqual({
      ...{ organizationId, userId, role: "owner" },
      via: { kind: "key", keyId: program?.id, scopes: ["queries:run", "queries:read"], isNarrowed: false },
    });
    expect(await auditOf(owner)).toMatchObject([
      { action: "program.connected", actorUserId: userId, detail: { name: "Assistant" } },
    ]);
    // It is no API key, and neither are its tokens.
    expect(await listKeys(deps, owner)).toEqual([]);
    for (const text of [tokens.access_token, tokens.refresh_token]) {
      expect(await verify.key(text)).toBeUndefined();
    }
    expect(await verify.here(tokens.refresh_token)).toBeUndefined();
    const stored = await deps.db.pool.query("SELECT t::text FROM oauth_tokens t");
    expect(JSON.stringify(stored.rows)).not.toContain(tokens.access_token.slice(4));
  });

  test("offers no scope that the role does not allow, and gives none that was not asked for", async ({
    make,
    deps,
    connect,
  }) => {
    const owner = await make.owner();
    const viewer = await make.member(owner.organizationId, "viewer");
    const scope = "queries:read references:write sql:run uploads:write offline_access";
    const { request } = await connect(viewer, { scope });
    expect(await describeRequest(deps, viewer, request)).toMatchObject({ scopes: ["queries:read"] });
    expect(await describeRequest(deps, owner, request)).toMatchObject({
      scopes: ["queries:read", "references:write", "sql:run"],
    });
    for (const scopes of [["references:write"], ["queries:read", "queries:run"]] satisfies Scope[][]) {
      await expect(approveConnection(deps, viewer, { request, scopes, days: 7 })).rejects.toEqual(
        appError("invalid_request"),
      );
    }
    const { request: none } = await connect(viewer, { scope: "references:write" });
    expect(await describeRequest(deps, viewer, none)).toMatchObject({ kind: "refused" });
    const { request: silent } = await connect(viewer, { scope: "" });
    expect(await describeRequest(deps, viewer, silent)).toMatchObject({
      scopes: ["queries:read", "queries:run", "references:read", "automations:read"],
    });
  });

  test("sends nothing to an address that the program has not registered", async ({ make, deps, connect }) => {
    const owner = await make.owner();
    for (const foreign of ["https://evil.example/", "http://127.0.0.1:5000/other", undefined]) {
      const { request } = await connect(owner, { redirect_uri: foreign });
      await expect(describeRequest(deps, owner, request)).rejects.toEqual(appError("invalid_request"));
      const approval = { request, scopes: ["queries:read" as const], days: 7 as const };
      await expect(approveConnection(deps, owner, approval)).rejects.toEqual(appError("invalid_request"));
    }
    for (const unknown of [
      crypto.randomUUID(),
      "nobody",
      "https://",
      "https://example.com",
      "https://a b/c",
    ]) {
      const { request } = await connect(owner, { client_id: unknown });
      await expect(describeRequest(deps, owner, request)).rejects.toEqual(appError("not_found"));
    }
  });

  test.for<[string, Partial<ConnectionRequest>]>([
    ["without PKCE", { code_challenge: undefined }],
    ["with plain PKCE", { code_challenge_method: "plain" }],
    ["with PKCE of no method, which means plain", { code_challenge_method: undefined }],
    ["for a token at once", { response_type: "token" }],
    ["for another resource", { resource: "https://other.example/mcp" }],
  ])("is refused %s", async ([, given], { make, deps, connect }) => {
    const owner = await make.owner();
    const { request } = await connect(owner, given);
    expect(await describeRequest(deps, owner, request)).toMatchObject({
      kind: "refused",
      returnUrl: expect.stringContaining(`${redirectUri}?error=`),
    });
    const approval = { request, scopes: ["queries:read" as const], days: 7 as const };
    await expect(approveConnection(deps, owner, approval)).rejects.toEqual(appError("invalid_request"));
  });

  test("without a state gives a code that only the program can use", async ({ make, deps, connect }) => {
    const owner = await make.owner();
    const { request, exchange } = await connect(owner, { state: undefined });
    const approval = { request, scopes: ["queries:read" as const], days: 7 as const };
    const { searchParams } = new URL((await approveConnection(deps, owner, approval)).url);
    expect([...searchParams.keys()]).toEqual(["code", "iss"]);
    const victim = await connect(owner);
    // Somebody else's code, slipped into another program's answer.
    await expect(victim.exchange(searchParams.get("code") ?? "")).rejects.toEqual(
      refusedWith("invalid_grant"),
    );
    await expect(exchange(searchParams.get("code") ?? "")).resolves.toMatchObject({ token_type: "Bearer" });
  });
});

describe("a code", () => {
  test.for<[string, Record<string, string>, string]>([
    ["another verifier", { code_verifier: "x".repeat(43) }, "invalid_grant"],
    ["no verifier", { code_verifier: "" }, "invalid_grant"],
    ["another address", { redirect_uri: "http://127.0.0.1:5001/callback" }, "invalid_grant"],
    ["another program", { client_id: crypto.randomUUID() }, "invalid_grant"],
    ["another resource", { resource: "https://other.example/mcp" }, "invalid_target"],
    ["another kind of grant", { grant_type: "client_credentials" }, "unsupported_grant_type"],
  ])("is refused with %s", async ([, changed, code], { make, connect }) => {
    const { approve, exchange } = await connect(await make.owner());
    await expect(exchange(await approve(), changed)).rejects.toEqual(refusedWith(code));
  });

  test("works once: a second use ends what the first one has got", async ({
    make,
    connect,
    verify,
    auditOf,
  }) => {
    const owner = await make.owner();
    const { approve, exchange } = await connect(owner);
    const code = await approve();
    const attempts = await Promise.allSettled([exchange(code), exchange(code)]);
    const tokens = attempts.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    expect(tokens).toHaveLength(1);
    expect(await verify.here(tokens[0]?.access_token ?? "")).toBeUndefined();
    await expect(exchange(code)).rejects.toEqual(refusedWith("invalid_grant"));
    expect(await auditOf(owner)).toMatchObject([
      { action: "program.connected" },
      { action: "program.disconnected", detail: { reason: "code_used_twice" } },
    ]);
  });

  test("expires after five minutes", async ({ make, connect, clock }) => {
    const { approve, exchange } = await connect(await make.owner());
    const code = await approve();
    await clock.advance(5 * 60 * 1000);
    await expect(exchange(code)).rejects.toEqual(refusedWith("invalid_grant"));
  });

  test("is worth nothing once the person has left", async ({ make, deps, connect }) => {
    const owner = await make.owner();
    const member = await make.member(owner.organizationId);
    const { approve, exchange } = await connect(member);
    const code = await approve();
    await removeMember(deps, owner, { userId: member.userId });
    await expect(exchange(code)).rejects.toEqual(refusedWith("invalid_grant"));
  });
});

describe("a token", () => {
  test("is renewed for another one, within the scopes and until the program is disconnected", async ({
    make,
    connected,
    verify,
    clock,
  }) => {
    const { tokens, refresh } = await connected(await make.owner(), ["queries:read"], 7);
    await clock.advance(hourMs);
    expect(await verify.here(tokens.access_token)).toBeUndefined();
    const widened = refresh(tokens.refresh_token, { scope: "queries:read queries:run" });
    await expect(widened).rejects.toEqual(refusedWith("invalid_scope"));
    const elsewhere = refresh(tokens.refresh_token, { resource: "https://other.example/mcp" });
    await expect(elsewhere).rejects.toEqual(refusedWith("invalid_target"));
    const stolen = refresh(tokens.refresh_token, { client_id: crypto.randomUUID() });
    await expect(stolen).rejects.toEqual(refusedWith("invalid_grant"));
    const renewed = await refresh(tokens.refresh_token);
    expect(await verify.here(renewed.access_token)).toMatchObject({ via: { scopes: ["queries:read"] } });
    await clock.advance(7 * dayMs - hourMs - 1000);
    await expect(refresh(renewed.refresh_token)).resolves.toMatchObject({ expires_in: 1 });
    await clock.advance(1000);
    await expect(refresh(renewed.refresh_token)).rejects.toEqual(refusedWith("invalid_grant"));
  });

  test("that is renewed twice ends the grant: somebody else has it", async ({
    make,
    connected,
    verify,
    auditOf,
  }) => {
    const owner = await make.owner();
    const { tokens, refresh } = await connected(owner);
    const attempts = await Promise.allSettled([refresh(tokens.refresh_token), refresh(tokens.refresh_token)]);
    const renewed = attempts.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    expect(renewed).toHaveLength(1);
    expect(await verify.here(renewed[0]?.access_token ?? "")).toBeUndefined();
    const next = refresh(renewed[0]?.refresh_token ?? "");
    await expect(next).rejects.toEqual(refusedWith("invalid_grant"));
    expect(await auditOf(owner)).toMatchObject([
      { action: "program.connected" },
      { action: "program.disconnected", detail: { reason: "refresh_token_used_twice" } },
    ]);
  });

  test("can be given back by its program, and by no other", async ({ make, deps, connected, verify }) => {
    const { tokens, clientId } = await connected(await make.owner());
    await revokeToken(deps, { token: tokens.refresh_token, client_id: crypto.randomUUID() });
    expect(await verify.here(tokens.access_token)).toBeDefined();
    await revokeToken(deps, { token: tokens.refresh_token, client_id: clientId });
    expect(await verify.here(tokens.access_token)).toBeUndefined();
  });
});

describe("a connected program", () => {
  test("is refused within five seconds once its person or an admin has disconnected it", async ({
    make,
    deps,
    connected,
    verify,
    clock,
    auditOf,
  }) => {
    const owner = await make.owner();
    const member = await make.member(owner.organizationId);
    for (const disconnect of [
      (id: string) => disconnectProgram(deps, member, { id }),
      (id: string) => revokeProgram(deps, owner, { id }),
    ]) {
      const { tokens, refresh } = await connected(member);
      const [program] = await listOwnPrograms(deps, member);
      expect(await verify.elsewhere(tokens.access_token)).toBeDefined();
      await disconnect(program?.id ?? "");
      expect(await verify.here(tokens.access_token)).toBeUndefined();
      await clock.advance(5000);
      expect(await verify.elsewhere(tokens.access_token)).toBeUndefined();
      await expect(refresh(tokens.refresh_token)).rejects.toEqual(refusedWith("invalid_grant"));
      expect(await listPrograms(deps, owner)).toEqual([]);
    }
    expect(await auditOf(owner)).toMatchObject([
      { action: "program.connected", actorUserId: member.userId },
      { action: "program.disconnected", actorUserId: member.userId, detail: { reason: "person" } },
      { action: "program.connected", actorUserId: member.userId },
      { action: "program.disconnected", actorUserId: owner.userId, detail: { reason: "admin" } },
    ]);
  });

  test("has the role of its person, and ends with the membership", async ({
    make,
    deps,
    connected,
    verify,
    clock,
  }) => {
    const owner = await make.owner();
    const member = await make.member(owner.organizationId);
    const { tokens } = await connected(member);
    expect(await verify.elsewhere(tokens.access_token)).toMatchObject({ role: "member" });
    await changeRole(deps, owner, { userId: member.userId, role: "viewer" });
    expect(await verify.here(tokens.access_token)).toMatchObject({ role: "viewer" });
    await removeMember(deps, owner, { userId: member.userId });
    expect(await verify.here(tokens.access_token)).toBeUndefined();
    await clock.advance(5000);
    expect(await verify.elsewhere(tokens.access_token)).toBeUndefined();
  });

  test("belongs to one organization, and to one person", async ({ make, deps, connected }) => {
    const [owner, other] = [await make.owner(), await make.owner()];
    const member = await make.member(owner.organizationId);
    await connected(owner);
    const [program] = await listPrograms(deps, owner);
    const id = program?.id ?? "";
    expect(await listPrograms(deps, other)).toEqual([]);
    await expect(revokeProgram(deps, other, { id })).rejects.toEqual(appError("not_found"));
    await expect(disconnectProgram(deps, member, { id })).rejects.toEqual(appError("not_found"));
    // A session of another organization's provider.
    const limited = { ...owner, onlyOrganizationId: other.organizationId };
    expect(await listOwnPrograms(deps, limited)).toEqual([]);
    await expect(disconnectProgram(deps, limited, { id })).rejects.toEqual(appError("not_found"));
  });

  test("gets no more events once it is disconnected", async ({
    deps,
    connected,
    verify,
    programs,
    hooks,
  }) => {
    const owner = await hooks.owner();
    const { tokens } = await connected(owner, ["automations:read", "events:subscribe"]);
    const caller = await verify.here(tokens.access_token);
    if (!caller) throw new Error("The token is refused.");
    const receiver = await programs.receiver();
    const { subscriptionId } = requireSubscribed(await programs.subscriberOf(caller)(receiver.url));
    const stateOf = async () =>
      (await deps.db.prisma.webhookEndpoint.findFirst({ where: { subscriptionId } }))?.state;
    expect(await stateOf()).toBe("enabled");
    const [program] = await listPrograms(deps, owner);
    await revokeProgram(deps, owner, { id: program?.id ?? "" });
    expect(await stateOf()).toBe("deleted");
  });
});

describe("a program", () => {
  test.for<[string, unknown]>([
    ["no address", { client_name: "Assistant" }],
    ["an address of another kind", { redirect_uris: ["javascript:alert(1)"] }],
    ["too many addresses", { redirect_uris: Array.from({ length: 21 }, () => "https://example.com/") }],
    ["another flow", { redirect_uris: ["https://example.com/"], grant_types: ["implicit"] }],
    ["no object", "hello"],
  ])("cannot register with %s", async ([, metadata], { deps }) => {
    await expect(registerClient(deps, metadata)).rejects.toEqual(
      expect.objectContaining({
        name: "OAuthError",
        code: expect.stringMatching(/^invalid_(client|redirect)/),
      }),
    );
  });

  test("that nobody has connected is forgotten after a day", async ({ make, deps, connected, clock }) => {
    const owner = await make.owner();
    const used = await connected(owner);
    const metadata = { client_name: "\u202eevil\n", redirect_uris: ["https://example.com/callback"] };
    const unused = await registerClient(deps, metadata);
    expect(unused.name).toBe("evil");
    const find = ({ clientId }: { clientId: string }) =>
      deps.db.prisma.oauthClient.count({ where: { id: clientId } });
    await purgeExpiredIdentity(deps);
    expect(await find(unused)).toBe(1);
    await clock.advance(dayMs + hourMs);
    await purgeExpiredIdentity(deps);
    expect([await find(unused), await find(used)]).toEqual([0, 1]);
    expect(await deps.db.prisma.oauthCode.count()).toBe(0);
  });

  test("can describe itself in a document, which must name it", async ({ make, deps, connect }) => {
    const owner = await make.owner();
    const url = "https://assistant.example/client.json";
    let document: object = { client_id: url, client_name: "Editor", redirect_uris: ["http://localhost/cb"] };
    const server = createServer((_request, response) => response.end(JSON.stringify(document))).listen(0);
    onTestFinished(() => void server.close());
    await new Promise((done) => server.once("listening", done));
    const { port } = server.address() as AddressInfo;
    const check = async () => ({
      ...{ kind: "checked" as const, url: new URL(`http://127.0.0.1:${port}/`) },
      ...{ addresses: ["127.0.0.1"], isPublic: true },
    });
    const guards = { ...deps.singleSignOn.guards, organizations: { check } };
    const guarded = { ...deps, singleSignOn: { ...deps.singleSignOn, guards } };
    const { request } = await connect(owner, { client_id: url, redirect_uri: "http://localhost:7/cb" });
    const described = () => describeRequest(guarded, owner, request);
    expect(await described()).toMatchObject({ kind: "asks", program: { name: "Editor" } });
    expect(await deps.db.prisma.oauthClient.count({ where: { metadataUrl: url } })).toBe(0);
    document = { ...document, client_id: "https://other.example/client.json" };
    await expect(described()).rejects.toEqual(appError("not_found"));
    // Without the test's guard, the name is looked up, and has no address.
    await expect(describeRequest(deps, owner, request)).rejects.toEqual(appError("not_found"));
  });
});
