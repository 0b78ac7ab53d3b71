import type { ErrorCode } from "@querybell/domain";
import { expect } from "vitest";

/** Matches the error of a tRPC client for a call that failed with this code. */
export const apiError = (reason: ErrorCode, message?: RegExp) =>
  expect.objectContaining({
    data: expect.objectContaining({ reason }),
    ...(message && { message: expect.stringMatching(message) }),
  });
