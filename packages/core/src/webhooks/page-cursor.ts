import { AppError, Id } from "@querybell/domain";

/** A position in a list that is ordered by id, as opaque text. */
export const cursorAfter = (id: string): string => Buffer.from(id).toString("base64url");

export function readCursor(cursor: string | undefined): string | undefined {
  if (cursor === undefined) return undefined;
  const id = Id.safeParse(Buffer.from(cursor, "base64url").toString());
  if (id.success) return id.data;
  throw new AppError("invalid_request", "This cursor is not one of ours. Start again without one.", {
    errors: [{ path: "cursor", message: "must be the nextCursor of the page before" }],
  });
}
