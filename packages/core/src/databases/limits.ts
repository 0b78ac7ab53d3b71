import { AppError, DatabaseLimits, type GivenDatabaseLimits } from "@querybell/domain";
import { z } from "zod";
import type { Deps } from "../deps.ts";

const mebibyte = 1024 ** 2;
const whole = z.coerce.number().int().min(1);

/** The operator's settings for the maximum limits that an admin can set. */
export const ceilingSettings = {
  MAX_QUERY_SECONDS: whole
    .max(3_600)
    .default(3_600)
    .describe("Maximum seconds that an admin can allow for a query run"),
  MAX_RESULT_ROWS: whole
    .max(1_000_000)
    .default(1_000_000)
    .describe("Maximum rows that an admin can allow for a result"),
  MAX_RESULT_MEBIBYTES: whole
    .max(256)
    .default(256)
    .describe("Maximum MiB that an admin can allow for a result"),
  MAX_QUERY_MEMORY_MEBIBYTES: whole
    .min(64)
    .max(65_536)
    .default(4_096)
    .describe("Maximum MiB of memory that an admin can allow for a query run"),
};

const CeilingSettings = z.object(ceilingSettings);
export type CeilingSettings = z.input<typeof CeilingSettings>;

export function toCeilings(settings: CeilingSettings): DatabaseLimits {
  const ceilings = CeilingSettings.parse(settings);
  return {
    timeMs: ceilings.MAX_QUERY_SECONDS * 1000,
    rows: ceilings.MAX_RESULT_ROWS,
    bytes: ceilings.MAX_RESULT_MEBIBYTES * mebibyte,
    memoryBytes: ceilings.MAX_QUERY_MEMORY_MEBIBYTES * mebibyte,
  };
}

const limitNames = DatabaseLimits.keyof().options;

/** Validates the limits of a database. A limit that is not given gets its default, or the ceiling if that is lower. */
export function checkLimits(
  { ceilings }: Pick<Deps["deployment"], "ceilings">,
  given: GivenDatabaseLimits,
): DatabaseLimits {
  const exceeded = limitNames.filter((name) => (given[name] ?? 0) > ceilings[name]);
  if (exceeded.length > 0) {
    throw new AppError(
      "invalid_request",
      `The operator allows less: ${exceeded.map((name) => `${name} at most ${ceilings[name]}`).join(", ")}. Choose lower limits.`,
      {
        errors: exceeded.map((name) => ({
          path: `limits.${name}`,
          message: `must be at most ${ceilings[name]}`,
        })),
      },
    );
  }
  return clampLimits({ ceilings }, DatabaseLimits.parse(given));
}

/** Lowers limits to the ceilings, which the operator may have lowered after the limits were saved. */
export function clampLimits(
  { ceilings }: Pick<Deps["deployment"], "ceilings">,
  limits: DatabaseLimits,
): DatabaseLimits {
  const lower = (name: keyof DatabaseLimits) => Math.min(limits[name], ceilings[name]);
  return {
    timeMs: lower("timeMs"),
    rows: lower("rows"),
    bytes: lower("bytes"),
    memoryBytes: lower("memoryBytes"),
  };
}
