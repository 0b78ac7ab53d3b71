/** The stable names of everything that can be wrong. New ones may be added; these never change meaning. */
export type WebhookErrorCode =
  | "missing_header"
  | "duplicate_header"
  | "malformed_id"
  | "malformed_timestamp"
  | "timestamp_too_old"
  | "timestamp_in_future"
  | "malformed_signature"
  | "signature_mismatch"
  | "body_not_raw"
  | "body_too_large"
  | "body_incomplete"
  | "malformed_secret"
  | "malformed_event";

/** Statuses other than 400, which means that the request is at fault. */
const statuses: Partial<Record<WebhookErrorCode, number>> = {
  body_too_large: 413,
  // These two are faults of the receiving program, not of whoever sent the request.
  body_not_raw: 500,
  malformed_secret: 500,
};

const asTheyCame =
  "Pass the headers and the raw body as they came, before any body parser, and look for a proxy that changes them.";

/**
 * Everything this kit refuses, it refuses with this error. `code` is for programs and `message` for
 * whoever reads the answer; `hint` says what to do and is meant for your own log alone.
 */
export class WebhookError extends Error {
  override readonly name = "WebhookError";
  /** What is wrong, as a stable name. */
  readonly code: WebhookErrorCode;
  /** What to do about it. After a mismatch it names the cause that was found, if one was. */
  readonly hint: string;
  /** The HTTP status that the adapters answer. */
  readonly status: number;

  constructor(code: WebhookErrorCode, message: string, hint = asTheyCame) {
    super(message);
    this.code = code;
    this.hint = hint;
    this.status = statuses[code] ?? 400;
  }
}
