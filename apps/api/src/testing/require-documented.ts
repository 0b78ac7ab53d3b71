import type { httpLink } from "@trpc/client";
import { z } from "zod";
import { procedures } from "../api-reference/procedures.ts";
import { commonErrors } from "../trpc/documented-errors.ts";

type Fetch = NonNullable<Parameters<typeof httpLink>[0]["fetch"]>;

const ErrorResponse = z.object({
  error: z.object({ data: z.object({ reason: z.string(), path: z.string() }) }),
});

/**
 * Fails if a procedure answers with an error code that the reference does not list for it. Every call that a test
 * makes through `api` is checked.
 */
export function requireDocumented(path: string, reason: string): void {
  const procedure = procedures.find((one) => one.path === path);
  if (!procedure || reason in commonErrors || reason in procedure.errors) return;
  throw new Error(`${path} refuses with ${reason}. Say when, in the errors of its metadata.`);
}

/** A fetch for tRPC's client that checks each answer. */
export const fetchDocumented: Fetch = async (url, init) => {
  const answer = await fetch(url, { ...init, signal: init?.signal ?? null });
  if (answer.ok) return answer;
  const { data: response } = ErrorResponse.safeParse(await answer.clone().json());
  if (response) requireDocumented(response.error.data.path, response.error.data.reason);
  return answer;
};
