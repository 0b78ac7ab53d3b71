import type { ErrorCode } from "@querybell/domain";
import { expect } from "vitest";

/** What a tRPC client rejects with when the product refuses for this reason. */
export const refused = (reason: ErrorCode) =>
  expect.objectContaining({ data: expect.objectContaining({ reason }) });
