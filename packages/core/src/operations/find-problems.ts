import type { Operations, Problem, Queue, RunningProcess } from "@querybell/domain";

type State = Omit<Operations, "problems"> & {
  failedJobs: number;
  /** Why the process that answers is not ready; null if it is. */
  notReady: string | null;
  /** Whether this deployment has public pages, which need a process. */
  hasPublicPages: boolean;
};

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** What an operator should do something about: the same limits as in deploy/prometheus/alerts.yml. */
export function findProblems(state: State): Problem[] {
  const found = [
    ...findDatabaseProblems(state),
    ...findProcessProblems(state),
    ...findQueueProblems(state),
    ...findDiskProblems(state),
    ...findBackupProblems(state),
  ];
  return found.toSorted((a, b) => Number(b.severity === "critical") - Number(a.severity === "critical"));
}

function findDatabaseProblems({ notReady, database }: State): Problem[] {
  const found: Problem[] = [];
  if (notReady !== null) {
    found.push({
      about: "database",
      severity: "critical",
      since: null,
      sentence: "The api that answers you is not ready.",
      advice: notReady,
    });
  }
  const { open, max } = database.connections;
  if (open > max * 0.9) {
    found.push({
      about: "database",
      severity: "warning",
      since: null,
      sentence: `${open} of at most ${max} connections to the Postgres server are open.`,
      advice: "Raise max_connections of the server, or lower DATABASE_POOL_SIZE or the number of processes.",
    });
  }
  return found;
}

const lastSeen = (processes: RunningProcess[]): string | null =>
  processes
    .map(({ seenAt }) => seenAt)
    .toSorted()
    .at(-1) ?? null;

function findProcessProblems({ processes, hasPublicPages }: State): Problem[] {
  const found: Problem[] = [];
  const about = "processes";
  const ofKind = (kind: RunningProcess["kind"]) => processes.filter((one) => one.kind === kind);
  const isMissing = (kind: RunningProcess["kind"]) => !ofKind(kind).some(({ isAlive }) => isAlive);
  if (isMissing("worker")) {
    found.push({
      ...{ about, severity: "critical", since: lastSeen(ofKind("worker")) },
      sentence: "No worker is alive: nothing is run and nothing is delivered. What waits is not lost.",
      advice: "Start a worker, and read the log of the last one.",
    });
  }
  if (hasPublicPages && isMissing("public")) {
    found.push({
      ...{ about, severity: "critical", since: lastSeen(ofKind("public")) },
      sentence: "PUBLIC_PAGES_URL is set, and no public process is alive: public pages do not open.",
      advice: "Start apps/public/src/main.ts, or remove PUBLIC_PAGES_URL from the settings.",
    });
  }
  for (const { kind, host, seenAt } of processes.filter(({ isAlive }) => !isAlive)) {
    found.push({
      ...{ about, severity: "warning", since: seenAt },
      sentence: `The process ${kind} on ${host} is silent: it was killed, or does not reach the database.`,
      advice:
        "Read its log and start it again. If it was killed on purpose, there is nothing to do: it is listed for a day.",
    });
  }
  const versions = new Set(processes.filter(({ isAlive }) => isAlive).map(({ version }) => version));
  if (versions.size > 1) {
    found.push({
      ...{ about, severity: "warning", since: null },
      sentence: `Processes of several versions run: ${[...versions].toSorted().join(", ")}.`,
      advice: "Finish the upgrade: restart the processes of the older version with the newer one.",
    });
  }
  return found;
}

const queueLimits: Record<
  Queue["kind"],
  { seconds: number; what: string; severity: Problem["severity"]; advice: string }
> = {
  query_runs: {
    seconds: 60,
    what: "A query run has waited for a worker for over a minute",
    severity: "warning",
    advice:
      "Start another worker or raise WORKER_RUN_CONCURRENCY. If one organization waits alone, it is at its limit: look for its queries without an end.",
  },
  automation_runs: {
    seconds: 60,
    what: "A run of an automation has waited for a worker for over a minute",
    severity: "warning",
    advice: "Start another worker or raise WORKER_AUTOMATION_CONCURRENCY.",
  },
  deliveries: {
    seconds: 300,
    what: "A webhook delivery has been due for over five minutes",
    severity: "critical",
    advice:
      "No worker sends it, or its endpoint is at its own limits: read the log of the workers, and ask the organization's admin to look at the endpoint.",
  },
  jobs: {
    seconds: 60,
    what: "A job has been due for over a minute",
    severity: "warning",
    advice: "Workers are busy or gone: start another one, or raise WORKER_CONCURRENCY.",
  },
};

function findQueueProblems({ asOf, queues, failedJobs }: State): Problem[] {
  const about = "queues";
  const found = queues.flatMap(({ kind, oldestAt, organizations }): Problem[] => {
    const { seconds, what, severity, advice } = queueLimits[kind];
    if (oldestAt === null || Date.parse(asOf) - Date.parse(oldestAt) <= seconds * 1000) return [];
    const whose = organizations[0] ? `, of ${organizations[0].name}` : "";
    return [{ about, severity, since: oldestAt, sentence: `${what}${whose}.`, advice }];
  });
  if (failedJobs > 0) {
    found.push({
      ...{ about, severity: "warning", since: null },
      sentence: `${failedJobs === 1 ? "A job was" : `${failedJobs} jobs were`} given up after all tries: a mail was not sent, or housekeeping fails.`,
      advice: "The log of the workers has the error.",
    });
  }
  return found;
}

function findDiskProblems({ processes }: State): Problem[] {
  const byHost = new Map(
    processes.flatMap(({ host, disk, isAlive }) => (disk && isAlive ? [[host, disk]] : [])),
  );
  return [...byHost].flatMap(([host, { freeBytes, sizeBytes }]): Problem[] => {
    const free = sizeBytes === 0 ? 1 : freeBytes / sizeBytes;
    if (free >= 0.1) return [];
    return [
      {
        about: "disk",
        severity: free < 0.02 ? "critical" : "warning",
        since: null,
        sentence: `The disk of DUCKDB_FOLDER on ${host} has less than ${free < 0.02 ? "2" : "10"} % free. A full one refuses uploads and imports.`,
        advice: "Make it larger, or lower UPLOADS_QUOTA_MEBIBYTES and ask organizations to delete tables.",
      },
    ];
  });
}

function findBackupProblems({ asOf, backup }: State): Problem[] {
  const about = "backup";
  const ageMs = (at: string) => Date.parse(asOf) - Date.parse(at);
  if (backup.createdAt === null) {
    return [
      {
        ...{ about, severity: "warning", since: null },
        sentence: "The operator's command has made no backup yet.",
        advice:
          "Run operator backup create every night. If you use base backups or snapshots instead, there is nothing to do.",
      },
    ];
  }
  const found: Problem[] = [];
  if (ageMs(backup.createdAt) > 26 * hourMs) {
    found.push({
      ...{ about, severity: "critical", since: backup.createdAt },
      sentence: "The newest backup is older than 26 hours.",
      advice:
        "The schedule does not run, or fails. Run operator backup create by hand, and read what it says.",
    });
  }
  if (backup.checked === null || ageMs(backup.checked.createdAt) > 8 * dayMs) {
    found.push({
      ...{ about, severity: "warning", since: backup.checked?.checkedAt ?? null },
      sentence:
        backup.checked === null
          ? "No backup was restored for a check."
          : "The newest backup that was restored for a check is older than eight days.",
      advice: "Run operator backup check by hand, and read what it says.",
    });
  }
  return found;
}
