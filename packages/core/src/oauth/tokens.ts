import type { Prisma, Tx } from "@querybell/db";
import { newId, Scope } from "@querybell/domain";
import { recordAudit } from "../audit.ts";
import type { Deps } from "../deps.ts";
import { hashToken } from "../identity/secret-token.ts";
import { newKeyText } from "../keys/verify-key.ts";
import { endGrant } from "./grants.ts";
import {
  hostOf,
  newAccessToken,
  newRefreshToken,
  OAuthError,
  provesChallenge,
  requireOurResource,
} from "./protocol.ts";

/** The parameters of a request for tokens. */
export type TokenRequest = Readonly<Partial<Record<string, string>>>;

/** An answer as OAuth 2.1 writes it. */
export interface Tokens {
  access_token: string;
  token_type: "Bearer";
  expires_in: number;
  refresh_token: string;
  scope: string;
}

const accessSeconds = 60 * 60;
const refreshMs = 30 * 24 * 60 * 60 * 1000;
/** How long a second use of a refresh token is noticed. */
const keepUsedMs = 7 * 24 * 60 * 60 * 1000;
/** Tokens of one grant that are kept at once: a program that refreshes each hour has fewer than 250. */
const maxTokens = 1_000;

/** Gives tokens for a code or a refresh token. */
export async function issueTokens(deps: Deps, request: TokenRequest): Promise<Tokens> {
  requireOurResource(request.resource, deps.deployment);
  if (request.grant_type === "authorization_code") return exchangeCode(deps, request);
  if (request.grant_type === "refresh_token") return refresh(deps, request);
  throw new OAuthError("unsupported_grant_type", "grant_type must be authorization_code or refresh_token.");
}

const invalid = (description: string) => new OAuthError("invalid_grant", description);

/** A refusal that still commits what the transaction has written: that a grant has ended. */
type Outcome = { tokens: Tokens } | { refused: OAuthError; userId?: string };

async function toTokens(deps: Deps, work: (tx: Tx) => Promise<Outcome>): Promise<Tokens> {
  const outcome = await deps.db.transaction(work);
  if ("tokens" in outcome) return outcome.tokens;
  const { refused, userId } = outcome;
  if (userId !== undefined) deps.keyCache.forgetKeysOf({ userId });
  throw refused;
}

/** Nobody but the program that holds the verifier gets tokens for a code, and it gets them once. */
function exchangeCode(deps: Deps, request: TokenRequest): Promise<Tokens> {
  const { code = "", client_id: clientId, code_verifier: verifier = "", redirect_uri: redirectUri } = request;
  return toTokens(deps, async (tx) => {
    const codeHash = hashToken(code);
    await tx.$queryRaw`SELECT FROM oauth_codes WHERE code_hash = ${codeHash} FOR UPDATE`;
    const found = await tx.oauthCode.findUnique({ where: { codeHash }, include: { client: true } });
    if (!found || clientIdOf(found.client) !== clientId) {
      return { refused: invalid("The code is unknown, or was given to another program.") };
    }
    if (found.grantId !== null) {
      await endGrant({ ...deps, tx }, found.grantId, { reason: "code_used_twice" });
      return {
        refused: invalid("The code was used before. Its tokens do not work any more."),
        userId: found.userId,
      };
    }
    if (found.expiresAt <= deps.clock.now()) return { refused: invalid("The code has expired.") };
    if (redirectUri !== undefined && redirectUri !== found.redirectUri) {
      return { refused: invalid("The redirect_uri is not that of the code.") };
    }
    if (!provesChallenge(verifier, found.codeChallenge)) {
      return { refused: invalid("The code_verifier does not fit the code_challenge.") };
    }
    const grant = await createGrant({ ...deps, tx }, found);
    await tx.oauthCode.update({ where: { codeHash }, data: { grantId: grant.id } });
    return { tokens: await insertTokens({ ...deps, tx }, grant) };
  });
}

type CodeWithClient = Prisma.OauthCodeModel & { client: Prisma.OauthClientModel };

const clientIdOf = ({ id, metadataUrl }: Prisma.OauthClientModel): string => metadataUrl ?? id;

async function createGrant(
  { tx, clock }: { tx: Tx } & Pick<Deps, "clock">,
  { organizationId, userId, client, scopes, redirectUri, grantExpiresAt: expiresAt }: CodeWithClient,
): Promise<Prisma.ApiKeyModel> {
  // Nobody learns the text, so nobody can use the grant as a key.
  const { prefix, secretHash } = newKeyText();
  const host = hostOf(redirectUri);
  const grant = await tx.apiKey.create({
    data: {
      ...{ id: newId(clock), organizationId, userId, name: client.name, prefix, secretHash },
      ...{ clientId: client.id, clientHost: host, scopes, createdAt: clock.now(), expiresAt },
    },
  });
  await recordAudit(
    { tx, clock },
    { organizationId, userId },
    {
      action: "program.connected",
      targetId: grant.id,
      detail: { name: client.name, host, scopes, expiresAt: expiresAt.toISOString() },
    },
  );
  return grant;
}

/** Each refresh token works once. A second use means that somebody else has it, so the grant ends. */
function refresh(deps: Deps, request: TokenRequest): Promise<Tokens> {
  const { refresh_token: text = "", client_id: clientId, scope } = request;
  return toTokens(deps, async (tx) => {
    const tokenHash = hashToken(text);
    await tx.$queryRaw`SELECT FROM oauth_tokens WHERE token_hash = ${tokenHash} FOR UPDATE`;
    const found = await tx.oauthToken.findUnique({
      where: { tokenHash, kind: "refresh" },
      include: { grant: { include: { client: true } } },
    });
    const now = deps.clock.now();
    const { grant } = found ?? {};
    if (!found || !grant?.client || clientIdOf(grant.client) !== clientId) {
      return { refused: invalid("The refresh token is unknown, or was given to another program.") };
    }
    if (found.usedAt !== null) {
      await endGrant({ ...deps, tx }, grant.id, { reason: "refresh_token_used_twice" });
      return {
        refused: invalid("The refresh token was used before. The program is disconnected."),
        userId: grant.userId,
      };
    }
    const endsAt = grant.expiresAt ?? now;
    if (grant.revokedAt !== null || endsAt <= now || found.expiresAt <= now) {
      return { refused: invalid("The program is not connected any more.") };
    }
    if (scope?.split(" ").some((one) => one !== "" && !grant.scopes.includes(one))) {
      return { refused: new OAuthError("invalid_scope", "The program was not given all of these scopes.") };
    }
    if ((await tx.oauthToken.count({ where: { grantId: grant.id } })) >= maxTokens) {
      return { refused: new OAuthError("temporarily_unavailable", "Too many tokens. Refresh less often.") };
    }
    const keptUntil = new Date(Math.min(found.expiresAt.getTime(), now.getTime() + keepUsedMs));
    await tx.oauthToken.update({ where: { tokenHash }, data: { usedAt: now, expiresAt: keptUntil } });
    return { tokens: await insertTokens({ ...deps, tx }, grant) };
  });
}

/** Both tokens end with the grant, or before. */
async function insertTokens(
  { tx, clock }: { tx: Tx } & Pick<Deps, "clock">,
  { id: grantId, organizationId, scopes, expiresAt }: Prisma.ApiKeyModel,
): Promise<Tokens> {
  const now = clock.now().getTime();
  const untilMs = expiresAt?.getTime() ?? now;
  const expiresIn = Math.min(accessSeconds, Math.ceil((untilMs - now) / 1000));
  const tokens = { access: newAccessToken(), refresh: newRefreshToken() };
  const common = { organizationId, grantId };
  await tx.oauthToken.createMany({
    data: [
      {
        ...common,
        tokenHash: hashToken(tokens.access),
        kind: "access",
        expiresAt: new Date(now + expiresIn * 1000),
      },
      {
        ...common,
        tokenHash: hashToken(tokens.refresh),
        kind: "refresh",
        expiresAt: new Date(Math.min(now + refreshMs, untilMs)),
      },
    ],
  });
  return {
    access_token: tokens.access,
    token_type: "Bearer",
    expires_in: expiresIn,
    refresh_token: tokens.refresh,
    scope: Scope.array().parse(scopes).join(" "),
  };
}

/** A program disconnects itself with one of its tokens (RFC 7009). An unknown token is no error. */
export async function revokeToken(
  deps: Deps,
  { token = "", client_id: clientId }: TokenRequest,
): Promise<void> {
  const userId = await deps.db.transaction(async (tx) => {
    const found = await tx.oauthToken.findUnique({
      where: { tokenHash: hashToken(token) },
      include: { grant: { include: { client: true } } },
    });
    const { grant } = found ?? {};
    if (!grant?.client || clientIdOf(grant.client) !== clientId) return undefined;
    await endGrant({ ...deps, tx }, grant.id, { reason: "program" });
    return grant.userId;
  });
  if (userId !== undefined) deps.keyCache.forgetKeysOf({ userId });
}
