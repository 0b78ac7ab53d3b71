import { createHash, timingSafeEqual } from "node:crypto";
import { newSecretToken } from "../identity/secret-token.ts";

/** The error codes of OAuth 2.1, RFC 7591 and RFC 8707 that we answer. */
type OAuthErrorCode =
  | "invalid_request"
  | "invalid_client"
  | "invalid_grant"
  | "invalid_scope"
  | "invalid_target"
  | "unsupported_grant_type"
  | "unsupported_response_type"
  | "invalid_client_metadata"
  | "invalid_redirect_uri"
  | "temporarily_unavailable";

/** A refusal in the words of the protocol. */
export class OAuthError extends Error {
  override readonly name = "OAuthError";
  readonly code: OAuthErrorCode;

  constructor(code: OAuthErrorCode, description: string) {
    super(description);
    this.code = code;
  }
}

/** The one resource that tokens are for. */
export const resourceOf = ({ publicUrl }: { publicUrl: string }): string => `${publicUrl}/mcp`;

/** Throws unless the request is for our resource, or names none. */
export function requireOurResource(resource: string | undefined, deployment: { publicUrl: string }): void {
  const ours = resourceOf(deployment);
  if (resource === undefined || resource === ours || resource === `${ours}/`) return;
  throw new OAuthError("invalid_target", `This server gives tokens for ${ours} only.`);
}

/** Other than an API key at first sight, so that neither is taken for the other. */
export const newAccessToken = (): string => `qbt_${newSecretToken()}`;
export const isAccessToken = (text: string): boolean => text.startsWith("qbt_");
export const newRefreshToken = (): string => `qbr_${newSecretToken()}`;

const verifierText = /^[A-Za-z0-9._~-]{43,128}$/;
const challengeText = /^[A-Za-z0-9_-]{43}$/;

export const isChallenge = (text: string): boolean => challengeText.test(text);

/** Whether the verifier belongs to the challenge (RFC 7636, S256). */
export function provesChallenge(verifier: string, challenge: string): boolean {
  if (!verifierText.test(verifier)) return false;
  const hashed = createHash("sha256").update(verifier).digest("base64url");
  return hashed.length === challenge.length && timingSafeEqual(Buffer.from(hashed), Buffer.from(challenge));
}

const loopbackHosts = new Set(["127.0.0.1", "[::1]", "localhost"]);
const isLoopback = ({ protocol, hostname }: URL): boolean =>
  protocol === "http:" && loopbackHosts.has(hostname);

// Schemes of programs contain a domain name (RFC 8252, 7.1). These are older than that rule.
const editorSchemes = new Set(["cursor:", "vscode:", "vscode-insiders:", "windsurf:"]);

/** Where a browser may be sent with a code: https, a program on this computer, or the scheme of one. */
export function isRedirectUri(text: string): boolean {
  const url = URL.parse(text);
  if (!url || text.length > 2_000 || /[\s\p{Cc}#]/u.test(text)) return false;
  if (url.username !== "" || url.password !== "") return false;
  if (url.protocol === "https:") return true;
  if (isLoopback(url)) return true;
  return editorSchemes.has(url.protocol) || /^[a-z][a-z0-9-]*(\.[a-z0-9-]+)+:$/.test(url.protocol);
}

/** Whether a program has named this address: exactly, except for the port on this computer (RFC 8252, 7.3). */
export function isRegistered(redirectUri: string, registered: readonly string[]): boolean {
  if (registered.includes(redirectUri)) return true;
  const wanted = withoutLoopbackPort(redirectUri);
  return wanted !== undefined && registered.some((one) => withoutLoopbackPort(one) === wanted);
}

function withoutLoopbackPort(text: string): string | undefined {
  const url = URL.parse(text);
  if (!url || !isLoopback(url)) return undefined;
  url.port = "";
  return url.href;
}

/** Where the browser goes, for people: the host, or the program on their computer. */
export function hostOf(redirectUri: string): string {
  const url = new URL(redirectUri);
  if (isLoopback(url)) return "this computer";
  return url.protocol === "https:" ? url.host : `${url.protocol}//${url.host}`;
}

/** The address of the program with an answer. `iss` says who answers (RFC 9207). */
export function answerUrl(
  { redirectUri, state }: { redirectUri: string; state: string | undefined },
  answer: Record<string, string>,
  { publicUrl }: { publicUrl: string },
): string {
  const url = new URL(redirectUri);
  const given = { ...answer, ...(state !== undefined && { state }), iss: publicUrl };
  for (const [name, value] of Object.entries(given)) url.searchParams.set(name, value);
  return url.href;
}
