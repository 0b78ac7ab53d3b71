import {
  Client,
  type OAuthClientInformationMixed,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type OAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import type { Caller } from "@querybell/domain";
import { describe, expect, onTestFinished } from "vitest";
import { apiTest } from "../testing/api-test.ts";
import { untilCounted } from "../testing/until-counted.ts";

const redirectUrl = "http://127.0.0.1:7777/callback";

/** What a program keeps, as the official client wants it. */
class Program implements OAuthClientProvider {
  readonly redirectUrl = redirectUrl;
  readonly clientMetadata = { client_name: "Official client", redirect_uris: [redirectUrl] };
  sentTo?: URL;
  kept: {
    client?: OAuthClientInformationMixed;
    tokens?: OAuthTokens;
    verifier?: string;
    discovery?: OAuthDiscoveryState;
  } = {};
  state() {
    return "state of the program";
  }
  clientInformation() {
    return this.kept.client;
  }
  saveClientInformation(client: OAuthClientInformationMixed) {
    this.kept.client = client;
  }
  tokens() {
    return this.kept.tokens;
  }
  saveTokens(tokens: OAuthTokens) {
    this.kept.tokens = tokens;
  }
  redirectToAuthorization(url: URL) {
    this.sentTo = url;
  }
  saveCodeVerifier(verifier: string) {
    this.kept.verifier = verifier;
  }
  codeVerifier() {
    return this.kept.verifier ?? "";
  }
  invalidateCredentials() {
    delete this.kept.tokens;
  }
  discoveryState() {
    return this.kept.discovery;
  }
  saveDiscoveryState(discovery: OAuthDiscoveryState) {
    this.kept.discovery = discovery;
  }
}

const test = apiTest
  /** The server's public address, at the port where it listens in this test. */
  .extend("reach", { scope: "file" }, ({ api, publicUrl }) => {
    return (input: string | URL | Request, init?: RequestInit) => {
      const url = String(input instanceof Request ? input.url : input);
      return fetch(url.replace(publicUrl, api.url), init);
    };
  })
  .extend("connect", { scope: "file" }, ({ reach, publicUrl }) => {
    return async (program: Program) => {
      const client = new Client(
        { name: "test", version: "1.0.0" },
        { versionNegotiation: { mode: { pin: "2026-07-28" } } },
      );
      onTestFinished(() => client.close());
      const options = { authProvider: program, fetch: reach };
      const transport = new StreamableHTTPClientTransport(new URL(`${publicUrl}/mcp`), options);
      return { client, transport, connecting: client.connect(transport) };
    };
  })
  /** A program that this person has connected, through the client's own code. */
  .extend("connected", { scope: "file" }, ({ api, connect }) => {
    return async (owner: Caller & { email: string }) => {
      const program = new Program();
      const { connecting, transport } = await connect(program);
      await expect(connecting).rejects.toThrow(UnauthorizedError);
      const request = Object.fromEntries(program.sentTo?.searchParams ?? []);
      const person = await api.signedIn(owner);
      const { url } = await person.connectedPrograms.approve.mutate({
        request,
        scopes: ["queries:read"],
        days: 30,
      });
      await transport.finishAuth(new URL(url).searchParams);
      const { client, connecting: again } = await connect(program);
      await again;
      return { program, client, person };
    };
  });

describe("the official client", () => {
  test("finds out how to connect, is connected, and renews its tokens until it is disconnected", async ({
    make,
    connected,
    clock,
  }) => {
    const owner = await make.owner();
    const { program, client, person } = await connected(owner);
    expect(program.sentTo?.searchParams.get("scope")).toBe(
      "queries:read queries:run references:read automations:read",
    );
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain("search");
    expect(tools.map(({ name }) => name)).not.toContain("run_query");
    const list = () => client.callTool({ name: "list_databases", arguments: {} });
    const uploads = { structuredContent: { databases: [{ name: "Uploads" }] } };
    expect(await list()).toMatchObject(uploads);
    const before = program.kept.tokens;
    await clock.advance(60 * 60 * 1000);
    expect(await list()).toMatchObject(uploads);
    expect(program.kept.tokens?.access_token).not.toBe(before?.access_token);

    const [shown] = await person.connectedPrograms.mine.query();
    expect(shown).toMatchObject({ program: { name: "Official client", host: "this computer" } });
    await person.connectedPrograms.disconnect.mutate({ id: shown?.id ?? "" });
    delete program.sentTo;
    await expect(list()).rejects.toThrow(UnauthorizedError);
    // The person is asked again.
    expect(program.sentTo).toBeDefined();
  });
});

describe("the server", () => {
  test("says where to get a token, and for what", async ({ api, publicUrl }) => {
    const answer = await api.fetch("/mcp", { method: "POST", body: "{}" });
    expect(answer.status).toBe(401);
    expect(answer.headers.get("www-authenticate")).toBe(
      `Bearer resource_metadata="${publicUrl}/.well-known/oauth-protected-resource/mcp", scope="queries:read queries:run references:read automations:read"`,
    );
    const resource = await api.fetch("/.well-known/oauth-protected-resource/mcp");
    expect(await resource.json()).toMatchObject({
      resource: `${publicUrl}/mcp`,
      authorization_servers: [publicUrl],
    });
    const server = await api.fetch("/.well-known/oauth-authorization-server");
    expect(await server.json()).toMatchObject({
      issuer: publicUrl,
      code_challenge_methods_supported: ["S256"],
      authorization_response_iss_parameter_supported: true,
    });
  });

  test("takes tokens at /mcp only, and neither refresh tokens nor cookies there", async ({
    api,
    make,
    connected,
  }) => {
    const owner = await make.owner();
    const { program } = await connected(owner);
    const { access_token: access = "", refresh_token: refresh = "" } = program.kept.tokens ?? {};
    const statusOf = async (path: string, headers: Record<string, string>) => {
      const init = path === "/mcp" ? { method: "POST", body: "{}" } : {};
      return (await api.fetch(path, { ...init, headers })).status;
    };
    const bearer = (token: string) => ({
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
    });
    expect(await statusOf("/mcp", bearer(access))).toBe(400);
    for (const path of ["/api/key", "/api/trpc/databases.list", "/api/queries"]) {
      expect([path, await statusOf(path, bearer(access))]).toEqual([path, 401]);
    }
    expect(await statusOf("/mcp", bearer(refresh))).toBe(401);
    const answer = await api.fetch("/mcp", { method: "POST", body: "{}", headers: bearer("qbt_unknown") });
    expect(answer.headers.get("www-authenticate")).toContain('error="invalid_token"');
    expect(await statusOf("/mcp", { cookie: await api.sessionCookie(owner.email) })).toBe(401);
  });

  test("answers what it refuses in the words of the protocol", async ({ api }) => {
    const post = async (path: string, body: string, headers: Record<string, string> = {}) => {
      const type = { "content-type": "application/x-www-form-urlencoded" };
      const answer = await api.fetch(path, { method: "POST", body, headers: { ...type, ...headers } });
      return { status: answer.status, ...((await answer.json()) as { error?: string }) };
    };
    const token = "/api/oauth/token";
    expect(await post(token, "grant_type=authorization_code&code=x")).toMatchObject({
      ...{ status: 400, error: "invalid_grant" },
    });
    expect(await post(token, "grant_type=password")).toMatchObject({ error: "unsupported_grant_type" });
    expect(await post(token, "code=a&code=b")).toMatchObject({ status: 400, error: "invalid_request" });
    expect(await post(token, "code=%00&grant_type=authorization_code")).toMatchObject({
      ...{ status: 400, error: "invalid_request" },
    });
    const json = { "content-type": "application/json" };
    expect(await post(token, "{}", json)).toMatchObject({ status: 400, error: "invalid_request" });
    expect(await post(token, "a=b", { origin: "https://evil.example" })).toMatchObject({ status: 403 });
    expect(await post("/api/oauth/register", "{", json)).toMatchObject({ status: 400 });
    expect(await post("/api/oauth/register", "{}", json)).toMatchObject({
      ...{ status: 400, error: "invalid_client_metadata" },
    });
    expect(await post("/api/oauth/revoke", "token=x")).toMatchObject({ status: 200 });
  });

  test("lets one address register ten programs in a minute", async ({ api, deps, clock }) => {
    await untilCounted(deps);
    await clock.advance(60_000);
    const register = async () => {
      const answer = await api.fetch("/api/oauth/register", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ redirect_uris: ["https://example.com/callback"] }),
      });
      return answer.status;
    };
    const statuses = await Promise.all(Array.from({ length: 11 }, register));
    expect(statuses.sort()).toEqual([...Array.from({ length: 10 }, () => 201), 429]);
  });
});
