/** Why the embedded Postgres cannot run, in one sentence for the person who started it. */
export class EmbeddedPostgresError extends Error {
  override readonly name = "EmbeddedPostgresError";
}

const instead = "or set DATABASE_URL to use a database of your own";

/** Turns what the file system answered into a sentence; anything else comes back as it is. */
export function explainFailure(cause: unknown, folder: string): unknown {
  if (cause instanceof EmbeddedPostgresError || !(cause instanceof Error) || !("code" in cause)) return cause;
  const path = "path" in cause && typeof cause.path === "string" ? cause.path : folder;
  switch (cause.code) {
    case "EROFS":
    case "EACCES":
    case "EPERM":
      return new EmbeddedPostgresError(
        `The database folder ${folder} cannot be used because ${path} is not ours to read and write: change its permissions, ${instead}.`,
        { cause },
      );
    case "ENOSPC":
    case "EDQUOT":
      return new EmbeddedPostgresError(
        `There is no space left for the database folder ${folder}: free some, ${instead}.`,
        { cause },
      );
    case "ENOTDIR":
    case "EEXIST":
      return new EmbeddedPostgresError(
        `The database folder ${folder} cannot be made because ${path} is in its way: move that, ${instead}.`,
        { cause },
      );
    default:
      return cause;
  }
}

/** The same for what a Postgres program wrote to its log before it gave up. */
export function explainLog(doing: string, log: { path: string; text: string }): EmbeddedPostgresError {
  const lines = log.text.split("\n").filter((line) => line.trim() !== "");
  const reason =
    lines.findLast((line) => /\b(FATAL|PANIC|error):/.test(line)) ?? lines.at(-1) ?? "it said nothing";
  const full = /No space left on device|Disk quota exceeded/.test(log.text);
  return new EmbeddedPostgresError(
    full
      ? `There is no space left for Postgres while ${doing}: free some, ${instead} (log: ${log.path}).`
      : `Postgres failed while ${doing}: ${reason.trim()} (log: ${log.path}).`,
  );
}
