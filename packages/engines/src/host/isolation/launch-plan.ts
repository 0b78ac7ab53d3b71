import type { HostProgram } from "./isolation.ts";

/** What the launcher is told by its parent, as JSON in its first argument. */
export interface LaunchPlan extends HostProgram {
  way: "user" | "namespace" | "landlock";
  programFiles: readonly string[];
  /** The user that the host becomes, for the way "user". */
  userId?: number;
}
