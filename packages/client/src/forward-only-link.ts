import type { TRPCLink } from "@trpc/client";
import { observable } from "@trpc/server/observable";
import type { AppRouter } from "./router.ts";

/**
 * TanStack Query's infinite queries add a `direction` to what they send. Our lists lead one way, and the server
 * refuses fields that it does not know.
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
