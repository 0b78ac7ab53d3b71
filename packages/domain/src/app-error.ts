import type { ErrorCode } from "./error-codes.ts";
import type { TextPosition } from "./text-position.ts";

/** One thing wrong with an input: where it is and what to do about it. */
export interface InputError {
  path: string;
  message: string;
  /** Where in a text that was sent. */
  position?: TextPosition;
}

interface AppErrorOptions {
  errors?: InputError[];
  retryAfterSeconds?: number;
  cause?: unknown;
}

/** A refusal the caller can understand and act on. Anything else that is thrown is a bug. */
export class AppError extends Error {
  override readonly name = "AppError";
  readonly code: ErrorCode;
  readonly errors: InputError[] | undefined;
  readonly retryAfterSeconds: number | undefined;

  /** `detail` is a sentence for the person who reads it: what is wrong, and what to do. There is always one. */
  constructor(code: ErrorCode, detail: string, options: AppErrorOptions = {}) {
    super(detail, { cause: options.cause });
    this.code = code;
    this.errors = options.errors;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}
