import type { ErrorCode } from "@querybell/domain";
import type { inferRouterInputs } from "@trpc/server";
import type { z } from "zod";
import type { AppRouter } from "../trpc/router.ts";
import {
  CreateReferenceBody,
  EmptyBody,
  NoParameters,
  PageParameters,
  QueryIdPath,
  ShortIdPath,
  UpdateReferenceBody,
} from "./requests.ts";
import {
  RestDeletedReference,
  RestQueryDetail,
  RestQueryPage,
  RestReference,
  RestReferenceDetail,
  RestReferencePage,
  RestResult,
  RestRun,
} from "./shapes.ts";

type Inputs = inferRouterInputs<AppRouter>;

/** The input type of the procedure at this path. */
type InputOf<Path> = Path extends `${infer Router extends keyof Inputs & string}.${infer Name}`
  ? Name extends keyof Inputs[Router]
    ? Inputs[Router][Name]
    : never
  : never;

interface Request<Path, Query, Body> {
  path: Path;
  query: Query;
  body: Body;
}

export interface RestRoute {
  method: "GET" | "POST" | "PUT" | "DELETE";
  path: string;
  summary: string;
  procedure: string;
  /** The schemas of the path, the query string and the body. A route without a body schema rejects a body. */
  request: { path?: z.ZodObject; query: z.ZodObject; body?: z.ZodObject; bodyIsOptional?: boolean };
  /** Converts the request, parsed with these schemas, to the procedure's input. */
  toInput(request: Request<never, never, never>): unknown;
  status: 200 | 201;
  response: z.ZodType;
  /** Its error codes, besides those that follow from the other fields. */
  errors?: ErrorCode[];
  /** The procedure returns the metadata of a stored result. The route sends the stored bytes. */
  storedBytes?: true;
}

/** Checks that `toInput` fits the route's schemas and the procedure's input. */
const route = <
  const Procedure extends string,
  Query extends z.ZodObject,
  Path extends z.ZodObject = z.ZodObject,
  Body extends z.ZodObject = z.ZodObject,
>(
  row: RestRoute & {
    procedure: Procedure;
    request: { path?: Path; query: Query; body?: Body };
    toInput(request: Request<z.output<Path>, z.output<Query>, z.output<Body>>): InputOf<Procedure>;
  },
): RestRoute => row;

/** The nine published routes. */
export const restRoutes: RestRoute[] = [
  route({
    method: "GET",
    path: "/api/queries/refs",
    summary: "List query references",
    procedure: "references.list",
    request: { query: PageParameters },
    toInput: ({ query: { limit, cursor } }) => ({ limit, cursor, isOptimistic: false }),
    status: 200,
    response: RestReferencePage,
  }),
  route({
    method: "GET",
    path: "/api/queries/refs/:shortId",
    summary: "Retrieve a query reference",
    procedure: "references.get",
    request: { path: ShortIdPath, query: NoParameters },
    toInput: ({ path }) => ({ ...path, isOptimistic: false }),
    status: 200,
    response: RestReferenceDetail,
  }),
  route({
    method: "POST",
    path: "/api/queries/refs",
    summary: "Create a query reference",
    procedure: "references.create",
    request: { query: NoParameters, body: CreateReferenceBody },
    toInput: ({ body }) => body,
    status: 201,
    response: RestReference,
  }),
  route({
    method: "PUT",
    path: "/api/queries/refs/:shortId",
    summary: "Update a query reference",
    procedure: "references.update",
    request: { path: ShortIdPath, query: NoParameters, body: UpdateReferenceBody },
    toInput: ({ path, body }) => ({ ...path, ...body, isOptimistic: false }),
    status: 200,
    response: RestReference,
  }),
  route({
    method: "DELETE",
    path: "/api/queries/refs/:shortId",
    summary: "Delete a query reference",
    procedure: "references.delete",
    request: { path: ShortIdPath, query: NoParameters },
    toInput: ({ path }) => ({ ...path, isOptimistic: false }),
    status: 200,
    response: RestDeletedReference,
  }),
  route({
    method: "GET",
    path: "/api/queries",
    summary: "List queries",
    procedure: "queries.list",
    request: { query: PageParameters },
    toInput: ({ query: { limit, cursor } }) => ({ limit, cursor }),
    status: 200,
    response: RestQueryPage,
  }),
  route({
    method: "GET",
    path: "/api/queries/:queryId",
    summary: "Retrieve a query",
    procedure: "queries.get",
    request: { path: QueryIdPath, query: NoParameters },
    toInput: ({ path: { queryId } }) => ({ id: queryId }),
    status: 200,
    response: RestQueryDetail,
  }),
  route({
    method: "GET",
    path: "/api/queries/:queryId/result",
    summary: "Get the cached result of the latest successful run",
    procedure: "queries.result",
    request: { path: QueryIdPath, query: NoParameters },
    toInput: ({ path: { queryId } }) => ({ id: queryId }),
    status: 200,
    response: RestResult,
    storedBytes: true,
  }),
  route({
    method: "POST",
    path: "/api/queries/:queryId/refresh",
    summary: "Run a query again with the parameters of its last run",
    procedure: "queries.refresh",
    request: { path: QueryIdPath, query: NoParameters, body: EmptyBody, bodyIsOptional: true },
    toInput: ({ path: { queryId } }) => ({ id: queryId }),
    status: 200,
    response: RestRun,
    errors: ["query_already_running", "database_deleted", "missing_parameter_values"],
  }),
];
