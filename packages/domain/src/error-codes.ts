/**
 * Every refusal the product can give. Both faces read this one table: tRPC answers with `trpc`,
 * the REST adapter with `status`, and both carry the code itself.
 */
export const errorCodes = {
  invalid_request: { status: 400, trpc: "BAD_REQUEST", title: "Invalid request" },
  invalid_sql: { status: 400, trpc: "BAD_REQUEST", title: "The SQL cannot be read" },
  multiple_statements: { status: 400, trpc: "BAD_REQUEST", title: "More than one statement" },
  unknown_placeholder: { status: 400, trpc: "BAD_REQUEST", title: "A placeholder has no definition" },
  statement_too_large: { status: 400, trpc: "BAD_REQUEST", title: "The statement is too large" },
  misplaced_placeholder: { status: 400, trpc: "BAD_REQUEST", title: "A placeholder cannot stand there" },
  invalid_parameter_value: { status: 400, trpc: "BAD_REQUEST", title: "A value does not fit its parameter" },
  invalid_visualization: { status: 400, trpc: "BAD_REQUEST", title: "The visualization cannot be read" },
  invalid_cursor: { status: 400, trpc: "BAD_REQUEST", title: "The cursor cannot be used" },
  cursor_expired: { status: 400, trpc: "BAD_REQUEST", title: "The cursor has expired" },
  unauthorized: { status: 401, trpc: "UNAUTHORIZED", title: "Unauthorized" },
  forbidden: { status: 403, trpc: "FORBIDDEN", title: "Forbidden" },
  cross_site_request: { status: 403, trpc: "FORBIDDEN", title: "Cross-site request refused" },
  webhooks_not_enabled: {
    status: 403,
    trpc: "FORBIDDEN",
    title: "Webhooks are not enabled for this organization",
  },
  not_found: { status: 404, trpc: "NOT_FOUND", title: "Not found" },
  route_retired: { status: 404, trpc: "NOT_FOUND", title: "This route is retired" },
  result_not_found: { status: 404, trpc: "NOT_FOUND", title: "There is no result yet" },
  result_expired: { status: 404, trpc: "NOT_FOUND", title: "The cached result has expired" },
  method_not_allowed: { status: 405, trpc: "METHOD_NOT_SUPPORTED", title: "Method not allowed" },
  conflict: { status: 409, trpc: "CONFLICT", title: "Conflict" },
  last_owner: { status: 409, trpc: "CONFLICT", title: "An organization needs an owner" },
  query_already_running: { status: 409, trpc: "CONFLICT", title: "The query is already running" },
  automation_busy: { status: 409, trpc: "CONFLICT", title: "The automation is busy" },
  automation_paused: { status: 409, trpc: "CONFLICT", title: "The automation is paused" },
  claim_lost: { status: 409, trpc: "CONFLICT", title: "The claim on the run is lost" },
  database_deleted: { status: 409, trpc: "CONFLICT", title: "The query's database was deleted" },
  payload_too_large: { status: 413, trpc: "PAYLOAD_TOO_LARGE", title: "Payload too large" },
  unsupported_media_type: { status: 415, trpc: "UNSUPPORTED_MEDIA_TYPE", title: "Unsupported media type" },
  missing_parameter_values: {
    status: 422,
    trpc: "UNPROCESSABLE_CONTENT",
    title: "A placeholder has neither a value nor a default",
  },
  database_unreachable: {
    status: 422,
    trpc: "UNPROCESSABLE_CONTENT",
    title: "No connection to the database",
  },
  database_credentials_refused: {
    status: 422,
    trpc: "UNPROCESSABLE_CONTENT",
    title: "The database refused the credentials",
  },
  query_failed: { status: 422, trpc: "UNPROCESSABLE_CONTENT", title: "The database refused the statement" },
  rate_limited: { status: 429, trpc: "TOO_MANY_REQUESTS", title: "Too many requests" },
  internal: { status: 500, trpc: "INTERNAL_SERVER_ERROR", title: "Something went wrong on our side" },
  unavailable: { status: 503, trpc: "SERVICE_UNAVAILABLE", title: "Temporarily unavailable" },
} as const;

export type ErrorCode = keyof typeof errorCodes;
