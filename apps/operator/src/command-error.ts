import { AppError } from "@querybell/domain";
import { MigrationError } from "@querybell/prisma";
import { explainConnectionFailure } from "@querybell/runtime";

/** An invalid or failed command. The message is for the operator. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}

/** An expected failure in words for the operator; undefined for a bug. */
export function toCommandError(error: unknown): CommandError | undefined {
  if (error instanceof CommandError) return error;
  const isAboutFile = error instanceof Error && "path" in error;
  const noConnection = isAboutFile ? undefined : explainConnectionFailure(error);
  if (noConnection !== undefined) return new CommandError(noConnection, { cause: error });
  if (error instanceof AppError || error instanceof MigrationError)
    return new CommandError(error.message, { cause: error });
  if (!(error instanceof Error && "code" in error && "syscall" in error)) return undefined;
  const isDiskFull = error.code === "ENOSPC";
  const sentence = isDiskFull
    ? "The disk is full. Make room, and run the command again."
    : `The system refused: ${error.message}.`;
  return new CommandError(sentence, { cause: error });
}
