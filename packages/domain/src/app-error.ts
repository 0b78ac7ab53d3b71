import type { ErrorCode } from "./error-codes.ts";

/** A problem with one field of the input: its path and what to do. */
export interface InputError {
  path: string;
  message: string;
  /** The position in a text of the input. */
  position?: TextPosition;
}

interface AppErrorOptions {
  errors?: InputError[];
  retryAfterSeconds?: number;
  cause?: unknown;
}

/** An expected error that the caller can act on. Any other thrown error is a bug. */
export class AppError extends Error {
  override readonly name = "AppError";
  readonly code: ErrorCode;
  readonly errors: InputError[] | undefined;
  readonly retryAfterSeconds: number | undefined;

  /** `detail` says what happened and what to do. */
  constructor(code: ErrorCode, detail: string, options: AppErrorOptions = {}) {
    super(detail, { cause: options.cause });
    this.code = code;
    this.errors = options.errors;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** Invalid settings. The message is for the person who starts the process. */
export class SettingsError extends Error {
  override readonly name = "SettingsError";
}

/** A place in a text as editors count: both from 1, columns in UTF-16 code units. */
export interface TextPosition {
  line: number;
  column: number;
}

export function positionAt(text: string, offset: number): TextPosition {
  const before = text.slice(0, offset).split(/\r\n|\r|\n/);
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

export const describePosition = ({ line, column }: TextPosition): string => `line ${line}, column ${column}`;
