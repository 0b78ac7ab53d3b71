import { asService } from "@querybell/core/access";
import { createSender } from "@querybell/core/event-subscriptions";
import type { KeyVerifier } from "@querybell/core/keys";
import { createRateLimiter } from "@querybell/core/limits";
import { createMcpCallRecorder } from "@querybell/core/mcp-calls";
import { isAccessToken } from "@querybell/core/oauth";
import { AppError, type Caller, defaultMcpScopes } from "@querybell/domain";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { presentedKey, refuseForeignOrigin } from "../http/authenticate.ts";
import { abortedWhenClosed } from "../http/connections.ts";
import { resourceMetadataPath } from "../http/oauth-routes.ts";
import { decodeBody, discardRefusedBodies, mediaTypeOf, readWholeBody } from "../http/request-body.ts";
import { useRights } from "../http/request-rights.ts";
import { type Context, limitRate } from "../trpc/context.ts";
import { refuseMalformedInput } from "../trpc/input-checks.ts";
import { readChartApp } from "./chart-app.ts";
import { answerMcp } from "./server.ts";

interface McpOptions
  extends Pick<Context, "closing" | "deps" | "limiter" | "observeCall" | "requestSlots" | "subscriptions"> {
  keys: KeyVerifier;
  /** The folder of the built web app; empty if there is none. */
  webFolder: string;
}

const path = "/mcp";
/** How many receivers of an organization are challenged: each is a request to a server that it names. */
const maxChallengesPerMinute = 60;

/**
 * Serves the Model Context Protocol at `/mcp`: its revision of July 2026, and clients of 2025 without sessions. Callers
 * have an API key or an access token; cookies are not looked at. The order of the checks: method, origin, key, rate, body.
 */
export async function addMcpRoute(
  app: FastifyInstance,
  { keys, webFolder, ...parts }: McpOptions,
): Promise<void> {
  const { deps } = parts;
  const chartApp = readChartApp(webFolder);
  const sender = createSender(deps);
  const challenges = createRateLimiter({
    deps,
    name: "challenges of receivers",
    perMinute: maxChallengesPerMinute,
    onError: (error) => app.log.error(error),
  });
  app.addHook("onClose", () => challenges.close());
  const subscribing = {
    sender,
    limitChallenges: ({ organizationId }: Caller) => challenges.take(organizationId),
  };
  const calls = createMcpCallRecorder({ ...deps, onError: (error) => app.log.error(error) });
  const metadataUrl = `${deps.deployment.publicUrl}${resourceMetadataPath}`;
  // Where a program gets a token, and the scopes that it should ask for at first.
  const challenge = `Bearer resource_metadata="${metadataUrl}", scope="${defaultMcpScopes.join(" ")}"`;
  app.addHook("onClose", async () => sender.close());
  app.addHook("onClose", () => calls.close());
  await app.register(async (scope) => {
    // The body is read as a stream, after the other checks.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", async ({ raw }: FastifyRequest) => raw);
    discardRefusedBodies(scope);

    scope.all(path, async (request, reply) => {
      reply.header("cache-control", "no-store");
      if (request.method !== "POST") {
        reply.header("allow", "POST");
        throw new AppError("method_not_allowed", "Here, only POST can be used.");
      }
      refuseForeignOrigin(request, deps.deployment);
      const token = presentedKey(request);
      const caller = token === undefined ? undefined : await findCaller(keys, token);
      if (!caller) {
        const refused = token === undefined ? "" : `, error="invalid_token"`;
        reply.header("www-authenticate", `${challenge}${refused}`);
        throw unauthorized(token);
      }
      const context = { ...parts, caller, address: request.ip };
      limitRate(context);
      const read = await readMessage(request);
      if ("problem" in read) return sendRpcError(reply, read.problem);
      await useRights(deps, caller);
      const signal = abortedWhenClosed(reply);
      const http = new Request(`${deps.deployment.publicUrl}${path}`, {
        method: "POST",
        headers: protocolHeaders(request),
        body: read.text,
        signal,
      });
      const mcpRequest = { context, chartApp, subscribing, calls, log: request.log, signal };
      return reply.send(await answerMcp(mcpRequest, read.message, http));
    });
  });
}

/** The caller of an API key, or of the access token of a connected program. */
const findCaller = (keys: KeyVerifier, token: string): Promise<Caller | undefined> =>
  asService(() => (isAccessToken(token) ? keys.verifyToken(token) : keys.verify(token)));

const unauthorized = (token: string | undefined) =>
  new AppError(
    "unauthorized",
    token === undefined
      ? "Connect the program with OAuth, or send an API key in the header Authorization: Bearer <key>."
      : "This API key or token is unknown, revoked or expired.",
  );

interface RpcProblem {
  status: number;
  code: number;
  message: string;
}

type ReadMessage = { message: unknown; text: string } | { problem: RpcProblem };

const invalid = (message: string): ReadMessage => ({ problem: { status: 400, code: -32600, message } });

/** Reads the one message of a request. */
async function readMessage(request: FastifyRequest): Promise<ReadMessage> {
  const { "content-type": contentType = "" } = request.headers;
  if (mediaTypeOf(contentType) !== "application/json") {
    throw new AppError("unsupported_media_type", "Send the body as application/json.");
  }
  const text = decodeBody(await readWholeBody(request), contentType);
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return { problem: { status: 400, code: -32700, message: "The body is not valid JSON." } };
  }
  if (typeof message !== "object" || message === null || Array.isArray(message)) {
    return invalid("Send one message in each request, as an object.");
  }
  try {
    refuseMalformedInput(message);
  } catch (error) {
    if (error instanceof AppError) return invalid(error.message);
    throw error;
  }
  // It would only keep a connection open: no changes are announced.
  if ("method" in message && message.method === "subscriptions/listen") {
    return { problem: { status: 404, code: -32601, message: "There are no subscriptions." } };
  }
  return { message, text };
}

const sendRpcError = (reply: FastifyReply, { status, code, message }: RpcProblem): FastifyReply =>
  reply.code(status).send({ jsonrpc: "2.0", id: null, error: { code, message } });

/** The headers that the protocol knows. The SDK gets no credentials. */
function protocolHeaders({ headers }: FastifyRequest): Headers {
  const copy = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    const isKnown = name === "accept" || name === "content-type" || name.startsWith("mcp-");
    if (isKnown && typeof value === "string") copy.set(name, value);
  }
  return copy;
}
