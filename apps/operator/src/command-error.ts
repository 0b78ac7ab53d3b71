import { AppError } from "@querybell/domain";
import { MigrationError } from "@querybell/prisma";

/** An invalid or failed command. The message is for the operator. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}

/** An expected failure in words for the operator; undefined for a bug. */
export function toCommandError(error: unknown): CommandError | undefined {
  if (error instanceof CommandError) return error;
  if (error instanceof AppError || error instanceof MigrationError)
    return new CommandError(error.message, { cause: error });
  if (!(error instanceof Error && "code" in error && "syscall" in error)) return undefined;
  const sentence = systemSentences[String(error.code)] ?? `The system refused: ${error.message}.`;
  return new CommandError(sentence, { cause: error });
}

const noDatabase = "No database answers. Check DATABASE_URL.";
const systemSentences: Record<string, string> = {
  ECONNREFUSED: noDatabase,
  ENOTFOUND: noDatabase,
  ETIMEDOUT: noDatabase,
  ENOSPC: "The disk is full. Make room, and run the command again.",
};
