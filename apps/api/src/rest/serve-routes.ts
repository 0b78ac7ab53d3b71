import { METHODS } from "node:http";
import type { Deps } from "@querybell/core";
import type { KeyVerifier } from "@querybell/core/keys";
import { createRestStates } from "@querybell/core/organizations";
import { createRestCallRecorder, type RestCallRecorder } from "@querybell/core/rest-calls";
import { AppError, type Caller } from "@querybell/domain";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Counter, type Registry } from "prom-client";
import { presentedKey } from "../http/authenticate.ts";
import { discardRefusedBodies } from "../http/request-body.ts";
import { useRights } from "../http/request-rights.ts";
import { sendStoredResult } from "../http/result-routes.ts";
import type { Context } from "../trpc/context.ts";
import type { RestRoute } from "./define-route.ts";
import { restRoutes } from "./route-table.ts";

interface RestOptions
  extends Pick<Context, "closing" | "deps" | "limiter" | "observeCall" | "requestSlots" | "subscriptions"> {
  keys: KeyVerifier;
  registry: Registry;
}

/**
 * Serves the published REST routes. The order of the checks: retired, method and token (below); rate, scope and input
 * (`define-route.ts`); then, in the use case, whether the object exists.
 */
export async function addRestRoutes(
  app: FastifyInstance,
  { registry, keys, ...parts }: RestOptions,
): Promise<void> {
  const { deps } = parts;
  const calls = new Counter({
    name: "querybell_rest_calls_total",
    help: "Calls of the published REST routes, by the organization of the key and whether they are live there",
    labelNames: ["organization", "route", "state"] as const,
    registers: [registry],
  });
  const recorder = createRestCallRecorder({ ...deps, onError: (error) => app.log.error(error) });
  app.addHook("onClose", () => recorder.close());
  const admit = createAdmission({ deps, keys, calls, recorder });

  await app.register(async (scope) => {
    // A retired route answers every method in the same way.
    for (const method of METHODS) {
      if (method !== "CONNECT" && !scope.supportedMethods.includes(method)) scope.addHttpMethod(method);
    }
    // The body is read as a stream, after the other checks.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", async ({ raw }: FastifyRequest) => raw);
    discardRefusedBodies(scope);

    for (const onPath of Map.groupBy(restRoutes, ({ path }) => path).values()) {
      const [{ path } = { path: "" }] = onPath;
      const admitted = new WeakMap<FastifyRequest, Admitted>();
      scope.all<{ Params: Record<string, string> }>(path, {
        onRequest: async (request, reply) => {
          // `/api/queries/` is not a query with an empty id.
          if (Object.values(request.params).includes("")) return reply.callNotFound();
          const found = await admit(request, reply, onPath);
          if (!found) return reply;
          admitted.set(request, found);
        },
        handler: async (request, reply) => {
          const found = admitted.get(request);
          if (!found) throw new Error(`${request.method} ${path} was answered already.`);
          const { route, caller } = found;
          await useRights(deps, caller);
          const answer = await route.answer({ ...parts, caller, address: request.ip }, reply);
          if (answer.kind === "json") return reply.code(route.status).send(answer.body);
          return sendStoredResult(request, reply, { deps, caller, info: answer.info });
        },
      });
    }
  });
}

/** When the routes were declared deprecated, for the header of RFC 9745. */
const deprecatedAt = new Date("2026-11-15T00:00:00Z");

interface AdmitOptions {
  deps: Deps;
  keys: KeyVerifier;
  calls: Counter<"organization" | "route" | "state">;
  recorder: RestCallRecorder;
}

interface Admitted {
  caller: Caller;
  route: RestRoute;
}

const retired = () =>
  new AppError(
    "route_retired",
    "This route is retired. That is permanent: remove the call, and do not retry it.",
  );

/**
 * The checks before the body is read: retired, method, token. Returns `undefined` if the response has been sent
 * (to OPTIONS). For a retired organization only the key is read.
 */
function createAdmission({ deps, keys, calls, recorder }: AdmitOptions) {
  const stateOf = createRestStates(deps);

  return async (
    request: FastifyRequest,
    reply: FastifyReply,
    onPath: RestRoute[],
  ): Promise<Admitted | undefined> => {
    const method = request.method === "HEAD" ? "GET" : request.method;
    const route = onPath.find((candidate) => candidate.method === method);
    const token = presentedKey(request);
    const caller = token === undefined ? undefined : await keys.verify(token);
    const state = caller && (await stateOf(caller.organizationId));
    const isRetired = state?.retired ?? deps.deployment.restCompatibility === "retired";
    const label = `${route?.method ?? "other"} ${onPath[0]?.path}`;
    if (route && caller?.via.kind === "key") {
      recorder.record({ keyId: caller.via.keyId, route: label, retired: isRetired });
    }
    calls.inc({
      organization: state?.slug ?? "none",
      route: label,
      state: isRetired ? "retired" : "live",
    });
    if (isRetired) throw retired();

    reply.header("deprecation", `@${deprecatedAt.getTime() / 1000}`);
    reply.header("link", `<${deps.deployment.publicUrl}/docs/rest>; rel="deprecation"; type="text/html"`);
    if (state?.sunsetAt) reply.header("sunset", state.sunsetAt.toUTCString());

    if (!route) {
      reply.header("allow", allowed(onPath));
      if (request.method === "OPTIONS") return void reply.code(204).send();
      throw new AppError("method_not_allowed", `Here, only ${allowed(onPath)} can be used.`);
    }
    if (!caller) throw new AppError("unauthorized", token === undefined ? noToken : badToken);
    return { caller, route };
  };
}

const noToken = "Send an API key in the header Authorization: Bearer <key>.";
const badToken = "This API key is unknown, revoked or expired.";

const allowed = (onPath: RestRoute[]): string => {
  const methods = onPath.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method]));
  return [...methods, "OPTIONS"].join(", ");
};
