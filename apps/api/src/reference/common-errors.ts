import type { DocumentedErrors } from "../trpc/documented-errors.ts";

/** The errors that every procedure can have. */
export const commonErrors = {
  invalid_request: "the input does not fit; `errors` names each place",
  unauthorized: "no session and no API key, or one that has ended",
  forbidden: "the role or the key's scopes do not allow it",
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
