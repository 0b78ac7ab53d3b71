import { Report } from "../facts.ts";
import { writeDigest } from "../write-digest.ts";
import { type ReportedReference, writeReport } from "../write-report.ts";

/** A digest in both steps: the reports of a host, and the text that is made of them. */
export const digestOf = (
  references: readonly (Omit<ReportedReference, "shownColumns"> & { shownColumns?: readonly string[] })[],
): string => writeDigest(references.map((one) => Report.parse(writeReport({ shownColumns: [], ...one }))));
