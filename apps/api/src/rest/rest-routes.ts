import { METHODS } from "node:http";
import type { KeyVerifier } from "@querybell/core/keys";
import { createRestCallRecorder } from "@querybell/core/rest-calls";
import type { Caller } from "@querybell/domain";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { Counter, type Registry } from "prom-client";
import { discardRefusedBodies } from "../http/refused-body.ts";
import { sendStoredResult } from "../http/result-routes.ts";
import type { Context } from "../trpc/context.ts";
import { createAdmission } from "./admit.ts";
import type { RestRoute } from "./route.ts";
import { restRoutes } from "./routes.ts";

interface RestOptions
  extends Pick<Context, "closing" | "deps" | "limiter" | "observeCall" | "requestSlots" | "subscriptions"> {
  keys: KeyVerifier;
  registry: Registry;
}

interface AdmittedRequest {
  route: RestRoute;
  context: Context & { caller: Caller };
}

/**
 * Serves the published REST routes. The order of the checks: retired, method and token (`admit.ts`); rate, scope and
 * input (`route.ts`); then, in the use case, whether the object exists.
 */
export async function addRestRoutes(
  app: FastifyInstance,
  { registry, ...options }: RestOptions,
): Promise<void> {
  const calls = new Counter({
    name: "querybell_rest_calls_total",
    help: "Calls of the published REST routes, by the organization of the key and whether they are live there",
    labelNames: ["organization", "route", "state"] as const,
    registers: [registry],
  });
  const recorder = createRestCallRecorder({ ...options.deps, onError: (error) => app.log.error(error) });
  app.addHook("onClose", () => recorder.close());
  const admit = createAdmission({ ...options, calls, recorder });

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
      const admitted = new WeakMap<FastifyRequest, AdmittedRequest>();
      scope.all<{ Params: Record<string, string> }>(path, {
        onRequest: async (request, reply) => {
          // `/api/queries/` is not a query with an empty id.
          if (Object.values(request.params).includes("")) return reply.callNotFound();
          const found = await admit(request, reply, onPath);
          if (!found) return reply;
          const { keys: _, ...parts } = options;
          const context = { ...parts, caller: found.caller, address: request.ip };
          admitted.set(request, { route: found.route, context });
        },
        handler: async (request, reply) => {
          const found = admitted.get(request);
          if (!found) throw new Error(`${request.method} ${path} was answered already.`);
          const { route, context } = found;
          const answer = await route.answer(context, reply);
          if (answer.kind === "json") return reply.code(route.status).send(answer.body);
          const { deps, caller } = context;
          return sendStoredResult(request, reply, { deps, caller, info: answer.info });
        },
      });
    }
  });
}
