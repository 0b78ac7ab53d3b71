import type { ErrorCode } from "@querybell/domain";

/** The error codes of a procedure, each with its cause, besides those that every procedure has. */
export type DocumentedErrors = Partial<Record<ErrorCode, string>>;

/** Errors of procedures that save a statement. */
export const sqlErrors = {
  invalid_sql: "the SQL cannot be read, or has a parameter of the driver's own (`$1`, `?`)",
  multiple_statements: "the SQL has more than one statement",
  misplaced_placeholder: "a placeholder is malformed, or part of a quoted name",
  statement_too_large: "the SQL has more than 1,000 placeholders or 100 different ones",
} satisfies DocumentedErrors;

/** Errors of procedures that bind values to a statement. */
export const valueErrors = {
  invalid_parameter_value: "a value does not fit the type of its parameter, or there is no such parameter",
  missing_parameter_values: "a parameter has neither a value nor a default",
  misplaced_placeholder: "a list is used inside a string of the SQL",
  statement_too_large: "the statement becomes too large with these values",
  database_deleted: "the database of the query was deleted",
} satisfies DocumentedErrors;

/** Errors of procedures that save a reference's visualization and parameters. */
export const contentErrors = {
  invalid_visualization: "`jsxConfig` cannot be read, or has what is not allowed in it",
  invalid_parameter_value: "a default does not fit the type of its parameter",
} satisfies DocumentedErrors;

/** Errors of procedures that combine parameters with a query. */
export const definitionErrors = {
  unknown_placeholder:
    "`parameters` are given, and neither they nor the query define one of its placeholders",
  misplaced_placeholder: "a parameter is a list, and the query uses it inside a string",
} satisfies DocumentedErrors;

/** Errors of procedures that connect to an analytical database. */
export const connectionErrors = {
  database_unreachable: "there is no connection; the message lists what to check",
  database_credentials_refused: "a server that was connected to before refuses the user or the password",
} satisfies DocumentedErrors;

/** Errors of procedures that write files. */
export const storageErrors = {
  disk_full: "the disk of this installation is full",
} satisfies DocumentedErrors;

/** Errors of procedures with which an external agent writes to a run. */
export const claimErrors = {
  not_found: "there is no such run of an automation",
  claim_lost: "the run has ended, or somebody else has claimed it since",
} satisfies DocumentedErrors;

/** The errors that every procedure can have. */
export const commonErrors = {
  invalid_request: "the input does not fit; `errors` names each place",
  unauthorized: "no session and no API key, or one that has ended",
  forbidden: "the role, the [rights](../access.md) or the key's scopes do not allow it",
  second_factor_required: "the organization demands a second factor, and the session has none",
  single_sign_on_required:
    "the organization is opened only by single sign-on, and the session came another way",
  confirmation_required:
    "only for procedures marked as dangerous: the person has a second factor, and has not presented it in the last ten minutes",
  cross_site_request: "a mutation with a session's cookie comes from another site's page",
  session_switched: "the header `Querybell-Organization` names another organization than the session is in",
  method_not_allowed: "a mutation is sent as `GET`",
  payload_too_large: "the body has more than 1 MiB",
  unsupported_media_type: "the body is not sent as `application/json`",
  rate_limited: "too many calls or open subscriptions; wait as long as `Retry-After` says",
  unavailable: "the server is busy or stopping; wait as long as `Retry-After` says",
  internal: "something went wrong on our side; the log of the server says more",
} satisfies DocumentedErrors;

/** The errors of every procedure that takes a cursor. */
export const cursorErrors = {
  invalid_cursor: "`cursor` was not made for this list, or with other filters",
  cursor_expired: "`cursor` is more than a day old: start again without one",
} satisfies DocumentedErrors;

export const webhookErrors = {
  webhooks_not_enabled: "the operator has not enabled webhooks for the organization",
} satisfies DocumentedErrors;
