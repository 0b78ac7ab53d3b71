/** Stable codes of everything that can be wrong. New ones may be added; these never change meaning. */
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

const asTheyCame = "Pass the headers and the raw body as they came: does a parser or a proxy change them?";

// Marks errors of every copy of this class: a program may load both the ESM and the CommonJS one. The class
// name is not enough: other libraries have errors of this name, whose messages must not reach the sender.
const brand = Symbol.for("@querybell/webhook-receiver");

/**
 * The error of every refusal. `code` is for programs, and `message` is for the reader of the response. `hint`
 * says what to do, and is only for your own log.
 */
export class WebhookError extends Error {
  static {
    Reflect.set(WebhookError.prototype, brand, true);
  }

  /** An error of another copy of this class is one of this copy too. */
  static override [Symbol.hasInstance](value: unknown): value is WebhookError {
    return brand in Object(value);
  }

  override readonly name = "WebhookError";
  /** What is wrong, as a stable code. */
  readonly code: WebhookErrorCode;
  /** What to do about it. After a mismatch it names the cause that was found, if one was. */
  readonly hint: string;
  /** Where each code is explained. */
  readonly docs =
    "https://github.com/querybell/querybell/tree/main/packages/webhook-receiver#when-something-is-wrong";

  constructor(code: WebhookErrorCode, message: string, hint = asTheyCame) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}
