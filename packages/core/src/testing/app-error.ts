import type { ErrorCode } from "@querybell/domain";
import { expect } from "vitest";

/** Matches the error of a use case that failed with this code. */
export const appError = (code: ErrorCode, message?: RegExp) =>
  expect.objectContaining({
    name: "AppError",
    code,
    ...(message && { message: expect.stringMatching(message) }),
  });
