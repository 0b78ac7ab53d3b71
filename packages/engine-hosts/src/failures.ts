import { AppError } from "@querybell/domain";
import type { HostExit } from "./host-child.ts";
import type { Answer, EngineFailure, Task } from "./messages.ts";

export const failed = (failure: EngineFailure): Answer => ({ kind: "failed", failure });

export const shutdownFailure: EngineFailure = {
  code: "cancelled",
  message: "The service is stopping. Run the query again.",
};

export const cancelFailure: EngineFailure = { code: "cancelled", message: "The run was cancelled." };

export const fileSizeFailure: EngineFailure = {
  code: "result_too_large",
  message: "The database would become larger than it may be.",
};

export const timeFailure = ({ limits }: Task): EngineFailure => ({
  code: "query_timeout",
  message: `The query took longer than ${limits.timeMs / 1000} seconds. Make it read less, or raise the limit.`,
});

export const memoryFailure = ({ limits }: Task): EngineFailure => ({
  code: "out_of_memory",
  message: `The query needed more than ${Math.round(limits.memoryBytes / 1024 ** 2)} MiB of memory. Make it read or sort less, or raise the limit.`,
});

export function crashFailure({ code, signal, errorText, violation }: HostExit): EngineFailure {
  if (violation !== undefined) {
    return {
      code: "engine_crashed",
      message: `The engine was ended because it sent ${violation}. Run the query again; if it happens again, simplify it, and tell the operator.`,
    };
  }
  if (/heap out of memory/i.test(errorText)) {
    return {
      code: "out_of_memory",
      message: "The result's rows are too large for the memory of a run. Select less.",
    };
  }
  return {
    code: "engine_crashed",
    message: `The engine ended in the middle of the run (${signal ?? `exit code ${code}`}). Run the query again; if it happens again, simplify it.`,
  };
}

/** Keeps the codes that the caller can act on. All other failures are `unavailable`. */
export function toTaskError({ code, message }: EngineFailure): AppError {
  switch (code) {
    case "database_unreachable":
    case "database_credentials_refused":
    case "query_failed":
      return new AppError(code, message);
    default:
      return new AppError("unavailable", message);
  }
}

export const unexpectedAnswer = (kind: string): Error =>
  new Error(`An engine host gave an answer of the wrong kind: ${kind}.`);
