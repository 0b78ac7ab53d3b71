import type { ErrorCode } from "@querybell/domain";
import { expect } from "vitest";

/** What a tRPC client gets when a call is refused with this code. */
export const refused = (reason: ErrorCode, message?: RegExp) =>
  expect.objectContaining({
    data: expect.objectContaining({ reason }),
    ...(message && { message: expect.stringMatching(message) }),
  });
