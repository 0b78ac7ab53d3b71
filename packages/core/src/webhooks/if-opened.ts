import { UnsealError } from "@querybell/sealing";

/** What was sealed, or undefined when the key that it was sealed with is gone. */
export function ifOpened<T>(open: () => T): T | undefined {
  try {
    return open();
  } catch (error) {
    if (error instanceof UnsealError) return undefined;
    throw error;
  }
}
