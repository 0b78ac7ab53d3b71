/** A cursor that cannot be used: invalid for this list, or expired. */
export class CursorError extends Error {
  override readonly name = "CursorError";
  readonly code: "invalid_cursor" | "cursor_expired";

  constructor(code: CursorError["code"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
