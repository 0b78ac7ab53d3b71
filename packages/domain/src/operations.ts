import { z } from "zod";
import { Timestamp } from "./time.ts";

const ProcessKind = z.enum(["api", "worker", "public"]);
export type ProcessKind = z.infer<typeof ProcessKind>;

const count = z.int().min(0);
/** Whose queue or runs: an organization by what operators call it. */
const organization = { slug: z.string(), name: z.string() };

const RunningProcess = z.object({
  kind: ProcessKind,
  version: z.string(),
  host: z.string().describe("The name of the machine"),
  startedAt: Timestamp,
  seenAt: Timestamp.describe("Its last heartbeat; there is one every ten seconds"),
  isAlive: z.boolean().describe("Whether that is at most 30 seconds ago"),
  disk: z
    .object({ freeBytes: z.number(), sizeBytes: z.number() })
    .nullable()
    .describe("Room on the disk of `DUCKDB_FOLDER`, as this process sees it"),
});
export type RunningProcess = z.infer<typeof RunningProcess>;

/** The organizations of a queue that are listed. */
export const maxListedOrganizations = 10;

const Queue = z.object({
  kind: z.enum(["query_runs", "automation_runs", "deliveries", "jobs"]),
  waiting: count.describe("What could start now"),
  running: count.nullable().describe("Null for deliveries: only their pump knows"),
  oldestAt: Timestamp.nullable().describe("Since when the oldest waits; null if nothing does"),
  organizations: z
    .array(z.object({ ...organization, waiting: count, running: count, oldestAt: Timestamp.nullable() }))
    .describe(
      `The ${maxListedOrganizations} that wait longest. Empty for jobs, which belong to no organization`,
    ),
});
export type Queue = z.infer<typeof Queue>;

/** Of how many runs the page says how long they took. */
export const recentRunCount = 1000;

const RecentRuns = z.object({
  since: Timestamp.nullable().describe("When the oldest of them was started; null if there are none"),
  runs: count.describe(`At most ${recentRunCount}`),
  organizations: z.array(
    z.object({
      ...organization,
      runs: count,
      failed: count,
      waitMs: z
        .object({ median: z.number(), longest: z.number() })
        .describe("From its creation to its start"),
      runMs: z.object({ median: z.number(), longest: z.number() }).describe("From its start to its end"),
      totalRunMs: z.number().describe("Of all its runs together, by which the list is sorted"),
    }),
  ),
});

const Backup = z.object({
  createdAt: Timestamp.nullable().describe("Of the newest one; null if the operator's command has made none"),
  bytes: z.number().nullable(),
  checked: z
    .object({ createdAt: Timestamp, checkedAt: Timestamp })
    .nullable()
    .describe("The newest one that was restored for a check"),
});

const DatabaseFigures = z.object({
  serverVersion: z.string(),
  serverStartedAt: Timestamp,
  bytes: z.number().describe("The size of the database"),
  connections: z.object({ open: count, max: count }).describe("Of the whole server"),
  migration: z
    .object({ name: z.string(), appliedAt: Timestamp, count })
    .nullable()
    .describe("The newest one"),
});

const Problem = z.object({
  about: z.enum(["processes", "queues", "disk", "backup", "database"]),
  severity: z.enum(["warning", "critical"]),
  since: Timestamp.nullable().describe("Since when it is so, where that is known"),
  sentence: z.string().describe("What is wrong"),
  advice: z.string().describe("What to do"),
});
export type Problem = z.infer<typeof Problem>;

/** The state of the whole deployment, for its admins. */
export const Operations = z.object({
  asOf: Timestamp,
  version: z.string().describe("Of the process that answers"),
  problems: z.array(Problem).describe("The critical ones first"),
  processes: z.array(RunningProcess),
  queues: z.array(Queue),
  recentRuns: RecentRuns,
  backup: Backup,
  database: DatabaseFigures,
});
export type Operations = z.infer<typeof Operations>;
