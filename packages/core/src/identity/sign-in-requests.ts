import type { Tx } from "@querybell/db";
import { newId } from "@querybell/domain";
import { z } from "zod";
import type { Deps } from "../deps.ts";
import { hashToken, newSecretToken } from "./secret-token.ts";

// A sign-in or a set-up that has begun: what the next request has to fit. Each can be finished once.

const Content = z.discriminatedUnion("kind", [
  /** The password was right; the second factor is missing. */
  z.object({ kind: z.literal("second_factor"), userId: z.uuid() }),
  /** A challenge for a passkey that signs in. */
  z.object({ kind: z.literal("passkey"), challenge: z.string() }),
  /** A challenge for a new passkey, or for one that confirms, of the session whose id is the token. */
  z.object({ kind: z.literal("new_passkey"), challenge: z.string() }),
  z.object({ kind: z.literal("confirm"), challenge: z.string() }),
  /** The browser was sent to a provider. */
  z.object({
    kind: z.literal("oidc"),
    key: z.string(),
    issuer: z.string(),
    state: z.string(),
    nonce: z.string(),
    codeVerifier: z.string(),
    redirectUri: z.string(),
    to: z.string(),
    /** The person who was signed in and has agreed to link their account. */
    link: z.object({ userId: z.uuid(), sessionId: z.uuid() }).nullable(),
  }),
]);
export type RequestContent = z.infer<typeof Content>;
type Kind = RequestContent["kind"];
type ContentOf<Name extends Kind> = Extract<RequestContent, { kind: Name }>;

const lifetimeMs = 10 * 60_000;
const purposeOf = (id: string) => `sign-in request ${id}`;

/** Stores a request, sealed. `token` finds it again; it replaces an earlier request with the same token. */
export async function saveRequest(
  { tx, clock, sealer }: { tx: Tx } & Pick<Deps, "clock" | "sealer">,
  token: string,
  content: RequestContent,
): Promise<void> {
  const id = newId(clock);
  const tokenHash = hashToken(`${content.kind}:${token}`);
  await tx.signInRequest.deleteMany({ where: { tokenHash } });
  await tx.signInRequest.create({
    data: {
      id,
      tokenHash,
      ...("userId" in content && { userId: content.userId }),
      sealed: sealer.seal(purposeOf(id), Buffer.from(JSON.stringify(content))),
      expiresAt: new Date(clock.now().getTime() + lifetimeMs),
    },
  });
}

/** The content of a request. Undefined if there is none or it has expired. It stays: a wrong code can be tried again. */
export async function findRequest<Name extends Kind>(
  { db, clock, sealer }: Pick<Deps, "db" | "clock" | "sealer">,
  token: string | undefined,
  kind: Name,
): Promise<ContentOf<Name> | undefined> {
  if (token === undefined) return undefined;
  const found = await db.prisma.signInRequest.findUnique({
    where: { tokenHash: hashToken(`${kind}:${token}`), expiresAt: { gt: clock.now() } },
  });
  return found ? openContent(sealer, found, kind) : undefined;
}

/** Deletes a request and returns its content, so that it can be used only once, also by two at the same time. */
export async function takeRequest<Name extends Kind>(
  { tx, clock, sealer }: { tx: Pick<Tx, "signInRequest"> } & Pick<Deps, "clock" | "sealer">,
  token: string | undefined,
  kind: Name,
): Promise<ContentOf<Name> | undefined> {
  if (token === undefined) return undefined;
  const where = { tokenHash: hashToken(`${kind}:${token}`), expiresAt: { gt: clock.now() } };
  const found = await tx.signInRequest.findUnique({ where });
  if (!found) return undefined;
  const { count } = await tx.signInRequest.deleteMany({ where: { id: found.id } });
  return count === 1 ? openContent(sealer, found, kind) : undefined;
}

function openContent<Name extends Kind>(
  sealer: Deps["sealer"],
  { id, sealed }: { id: string; sealed: string },
  kind: Name,
): ContentOf<Name> | undefined {
  const content = Content.parse(JSON.parse(Buffer.from(sealer.open(purposeOf(id), sealed)).toString()));
  const isOfKind = (one: RequestContent): one is ContentOf<Name> => one.kind === kind;
  return isOfKind(content) ? content : undefined;
}

/** The cookie that binds a request to the browser in which it began. */
export function requestCookie({ deployment }: Pick<Deps, "deployment">, token: string | null): string {
  const secure = deployment.publicUrl.startsWith("https:");
  return [
    `${requestCookieName(deployment)}=${token ?? ""}`,
    `Max-Age=${token === null ? 0 : lifetimeMs / 1000}`,
    "Path=/api/auth",
    "HttpOnly",
    ...(secure ? ["Secure"] : []),
    "SameSite=Lax",
  ].join("; ");
}

const requestCookieName = ({ publicUrl }: Deps["deployment"]): string =>
  publicUrl.startsWith("https:") ? "__Secure-querybell.sign_in" : "querybell.sign_in";

/** The token in the request's cookie. */
export function readRequestCookie(
  { deployment }: Pick<Deps, "deployment">,
  headers: Headers,
): string | undefined {
  const name = requestCookieName(deployment);
  const cookies = (headers.get("cookie") ?? "").split(";").map((one) => one.trim());
  const found = cookies.find((one) => one.startsWith(`${name}=`))?.slice(name.length + 1);
  return found && /^[\w-]{43}$/.test(found) ? found : undefined;
}

export const newRequestToken = newSecretToken;
