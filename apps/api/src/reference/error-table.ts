import { errorCodes } from "@querybell/domain";
import type { DocumentedErrors } from "../trpc/documented-errors.ts";

/** A table of codes with their HTTP status, in the order of the statuses. */
export function errorTable(errors: DocumentedErrors): string {
  const rows = Object.entries(errorCodes)
    .map(([code, { status }]) => ({
      code,
      status,
      when: Object.entries(errors).find(([one]) => one === code)?.[1],
    }))
    .filter(({ when }) => when !== undefined)
    .map(({ code, status, when }) => `| ${status} | \`${code}\` | ${when} |`);
  return ["| status | reason | when |", "|---|---|---|", ...rows].join("\n");
}
