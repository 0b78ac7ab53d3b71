/** A start that cannot go on, as one sentence for the person at the keyboard. */
export class StartError extends Error {
  override readonly name = "StartError";
}

/** Node's code of a failed call to the system, such as EACCES. */
export const systemCode = (error: unknown): string | undefined =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
