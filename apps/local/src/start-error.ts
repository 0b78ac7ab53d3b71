/** How the user has started everything. */
export type LaunchCommand = "npm start" | "pnpm dev";

/** An expected failure of the start, with one sentence for the user. */
export class StartError extends Error {
  override readonly name = "StartError";
}

/** The code of a Node system error, such as EACCES. */
export const systemCode = (error: unknown): string | undefined =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
