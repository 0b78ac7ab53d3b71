import { getQuery, listQueries } from "@querybell/core/queries";
import {
  createReference,
  deleteReference,
  getReference,
  listReferences,
  updateReference,
} from "@querybell/core/references";
import { getResult } from "@querybell/core/results";
import { refreshQuery } from "@querybell/core/runs";
import { defaultPageSize } from "@querybell/domain";
import { jsonRoute, type RestRoute, resultRoute } from "./define-route.ts";
import {
  CreateReferenceBody,
  EmptyBody,
  NoBody,
  NoParameters,
  PageParameters,
  QueryIdPath,
  RestDeletedReference,
  RestQueryDetail,
  RestQueryPage,
  RestReference,
  RestReferenceDetail,
  RestReferencePage,
  RestResult,
  RestRun,
  ShortIdPath,
  UpdateReferenceBody,
} from "./shapes.ts";

const withoutBody = { body: NoBody, bodyRule: "none" } as const;

// Over REST a reference exists once it has its query.
const isOptimistic = false;

/** The nine published routes. */
export const restRoutes: RestRoute[] = [
  jsonRoute({
    method: "GET",
    path: "/api/queries/refs",
    summary: "List query references",
    procedure: "references.list",
    scope: "references:read",
    request: { path: NoParameters, query: PageParameters, ...withoutBody },
    run: (deps, caller, { query: { limit = defaultPageSize, cursor } }) =>
      listReferences(deps, caller, { limit, cursor, isOptimistic }),
    status: 200,
    response: RestReferencePage,
  }),
  jsonRoute({
    method: "GET",
    path: "/api/queries/refs/:shortId",
    summary: "Retrieve a query reference",
    procedure: "references.get",
    scope: "references:read",
    request: { path: ShortIdPath, query: NoParameters, ...withoutBody },
    run: (deps, caller, { path }) => getReference(deps, caller, { ...path, isOptimistic }),
    status: 200,
    response: RestReferenceDetail,
  }),
  jsonRoute({
    method: "POST",
    path: "/api/queries/refs",
    summary: "Create a query reference",
    procedure: "references.create",
    scope: "references:write",
    request: { path: NoParameters, query: NoParameters, body: CreateReferenceBody, bodyRule: "required" },
    run: (deps, caller, { body }) => createReference(deps, caller, body),
    status: 201,
    response: RestReference,
  }),
  jsonRoute({
    method: "PUT",
    path: "/api/queries/refs/:shortId",
    summary: "Update a query reference",
    procedure: "references.update",
    scope: "references:write",
    request: { path: ShortIdPath, query: NoParameters, body: UpdateReferenceBody, bodyRule: "required" },
    run: (deps, caller, { path, body }) => updateReference(deps, caller, { ...path, ...body, isOptimistic }),
    status: 200,
    response: RestReference,
  }),
  jsonRoute({
    method: "DELETE",
    path: "/api/queries/refs/:shortId",
    summary: "Delete a query reference",
    procedure: "references.delete",
    scope: "references:write",
    request: { path: ShortIdPath, query: NoParameters, ...withoutBody },
    run: (deps, caller, { path }) => deleteReference(deps, caller, { ...path, isOptimistic }),
    status: 200,
    response: RestDeletedReference,
  }),
  jsonRoute({
    method: "GET",
    path: "/api/queries",
    summary: "List queries",
    procedure: "queries.list",
    scope: "queries:read",
    request: { path: NoParameters, query: PageParameters, ...withoutBody },
    run: (deps, caller, { query: { limit = defaultPageSize, cursor } }) =>
      listQueries(deps, caller, { limit, cursor }),
    status: 200,
    response: RestQueryPage,
  }),
  jsonRoute({
    method: "GET",
    path: "/api/queries/:queryId",
    summary: "Retrieve a query",
    procedure: "queries.get",
    scope: "queries:read",
    request: { path: QueryIdPath, query: NoParameters, ...withoutBody },
    run: (deps, caller, { path: { queryId } }) => getQuery(deps, caller, { id: queryId }),
    status: 200,
    response: RestQueryDetail,
  }),
  resultRoute({
    method: "GET",
    path: "/api/queries/:queryId/result",
    summary: "Get the cached result of the latest successful run",
    procedure: "queries.result",
    scope: "queries:read",
    request: { path: QueryIdPath, query: NoParameters, ...withoutBody },
    run: (deps, caller, { path: { queryId } }) => getResult(deps, caller, { id: queryId }),
    status: 200,
    response: RestResult,
    errors: ["result_not_found", "result_expired"],
  }),
  jsonRoute({
    method: "POST",
    path: "/api/queries/:queryId/refresh",
    summary: "Run a query again with the parameters of its last run",
    procedure: "queries.refresh",
    scope: "queries:run",
    request: { path: QueryIdPath, query: NoParameters, body: EmptyBody, bodyRule: "optional" },
    run: (deps, caller, { path: { queryId } }) => refreshQuery(deps, caller, { id: queryId }),
    status: 200,
    response: RestRun,
    errors: ["query_already_running", "database_deleted", "missing_parameter_values"],
  }),
];
