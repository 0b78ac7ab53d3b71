import { testPassword } from "@querybell/core/testing/factories";
import { Id, PictureParameters, SendUpload } from "@querybell/domain";
import fc from "fast-check";
import { z } from "zod";
import { type Procedure, procedures } from "../../api-reference/procedures.ts";
import { restRoutes } from "../../rest/route-table.ts";
import { arbitraryOf } from "./arbitrary-of-schema.ts";
import { bodyOf, type Form, inAddress } from "./forms.ts";
import type { CallerName } from "./our-organization.ts";
import { recordedInput, withOneField } from "./recorded-inputs.ts";
import { anyIds, type IdsOfKind, ourIds } from "./symbols.ts";

export interface HttpCall {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: Buffer | undefined;
}

/** Something that can be called: a procedure or a route. */
export interface Operation {
  /** `queries.run`, or `GET /api/queries`. */
  name: string;
  /** Inputs that its schema accepts. */
  valid: fc.Arbitrary<unknown>;
  /** Inputs that it accepts if what they name is in the right state. */
  likely: fc.Arbitrary<unknown>;
  /** Who usually calls it. */
  callers: CallerName[];
  isSubscription: boolean;
  changesNothing: boolean;
  /** The request for an input, which may be any value. */
  encode(input: unknown, form: Form): HttpCall;
}

const toJson = (schema: z.ZodType) => z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });

function generatedInput({ path, inputs }: Procedure): fc.Arbitrary<unknown> {
  const [router = ""] = path.split(".");
  const parts = inputs.map((schema) => arbitraryOf(toJson(schema), { name: "", router, idsOf: anyIds }));
  return parts.length === 0
    ? fc.constant(undefined)
    : fc.tuple(...parts).map((values) => (values.length === 1 ? values[0] : Object.assign({}, ...values)));
}

function usualCallers({ access, scope }: Procedure): CallerName[] {
  if (access === "public") return ["nobody"];
  return access === "key" || scope ? ["key"] : ["owner", "owner", "admin", "member"];
}

function procedureOperation(procedure: Procedure): Operation {
  const { path, type } = procedure;
  const generated = generatedInput(procedure);
  const recorded = recordedInput(path, anyIds);
  return {
    name: path,
    valid: fc.oneof(generated, recorded, withOneField(recorded, generated)),
    likely: recordedInput(path, ourIds),
    callers: usualCallers(procedure),
    isSubscription: type === "subscription",
    changesNothing: type !== "mutation",
    encode(input, form) {
      const count = Math.max(1, form.batch);
      const address = `/api/trpc/${Array.from({ length: count }, () => path).join(",")}`;
      const value =
        form.batch === 0 ? input : Object.fromEntries(Array.from({ length: count }, (_, at) => [at, input]));
      const json = JSON.stringify(value) ?? "";
      const batch = form.batch === 0 ? [] : ["batch=1"];
      const method = form.method ?? (type === "mutation" ? "POST" : "GET");
      if (type === "mutation") {
        const query = batch.length > 0 ? "?batch=1" : "";
        const headers = { "content-type": form.contentType ?? "application/json", ...form.headers };
        return { method, path: address + query, headers, body: bodyOf(json, form.damage) };
      }
      const parameters = [...batch, ...(json === "" ? [] : [`input=${inAddress(json, form.damage)}`])];
      const accept = type === "subscription" ? { accept: "text/event-stream" } : {};
      return { method, path: `${address}?${parameters.join("&")}`, headers: { ...accept, ...form.headers } };
    },
  };
}

interface Route {
  method: string;
  path: string;
  router: string;
  pathParameters?: z.ZodType;
  query?: z.ZodType;
  body?: z.ZodType;
}

const textBody = z
  .string()
  .meta({ examples: ["id,name\n1,apple\n2,pear\n", '{"id":1}\n{"id":2}\n', "a;b\n1,5;x"] });

const knownPassword = z
  .string()
  .max(128)
  .meta({ examples: [testPassword] });

/** Routes beside tRPC. The published ones are read from their table. */
const routes: Route[] = [
  ...restRoutes.map(({ method, path, request }) => ({
    method,
    path,
    router: path.includes("refs") ? "references" : "queries",
    pathParameters: request.path,
    query: request.query,
    ...(request.bodyRule !== "none" && { body: request.body }),
  })),
  ...[
    "result",
    "result.json",
    "result.csv",
    "result.parquet",
    "expired-result",
    "past-result",
    "past-result.csv",
  ].map((ending) => ({
    method: "GET",
    path: `/api/runs/:runId/${ending}`,
    router: "runs",
    pathParameters: z.object({ runId: Id }),
  })),
  ...["picture.png", "picture.svg"].map((ending) => ({
    method: "GET",
    path: `/api/charts/:shortId/${ending}`,
    router: "references",
    pathParameters: z.object({ shortId: z.string() }),
    query: PictureParameters,
  })),
  { method: "GET", path: "/api/key", router: "keys" },
  { method: "POST", path: "/api/uploads", router: "uploads", query: SendUpload, body: textBody },
  {
    method: "POST",
    path: "/api/auth/sign-in/email",
    router: "auth",
    body: z.object({ email: z.email(), password: knownPassword, callbackURL: z.string().optional() }),
  },
  { method: "GET", path: "/api/auth/get-session", router: "auth" },
  {
    method: "POST",
    path: "/api/auth/request-password-reset",
    router: "auth",
    body: z.object({ email: z.email(), redirectTo: z.string().optional() }),
  },
  {
    method: "POST",
    path: "/api/auth/reset-password",
    router: "auth",
    body: z.object({ token: z.string(), newPassword: knownPassword }),
  },
  ...["/healthz", "/readyz", "/api/openapi.json", "/api/reference"].map((path) => ({
    method: "GET",
    path,
    router: "",
  })),
];

interface RouteInput {
  path?: unknown;
  query?: unknown;
  body?: unknown;
}

const asRecord = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null ? { ...value } : {};

function routeOperation({ method, path, router, pathParameters, query, body }: Route): Operation {
  const inputs = (idsOf: IdsOfKind) => {
    const part = (schema: z.ZodType | undefined) =>
      schema ? arbitraryOf(toJson(schema), { name: "", router, idsOf }) : fc.constant({});
    return fc.record({
      path: part(pathParameters),
      query: part(query),
      ...(body && { body: part(body) }),
    });
  };
  return {
    name: `${method} ${path}`,
    valid: inputs(anyIds),
    likely: inputs(ourIds),
    callers: [router === "auth" ? "nobody" : "key"],
    isSubscription: false,
    changesNothing: method === "GET",
    encode(input, form) {
      const { path: inPath, query: inQuery, body: sent }: RouteInput = asRecord(input);
      const values = asRecord(inPath);
      const filled = path.replace(/:(\w+)/g, (_, name: string) =>
        inAddress(asText(values[name]), form.damage),
      );
      const parameters = Object.entries(asRecord(inQuery)).map(
        ([name, value]) => `${inAddress(name, "none")}=${inAddress(asText(value), form.damage)}`,
      );
      const address = parameters.length > 0 ? `${filled}?${parameters.join("&")}` : filled;
      const chosen = form.method ?? method;
      if (sent === undefined) return { method: chosen, path: address, headers: form.headers };
      // The body of an upload is the text itself.
      const text = path === "/api/uploads" && typeof sent === "string" ? sent : JSON.stringify(sent);
      const headers = { "content-type": form.contentType ?? "application/json", ...form.headers };
      return { method: chosen, path: address, headers, body: bodyOf(text, form.damage) };
    },
  };
}

const asText = (value: unknown): string =>
  typeof value === "string" ? value : (JSON.stringify(value) ?? "");

/** Every procedure of the router and every route. */
export const operations: Operation[] = [...procedures.map(procedureOperation), ...routes.map(routeOperation)];
