import { CursorError } from "@querybell/cursors";
import { AppError } from "@querybell/domain";

/** Opens a cursor; one that cannot be used is the caller's to replace. */
export function openCursor<Position>(open: () => Position): Position {
  try {
    return open();
  } catch (error) {
    throw error instanceof CursorError ? cursorToAppError(error) : error;
  }
}

export const cursorToAppError = (error: CursorError): AppError =>
  new AppError(error.code, error.message, { cause: error });
