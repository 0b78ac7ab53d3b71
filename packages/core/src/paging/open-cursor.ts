import { CursorError } from "@querybell/cursors";
import { AppError } from "@querybell/domain";

/** Opens a cursor. Converts the error of an invalid or expired cursor to an AppError. */
export function openCursor<Position>(open: () => Position): Position {
  try {
    return open();
  } catch (error) {
    throw error instanceof CursorError ? cursorToAppError(error) : error;
  }
}

export const cursorToAppError = (error: CursorError): AppError =>
  new AppError(error.code, error.message, { cause: error });
