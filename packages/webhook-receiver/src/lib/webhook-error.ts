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

const asTheyCame = "Pass the headers and the raw body as they came: does a parser or a proxy change them?";

// Known to every copy of this class, since a program may load both the ESM and the CommonJS one. A name would
// not do: other programs have errors of this name, and what they say is not for the sender.
const brand = Symbol.for("@querybell/webhook-receiver");

/**
 * Everything this kit refuses, it refuses with this error. `code` is for programs and `message` for
 * whoever reads the answer; `hint` says what to do and is meant for your own log alone.
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
  /** What is wrong, as a stable name. */
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
