/** Why a cursor cannot be used: it is not one of ours for this list, or its time is over. */
export class CursorError extends Error {
  override readonly name = "CursorError";
  readonly code: "invalid_cursor" | "cursor_expired";

  constructor(code: CursorError["code"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
