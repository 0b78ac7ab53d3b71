import {
  AppError,
  type ApproveConnection,
  type ApprovedConnection,
  type Caller,
  type ConnectionRequest,
  type DescribedRequest,
  defaultMcpScopes,
  mcpScopesOf,
  type Scope,
} from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { hashToken, newSecretToken } from "../identity/secret-token.ts";
import { type Client, findClient, storeClient, unknownClient } from "./clients.ts";
import { answerUrl, hostOf, isChallenge, isRegistered, OAuthError, requireOurResource } from "./protocol.ts";

const codeLifetimeMs = 5 * 60 * 1000;
const dayMs = 24 * 60 * 60 * 1000;

/**
 * Says what a program asks for. A request whose program or address is not known is an error for the person: nothing may be
 * sent to that address. Every other flaw is for the program, but the person decides whether the browser goes there: a
 * page that sent it there by itself would let everybody redirect from our address to theirs.
 */
export async function describeRequest(
  deps: Deps,
  caller: Caller,
  request: ConnectionRequest,
): Promise<DescribedRequest> {
  const { client, redirectUri } = await findAnswerable(deps, request);
  const program = { name: client.name, host: hostOf(redirectUri) };
  const answerTo = { redirectUri, state: request.state };
  const urlWith = (error: string, description: string) =>
    answerUrl(answerTo, { error, error_description: description }, deps.deployment);
  try {
    const { scopes } = checkRequest(deps, caller, request);
    const denyUrl = urlWith("access_denied", "The person said no.");
    return { kind: "asks", program, scopes, denyUrl };
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    return {
      kind: "refused",
      message: error.message,
      program,
      returnUrl: urlWith(error.code, error.message),
    };
  }
}

/** Remembers what the person has agreed to. The program gets it for the code, with which the browser is sent to it. */
export async function approveConnection(
  deps: Deps,
  caller: Caller,
  { request, scopes, days }: ApproveConnection,
): Promise<ApprovedConnection> {
  const { client, redirectUri } = await findAnswerable(deps, request);
  const asked = toAppErrors(() => checkRequest(deps, caller, request));
  if (!scopes.every((scope) => asked.scopes.includes(scope))) {
    throw new AppError("invalid_request", "A program gets no scope that it has not asked for.", {
      errors: [{ path: "scopes", message: "must be among those that the program asks for" }],
    });
  }
  const { organizationId, userId } = caller;
  const code = newSecretToken();
  const now = deps.clock.now();
  await deps.db.transaction(async (tx) => {
    await tx.oauthCode.create({
      data: {
        codeHash: hashToken(code),
        clientId: await storeClient({ ...deps, tx }, client),
        ...{ organizationId, userId, scopes, redirectUri, codeChallenge: asked.challenge },
        grantExpiresAt: new Date(now.getTime() + days * dayMs),
        expiresAt: new Date(now.getTime() + codeLifetimeMs),
      },
    });
  });
  return { url: answerUrl({ redirectUri, state: request.state }, { code }, deps.deployment) };
}

/** The program, and the address that it has named and to which an answer can be sent. */
async function findAnswerable(
  deps: Deps,
  { client_id: clientId, redirect_uri: redirectUri }: ConnectionRequest,
): Promise<{ client: Client; redirectUri: string }> {
  if (clientId === undefined || redirectUri === undefined) {
    throw new AppError("invalid_request", "This address is not complete. Connect again from the program.");
  }
  const client = await findClient(deps, clientId);
  if (!client) throw unknownClient();
  if (!isRegistered(redirectUri, client.redirectUris)) {
    throw new AppError(
      "invalid_request",
      "The program wants its answer at an address that it has not registered. Do not continue; connect again from the program itself.",
    );
  }
  return { client, redirectUri };
}

function checkRequest(
  { deployment }: Pick<Deps, "deployment">,
  { role }: Caller,
  request: ConnectionRequest,
): { challenge: string; scopes: Scope[] } {
  if (request.response_type !== "code") {
    throw new OAuthError("unsupported_response_type", "response_type must be code.");
  }
  const { code_challenge: challenge = "" } = request;
  if (request.code_challenge_method !== "S256" || !isChallenge(challenge)) {
    throw new OAuthError("invalid_request", "PKCE is needed: a code_challenge with the method S256.");
  }
  requireOurResource(request.resource, deployment);
  const asked: readonly string[] = request.scope?.split(" ").filter((one) => one !== "") ?? [];
  const allowed = mcpScopesOf(role);
  const scopes = asked.length === 0 ? [...defaultMcpScopes] : allowed.filter((one) => asked.includes(one));
  if (scopes.length > 0) return { challenge, scopes };
  throw new OAuthError(
    "invalid_scope",
    `The program asks for nothing that your role allows. The scopes are ${allowed.join(", ")}.`,
  );
}

function toAppErrors<Answer>(check: () => Answer): Answer {
  try {
    return check();
  } catch (error) {
    if (error instanceof OAuthError) throw new AppError("invalid_request", error.message);
    throw error;
  }
}
