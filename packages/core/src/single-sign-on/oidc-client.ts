import { AppError } from "@querybell/domain";
import type { Guard } from "@querybell/guard";
import { createGuardedFetch, RefusedUrlError, type UrlGuard } from "@querybell/models";
import type { Configuration } from "openid-client";
import { z } from "zod";

/** A client at a provider: one of an organization, or the deployment's. */
export interface Connection {
  issuer: string;
  clientId: string;
  clientSecret: string | null;
  groupsClaim: string;
  guard: UrlGuard;
}

/** What a provider says about a person, after all checks of the protocol. */
export interface Claims {
  /** Never changes for a person at this issuer, unlike the address. */
  subject: string;
  email: string | null;
  /** Null if the provider does not say. */
  emailVerified: boolean | null;
  name: string | null;
  groups: string[];
  /** For signing out at the provider. */
  idToken: string;
}

interface Started {
  state: string;
  nonce: string;
  codeVerifier: string;
  redirectUri: string;
}

const limits = { silenceMs: 10_000, maxBytes: 1024 ** 2 };
const maxGroups = 500;

/** Not loaded by the import of this file: workers never use it. The api loads it before its first request. */
export const loadOidcClient = () => import("openid-client");

/** Reads the provider's configuration, and calls the function with it. Every request goes to checked addresses. */
async function withProvider<Answer>(
  { issuer, clientId, clientSecret, guard }: Connection,
  use: (config: Configuration, oidc: Awaited<ReturnType<typeof loadOidcClient>>) => Promise<Answer>,
): Promise<Answer> {
  const oidc = await loadOidcClient();
  const guarded = createGuardedFetch(guard, limits);
  try {
    const config = await oidc.discovery(
      new URL(issuer),
      clientId,
      { ...(clientSecret !== null && { client_secret: clientSecret }) },
      clientSecret === null ? oidc.None() : oidc.ClientSecretBasic(clientSecret),
      {
        [oidc.customFetch]: (url, { body, headers, method, signal }) =>
          guarded.fetch(url, {
            headers,
            method,
            ...(body !== null && body !== undefined && { body: String(body) }),
            ...(signal && { signal }),
          }),
        timeout: 10,
        // The guard allows http to loopback only, and that only in development.
        execute: [
          oidc.enableNonRepudiationChecks,
          ...(issuer.startsWith("http:") ? [oidc.allowInsecureRequests] : []),
        ],
      },
    );
    return await use(config, oidc);
  } finally {
    await guarded.close();
  }
}

/** Throws an error for the person who sets up the provider, unless it answers as one. */
export async function checkProvider(connection: Connection): Promise<void> {
  const refuse = (message: string, cause?: unknown) =>
    new AppError("invalid_request", `The provider cannot be used. ${message}`, {
      cause,
      errors: [{ path: "issuer", message }],
    });
  if (!URL.canParse(connection.issuer))
    throw refuse("This is not a URL: write it like https://login.example.com.");
  await withProvider(connection, async (config) => {
    requireSafe(config.serverMetadata().authorization_endpoint, connection);
  }).catch((error: unknown) => {
    const refusal =
      error instanceof RefusedUrlError ? error : error instanceof Error ? error.cause : undefined;
    if (refusal instanceof RefusedUrlError) throw refuse(refusal.message);
    // Not more, or messages could be used to scan a network.
    throw refuse("It does not answer at this address as the standard says. Check the issuer's URL.", error);
  });
}

/** A browser is sent there: never to an address with another protocol. */
function requireSafe(address: string | undefined, { issuer }: Pick<Connection, "issuer">): void {
  const protocol = URL.parse(address ?? "")?.protocol;
  if (protocol === "https:" || (protocol === "http:" && issuer.startsWith("http:"))) return;
  throw new Error("The provider names no address to sign in at.");
}

/** The address at the provider to which the browser is sent, and what its answer must fit. */
export async function startAuthorization(
  connection: Connection,
  { redirectUri, loginHint }: { redirectUri: string; loginHint: string | undefined },
): Promise<Started & { url: string }> {
  return withProvider(connection, async (config, oidc) => {
    requireSafe(config.serverMetadata().authorization_endpoint, connection);
    const codeVerifier = oidc.randomPKCECodeVerifier();
    const [state, nonce] = [oidc.randomState(), oidc.randomNonce()];
    const url = oidc.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      scope: "openid email profile",
      code_challenge: await oidc.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: "S256",
      state,
      nonce,
      ...(loginHint !== undefined && { login_hint: loginHint }),
    });
    return { url: url.href, state, nonce, codeVerifier, redirectUri };
  });
}

const Text = z.string().min(1).max(1000);
const Groups = z.union([z.array(Text), Text.transform((group) => [group])]);

/** Exchanges the code and checks what the provider has answered: state, issuer, signature, nonce, audience, times. */
export async function finishAuthorization(
  connection: Connection,
  { state, nonce, codeVerifier }: Omit<Started, "redirectUri">,
  currentUrl: URL,
): Promise<Claims> {
  return withProvider(connection, async (config, oidc) => {
    const tokens = await oidc.authorizationCodeGrant(config, currentUrl, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: codeVerifier,
      idTokenExpected: true,
    });
    const idClaims = tokens.claims();
    if (!idClaims || tokens.id_token === undefined) throw new Error("The provider sent no ID token.");
    const hasUserInfo = config.serverMetadata().userinfo_endpoint !== undefined;
    const isComplete = idClaims.email !== undefined && idClaims[connection.groupsClaim] !== undefined;
    const further =
      hasUserInfo && !isComplete ? await oidc.fetchUserInfo(config, tokens.access_token, idClaims.sub) : {};
    // The ID token is signed, so its claims come first.
    const claims: Record<string, unknown> = { ...further, ...idClaims };
    const { data: email } = z.email().max(254).toLowerCase().safeParse(claims.email);
    return {
      subject: Text.parse(claims.sub),
      email: email ?? null,
      emailVerified: z.boolean().safeParse(claims.email_verified).data ?? null,
      name: Text.max(100).safeParse(claims.name).data ?? null,
      groups: (Groups.safeParse(claims[connection.groupsClaim]).data ?? []).slice(0, maxGroups),
      idToken: tokens.id_token,
    };
  });
}

/** Where the browser signs out at the provider. Null if the provider names no such address. */
export async function endSessionUrl(
  connection: Connection,
  { idToken, returnTo }: { idToken: string; returnTo: string },
): Promise<string | null> {
  return withProvider(connection, async (config, oidc) => {
    const { end_session_endpoint: address } = config.serverMetadata();
    if (address === undefined) return null;
    requireSafe(address, connection);
    return oidc.buildEndSessionUrl(config, { id_token_hint: idToken, post_logout_redirect_uri: returnTo })
      .href;
  });
}

/** Checks each URL of a provider: its issuer and the endpoints that it names, which can be on other hosts. */
export const createIssuerGuard = (guard: Guard): UrlGuard => ({
  async check(text, signal) {
    const target = guard.parseTarget(text);
    if (target.kind !== "target") return { kind: "refused", message: target.message };
    const checked = await guard.check(target.host, signal);
    if (checked.kind !== "checked") return { kind: "refused", message: checked.message };
    return { kind: "checked", url: new URL(target.href), addresses: checked.addresses, isPublic: true };
  },
});
