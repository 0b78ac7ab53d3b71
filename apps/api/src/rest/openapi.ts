import { type ErrorCode, errorCodes } from "@querybell/domain";
import { z } from "zod";
import type { RestRoute } from "./define-route.ts";
import { restRoutes } from "./route-table.ts";
import { NoParameters, restSchemas } from "./shapes.ts";

const names = new Map<z.ZodType, string>(Object.entries(restSchemas).map(([name, schema]) => [schema, name]));
const toSchema = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** The error codes that a route can answer with. */
const errorCodesOf = ({ request, errors = [] }: RestRoute): ErrorCode[] => [
  "invalid_request",
  ...(request.query.shape.cursor ? (["invalid_cursor", "cursor_expired"] as const) : []),
  "unauthorized",
  "forbidden",
  "route_retired",
  ...(request.path !== NoParameters || request.bodyRule !== "none" ? (["not_found"] as const) : []),
  ...errors,
  ...(request.bodyRule !== "none" ? (["payload_too_large", "unsupported_media_type"] as const) : []),
  "rate_limited",
];

/** The published routes as OpenAPI 3.1, from the table that serves them. */
export const openApiDocument = {
  openapi: "3.1.0",
  info: {
    title: "Querybell: published REST routes",
    version: "1",
    description:
      "These routes are deprecated, and retired for organizations that say so: there, every one of them answers 404 with the code `route_retired`, which is permanent and must not be retried. Programs of your own use the tRPC interface instead.",
  },
  security: [{ key: [] }],
  paths: Object.fromEntries(
    [...Map.groupBy(restRoutes, ({ path }) => path)].map(([path, routes]) => [
      path.replaceAll(/:(\w+)/g, "{$1}"),
      Object.fromEntries(routes.map((route) => [route.method.toLowerCase(), toOperation(route)])),
    ]),
  ),
  components: {
    securitySchemes: { key: { type: "http", scheme: "bearer", description: "An API key" } },
    schemas: componentSchemas(),
  },
};

interface Response {
  description: string;
  content: Record<string, { schema: { $ref: string } }>;
}

function toOperation(route: RestRoute) {
  const { summary, procedure, request, status, response } = route;
  const schema = toSchema(names.get(response) ?? "");
  const success: Response = { description: summary, content: { "application/json": { schema } } };
  const responses: Record<string, Response> = { [status]: success, ...toErrorResponses(route) };
  return {
    operationId: procedure.replace(/\.(\w)/, (_, letter: string) => letter.toUpperCase()),
    summary,
    deprecated: true,
    parameters: [...toParameters("path", request.path), ...toParameters("query", request.query)],
    ...(request.bodyRule !== "none" && {
      requestBody: {
        required: request.bodyRule === "required",
        content: { "application/json": { schema: toJson(request.body) } },
      },
    }),
    responses,
  };
}

function toParameters(place: "path" | "query", schema: z.ZodObject) {
  const { properties = {} } = toJson(schema);
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: place === "path",
    schema: property,
  }));
}

function toErrorResponses(route: RestRoute): Record<string, Response> {
  const byStatus = Map.groupBy(errorCodesOf(route), (code) => errorCodes[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      status,
      {
        description: codes.map((code) => `\`${code}\`: ${errorCodes[code].title}`).join("; "),
        content: { "application/problem+json": { schema: toSchema("Problem") } },
      },
    ]),
  );
}

function toJson(schema: z.ZodType) {
  const { $schema, ...json } = z.toJSONSchema(schema, { io: "input" });
  return json;
}

function componentSchemas() {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(restSchemas)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, { uri: (id) => `#/components/schemas/${id}` });
  return Object.fromEntries(Object.entries(schemas).map(([id, { $schema, $id, ...schema }]) => [id, schema]));
}
