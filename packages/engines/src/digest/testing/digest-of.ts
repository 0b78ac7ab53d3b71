import { describeResult } from "../describe-result.ts";
import type { ReferenceResult } from "../digest-table.ts";
import { Report } from "../report.ts";
import { writeDigest } from "../write-digest.ts";

/** A digest in both its steps: each report fits the form in which a host sends it. */
export const digestOf = (looked: readonly ReferenceResult[]): string =>
  writeDigest(looked.map((one) => Report.parse(describeResult(one))));
