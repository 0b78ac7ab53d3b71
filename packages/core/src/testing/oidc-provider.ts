import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import Provider from "oidc-provider";

/** What the provider says about a person: `sub` is the key. */
type TestClaims = Record<string, string | boolean | string[]>;

export interface OidcProvider extends AsyncDisposable {
  issuer: string;
  /** The client that is registered. */
  client: { clientId: string; clientSecret: string };
  accounts: Map<string, TestClaims>;
  /** Registers the address that the provider sends browsers back to. */
  allowRedirect(url: string): void;
  /** Who signs in at the provider from now on. */
  signInAs(sub: string): void;
  /** Signs in at the provider as this person, and returns the address to which the provider sends the browser back. */
  visit(url: string, sub: string): Promise<string>;
}

const client = { clientId: "querybell", clientSecret: "a secret of the client" };

/** A real provider of identities on loopback, whose people sign in without a page. */
export async function startOidcProvider(): Promise<OidcProvider> {
  const accounts = new Map<string, TestClaims>();
  const redirectUris: string[] = [];
  let signsIn = "";
  const server = createServer((request, response) => {
    const isInteraction = request.url?.startsWith("/interaction/");
    const answered = isInteraction
      ? provider.interactionFinished(request, response, { login: { accountId: signsIn } })
      : Promise.resolve(provider.callback()(request, response));
    answered.catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const issuer = `http://127.0.0.1:${port}`;
  const create = () => createProvider(issuer, { accounts, redirectUris });
  let provider = create();
  return {
    issuer,
    client,
    accounts,
    allowRedirect(url) {
      redirectUris.push(url);
      provider = create();
    },
    signInAs(sub) {
      signsIn = sub;
    },
    visit(url, sub) {
      signsIn = sub;
      return follow(url, issuer);
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function createProvider(
  issuer: string,
  { accounts, redirectUris }: { accounts: Map<string, TestClaims>; redirectUris: string[] },
): Provider {
  const provider = new Provider(issuer, {
    clients:
      redirectUris.length === 0
        ? []
        : [
            {
              client_id: client.clientId,
              client_secret: client.clientSecret,
              redirect_uris: [...redirectUris],
              post_logout_redirect_uris: redirectUris.map((uri) => new URL("/sign-in", uri).href),
            },
          ],
    findAccount: (_ctx, sub) => ({
      accountId: sub,
      claims: () => ({ sub, ...accounts.get(sub) }),
    }),
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name", "groups"] },
    conformIdTokenClaims: false,
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    cookies: { keys: ["a key for cookies"] },
    async loadExistingGrant({ oidc }) {
      const { clientId = "" } = oidc.client ?? {};
      const grant = new oidc.provider.Grant({ clientId, accountId: oidc.session?.accountId ?? "" });
      grant.addOIDCScope("openid email profile");
      await grant.save();
      return grant;
    },
  });
  // It is reached over http, on loopback.
  provider.on("server_error", (_ctx, error) => console.error(error));
  return provider;
}

/** Follows redirects as a browser does, until one leads away from the provider. */
async function follow(start: string, issuer: string): Promise<string> {
  const cookies = new Map<string, string>();
  let url = start;
  for (let hops = 0; hops < 20 && url.startsWith(issuer); hops++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const answer = await fetch(url, { redirect: "manual", headers: { cookie } });
    for (const text of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(text) ?? [];
      cookies.set(name, value);
    }
    const location = answer.headers.get("location");
    if (location === null) throw new Error(`The provider answered ${answer.status}: ${await answer.text()}`);
    url = new URL(location, url).href;
  }
  return url;
}
