/** What the launcher is told by its parent, as JSON in its first argument. */
export interface LaunchPlan {
  way: "user" | "namespace" | "landlock";
  /** Node, and the host's program as its arguments. */
  command: string[];
  programFiles: readonly string[];
  databaseFiles: readonly string[];
  /** The user that the host becomes, for the way "user". */
  userId?: number;
}
