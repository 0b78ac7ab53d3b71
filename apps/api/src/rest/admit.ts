import type { Deps } from "@querybell/core";
import type { KeyVerifier } from "@querybell/core/keys";
import { createRestStates } from "@querybell/core/organizations";
import type { RestCallRecorder } from "@querybell/core/rest-calls";
import { AppError, type Caller } from "@querybell/domain";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Counter } from "prom-client";
import { presentedKey } from "../http/authenticate.ts";
import type { RestRoute } from "./route.ts";

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
export function createAdmission({ deps, keys, calls, recorder }: AdmitOptions) {
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
