import type { Deps } from "@querybell/core";
import { asService } from "@querybell/core/access";
import { createRateLimiter, type RateLimiter } from "@querybell/core/limits";
import { issueTokens, OAuthError, registerClient, resourceOf, revokeToken } from "@querybell/core/oauth";
import { errorCodes, mcpScopes } from "@querybell/domain";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { refuseMalformedInput } from "../trpc/input-checks.ts";
import { refuseForeignOrigin } from "./authenticate.ts";
import { httpToAppError, logServerError } from "./problem.ts";

/** How often one address may register a program. */
const registrationsPerMinute = 10;

const paths = {
  /** The page on which people agree: apps/web/src/pages/account/connect-page.tsx. */
  authorize: "/connect",
  token: "/api/oauth/token",
  register: "/api/oauth/register",
  revoke: "/api/oauth/revoke",
};

/** Where clients of the MCP server learn who gives tokens for it (RFC 9728). */
export const resourceMetadataPath = "/.well-known/oauth-protected-resource/mcp";

/**
 * OAuth 2.1 for programs that connect to the MCP server: what there is (RFC 8414, RFC 9728), registration (RFC 7591),
 * tokens, and revoking them (RFC 7009). Programs have no secrets: PKCE proves who asked for a code.
 */
export async function addOauthRoutes(app: FastifyInstance, deps: Deps, limiter: RateLimiter): Promise<void> {
  const { publicUrl } = deps.deployment;
  const registrations = createRateLimiter({
    deps,
    name: "registrations of programs",
    perMinute: registrationsPerMinute,
    onError: (error) => app.log.error(error),
  });
  app.addHook("onClose", () => registrations.close());

  app.get(resourceMetadataPath, async () => ({
    resource: resourceOf(deps.deployment),
    authorization_servers: [publicUrl],
    scopes_supported: mcpScopes,
    bearer_methods_supported: ["header"],
    resource_name: "Querybell",
    resource_documentation: `${publicUrl}/docs/agents`,
  }));
  app.get("/.well-known/oauth-authorization-server", async () => ({
    issuer: publicUrl,
    authorization_endpoint: `${publicUrl}${paths.authorize}`,
    token_endpoint: `${publicUrl}${paths.token}`,
    registration_endpoint: `${publicUrl}${paths.register}`,
    revocation_endpoint: `${publicUrl}${paths.revoke}`,
    scopes_supported: mcpScopes,
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    token_endpoint_auth_methods_supported: ["none"],
    revocation_endpoint_auth_methods_supported: ["none"],
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
    service_documentation: `${publicUrl}/docs/agents`,
  }));

  await app.register(async (scope) => {
    scope.addContentTypeParser(
      "application/x-www-form-urlencoded",
      { parseAs: "string" },
      (_request, body, done) => done(null, new URLSearchParams(String(body))),
    );
    scope.setErrorHandler(sendError);
    scope.addHook("onRequest", (request, reply, done) => {
      reply.header("cache-control", "no-store");
      refuseForeignOrigin(request, deps.deployment);
      limiter.take(`from:${request.ip}`);
      done();
    });
    scope.post(paths.register, async (request, reply) => {
      registrations.take(request.ip);
      refuseMalformedInput(request.body);
      const { clientId, name, redirectUris } = await asService(() => registerClient(deps, request.body));
      return reply.code(201).send({
        client_id: clientId,
        client_id_issued_at: Math.floor(deps.clock.now().getTime() / 1000),
        client_name: name,
        redirect_uris: redirectUris,
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        token_endpoint_auth_method: "none",
      });
    });
    scope.post(paths.token, async (request) => {
      const form = readForm(request);
      return asService(() => issueTokens(deps, form));
    });
    scope.post(paths.revoke, async (request, reply) => {
      const form = readForm(request);
      await asService(() => revokeToken(deps, form));
      return reply.send({});
    });
  });
}

/** The parameters of a form, each of which may be given once. */
function readForm({ body }: FastifyRequest): Record<string, string> {
  if (!(body instanceof URLSearchParams)) {
    throw new OAuthError("invalid_request", "Send the parameters as application/x-www-form-urlencoded.");
  }
  const form = Object.fromEntries(body);
  if (Object.keys(form).length !== [...body].length) {
    throw new OAuthError("invalid_request", "A parameter is given twice.");
  }
  refuseMalformedInput(form);
  return form;
}

/** Errors as OAuth writes them. */
function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error instanceof OAuthError) {
    const status = error.code === "temporarily_unavailable" ? 503 : 400;
    return send(reply, status, { error: error.code, error_description: error.message });
  }
  const appError = httpToAppError(error);
  logServerError(request.log, appError);
  const { status } = errorCodes[appError.code];
  if (appError.retryAfterSeconds !== undefined) {
    reply.header("retry-after", String(appError.retryAfterSeconds));
  }
  const code =
    status >= 500 ? "server_error" : status === 429 ? "temporarily_unavailable" : "invalid_request";
  return send(reply, status, { error: code, error_description: appError.message });
}

const send = (reply: FastifyReply, status: number, body: object): FastifyReply =>
  reply.code(status).type("application/json").send(JSON.stringify(body));
