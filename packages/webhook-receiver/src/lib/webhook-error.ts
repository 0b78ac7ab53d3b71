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

const asTheyCame =
  "Pass the headers and the raw body as they came, before any body parser, and look for a proxy that changes them.";

/**
 * Everything this kit refuses, it refuses with this error. `code` is for programs and `message` for
 * whoever reads the answer; `hint` says what to do and is meant for your own log alone.
 */
export class WebhookError extends Error {
  /** An error of the ESM copy of this class is one of the CommonJS copy too: a program may load both. */
  static override [Symbol.hasInstance](value: unknown): value is WebhookError {
    return Object(value).name === "WebhookError";
  }

  override readonly name = "WebhookError";
  /** What is wrong, as a stable name. */
  readonly code: WebhookErrorCode;
  /** What to do about it. After a mismatch it names the cause that was found, if one was. */
  readonly hint: string;

  constructor(code: WebhookErrorCode, message: string, hint = asTheyCame) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}
