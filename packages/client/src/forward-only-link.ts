import type { TRPCLink } from "@trpc/client";
import { observable } from "@trpc/server/observable";
import type { AppRouter } from "./router.ts";

/**
 * Removes `direction`, which TanStack Query's infinite queries add to the input. Our lists page forward only, and
 * the server rejects unknown fields.
 */
export const forwardOnlyLink: TRPCLink<AppRouter> =
  () =>
  ({ next, op }) =>
    observable((observer) => next({ ...op, input: withoutDirection(op.input) }).subscribe(observer));

function withoutDirection(input: unknown): unknown {
  if (typeof input !== "object" || input === null || !("direction" in input)) return input;
  const { direction: _, ...rest } = input;
  return rest;
}
