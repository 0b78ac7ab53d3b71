/** Why the embedded Postgres cannot run, in one sentence for the user. */
export class EmbeddedPostgresError extends Error {
  override readonly name = "EmbeddedPostgresError";
}

const instead = "or set DATABASE_URL to use a database of your own";

/** Converts a file system error to an EmbeddedPostgresError. Returns any other error unchanged. */
export function explainFailure(cause: unknown, folder: string): unknown {
  if (!isSystemError(cause)) return cause;
  const path = cause.path ?? folder;
  // On a read-only file system, Node's recursive mkdir says that the parent is missing.
  const isReadOnly = cause.code === "ENOENT" && cause.syscall === "mkdir";
  switch (isReadOnly ? "EROFS" : cause.code) {
    case "EROFS":
    case "EACCES":
    case "EPERM":
      return new EmbeddedPostgresError(
        `The database folder ${folder} cannot be used because ${path} may not be written: change that, ${instead}.`,
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
    case "ENOTEMPTY":
      return new EmbeddedPostgresError(
        `The database folder ${folder} cannot be made because ${path} is in its way: move that, ${instead}.`,
        { cause },
      );
    default:
      return cause;
  }
}

/** Converts the failure of a Postgres program, with the reason from its log. */
export function explainLog(doing: string, log: { path: string; text: string }): EmbeddedPostgresError {
  if (/No space left on device|Disk quota exceeded/.test(log.text)) {
    return new EmbeddedPostgresError(
      `There is no space left for Postgres while ${doing}: free some, ${instead} (log: ${log.path}).`,
    );
  }
  const lines = log.text.split("\n").filter((line) => line.trim() !== "");
  const failures = lines.flatMap((line) => /(?:FATAL|PANIC|error): +(.*)/.exec(line)?.[1] ?? []);
  const reason = failures.at(-1) ?? lines.at(-1) ?? "it did not say why";
  return new EmbeddedPostgresError(`Postgres failed while ${doing}: ${reason} (log: ${log.path}).`);
}

export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "syscall" in error;
}
