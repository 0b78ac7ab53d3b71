import { Alert, Code, Skeleton, Text } from "@mantine/core";
import type { Outputs } from "@querybell/client";
import { useQuery } from "@tanstack/react-query";
import { trpc } from "../../api.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { formatBytes } from "../../format/bytes.ts";
import { formatNumber, pluralize } from "../../format/pluralize.ts";
import { durationText } from "../../format/times.ts";
import { useSession } from "../../session/me.ts";
import { Item, ItemList } from "../../ui/item-list.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Section } from "../../ui/section.tsx";
import { Tag } from "../../ui/tag.tsx";
import { Timestamp } from "../../ui/timestamp.tsx";

type Operations = Outputs["operations"]["get"];
type Queue = Operations["queues"][number];

/** The state of the whole deployment, for those whom its operator names. */
export function OperationsPage() {
  const { isDeploymentAdmin } = useSession();
  if (isDeploymentAdmin) return <Figures />;
  return (
    <>
      <PageHeader title="Operations" />
      <Text>
        Only admins of this deployment can open this page. Its operator names them in the setting{" "}
        <Code>DEPLOYMENT_ADMINS</Code>.
      </Text>
    </>
  );
}

function Figures() {
  const { data, error, refetch } = useQuery(
    trpc.operations.get.queryOptions(undefined, { refetchInterval: 15_000 }),
  );
  return (
    <>
      <PageHeader
        title="Operations"
        description={
          data ? (
            <>
              The state of this deployment at <Timestamp at={data.asOf} format="seconds" />. It is read again
              every 15 seconds.
            </>
          ) : (
            "The state of this deployment"
          )
        }
      />
      {error && <ErrorNotice error={error} onRetry={refetch} />}
      {!data && !error && <Skeleton height={480} />}
      {data && (
        <>
          <Problems problems={data.problems} />
          <Processes processes={data.processes} />
          <Section
            title="Queues"
            description="What could start now and waits for a worker, by the organizations that wait longest."
          >
            <ItemList label="Queues">
              {data.queues.map((queue) => (
                <QueueItem key={queue.kind} queue={queue} />
              ))}
            </ItemList>
          </Section>
          <SlowOrganizations recentRuns={data.recentRuns} />
          <Disks processes={data.processes} />
          <Backup backup={data.backup} />
          <Database {...data} />
        </>
      )}
    </>
  );
}

const Problems = ({ problems }: Pick<Operations, "problems">) =>
  problems.length === 0 ? (
    <Alert color="green" mb="lg" title="Nothing needs you">
      Processes, queues, disks, backups and the database are as they should be.
    </Alert>
  ) : (
    <Section title="What to do" description="The most urgent first.">
      <ItemList label="What to do">
        {problems.map(({ severity, since, sentence, advice }) => (
          <Item
            key={sentence}
            title={
              <>
                {sentence} <Tag tone={severity === "critical" ? "bad" : "warn"}>{severity}</Tag>
              </>
            }
          >
            {since !== null && (
              <span>
                Since <Timestamp at={since} />
              </span>
            )}
            <span>{advice}</span>
          </Item>
        ))}
      </ItemList>
    </Section>
  );

const Processes = ({ processes }: Pick<Operations, "processes">) => (
  <Section
    title="Processes"
    description="Each says every ten seconds that it runs. One that is killed is listed for a day."
  >
    {processes.length === 0 && <Text>No process has written a heartbeat yet.</Text>}
    <ItemList label="Processes">
      {processes.map(({ kind, host, version, startedAt, seenAt, isAlive }) => (
        <Item
          key={`${kind} ${host} ${startedAt}`}
          title={
            <>
              {kind} on {host} <Tag tone={isAlive ? "good" : "bad"}>{isAlive ? "alive" : "silent"}</Tag>
            </>
          }
        >
          <span>Version {version}</span>
          <span>
            Runs since <Timestamp at={startedAt} />
          </span>
          <span>
            Last heartbeat <Timestamp at={seenAt} format="relative" />
          </span>
        </Item>
      ))}
    </ItemList>
  </Section>
);

const queueNames: Record<Queue["kind"], string> = {
  query_runs: "Query runs",
  automation_runs: "Runs of automations",
  deliveries: "Webhook deliveries",
  jobs: "Jobs: mails, schedules, housekeeping",
};

const QueueItem = ({ queue: { kind, waiting, running, oldestAt, organizations } }: { queue: Queue }) => (
  <Item title={queueNames[kind]}>
    <span>
      {formatNumber(waiting)} waiting{running !== null && `, ${formatNumber(running)} running`}
    </span>
    <Oldest at={oldestAt} />
    {organizations.map((one) => (
      <span key={one.slug}>
        {one.name} <Code>{one.slug}</Code>: {formatNumber(one.waiting)} waiting
        {one.running > 0 && `, ${formatNumber(one.running)} running`}
        {one.oldestAt !== null && (
          <>
            , the oldest since <Timestamp at={one.oldestAt} format="seconds" />
          </>
        )}
      </span>
    ))}
  </Item>
);

const Oldest = ({ at }: { at: string | null }) =>
  at === null ? (
    <span>Nothing waits</span>
  ) : (
    <span>
      The oldest waits since <Timestamp at={at} format="seconds" />
    </span>
  );

const SlowOrganizations = ({ recentRuns }: Pick<Operations, "recentRuns">) => (
  <Section
    title="Slow organizations"
    description={
      recentRuns.since === null ? (
        "No query has run yet."
      ) : (
        <>
          The organizations whose queries took most time, of the last{" "}
          {pluralize(recentRuns.runs, "query run")}, since <Timestamp at={recentRuns.since} />. If one takes
          most of it, lower the limits of its databases, or MAX_QUERY_RUNS_PER_ORGANIZATION.
        </>
      )
    }
  >
    <ItemList label="Slow organizations">
      {recentRuns.organizations.map(({ slug, name, runs, failed, waitMs, runMs, totalRunMs }) => (
        <Item
          key={slug}
          title={
            <>
              {name} <Code>{slug}</Code>
            </>
          }
        >
          <span>
            {durationText(totalRunMs)} for {pluralize(runs, "run")}, {formatNumber(failed)} failed
          </span>
          <span>
            Took {durationText(runMs.median)} in the middle, {durationText(runMs.longest)} at most
          </span>
          <span>
            Waited {durationText(waitMs.median)} in the middle, {durationText(waitMs.longest)} at most
          </span>
        </Item>
      ))}
    </ItemList>
  </Section>
);

/** One for each machine: its processes see the same disk. */
function Disks({ processes }: Pick<Operations, "processes">) {
  const disks = new Map(
    processes.flatMap(({ host, disk, isAlive, seenAt }) =>
      disk && isAlive ? [[host, { ...disk, seenAt }] as const] : [],
    ),
  );
  return (
    <Section
      title="Disk"
      description="The disk of DUCKDB_FOLDER, with uploads and embedded databases. The disk of the Postgres server is not visible from here: let your monitoring watch it."
    >
      {disks.size === 0 && <Text>No process has seen the folder yet. It is made with its first file.</Text>}
      <ItemList label="Disks">
        {[...disks].map(([host, { freeBytes, sizeBytes, seenAt }]) => (
          <Item key={host} title={host}>
            <span>
              {formatBytes(freeBytes)} of {formatBytes(sizeBytes)} free
            </span>
            <span>
              Seen <Timestamp at={seenAt} format="relative" />
            </span>
          </Item>
        ))}
      </ItemList>
    </Section>
  );
}

const Backup = ({ backup: { createdAt, bytes, checked } }: Pick<Operations, "backup">) => (
  <Section
    title="Backup"
    description="Of the operator's command. Base backups and snapshots of your server are not known here."
  >
    <ItemList label="Backups">
      <Item title="The newest">
        {createdAt === null ? (
          <span>None yet</span>
        ) : (
          <span>
            Made <Timestamp at={createdAt} />
            {bytes !== null && `, ${formatBytes(bytes)}`}
          </span>
        )}
      </Item>
      <Item title="The newest that was restored for a check">
        {checked === null ? (
          <span>None yet</span>
        ) : (
          <span>
            Made <Timestamp at={checked.createdAt} />, checked <Timestamp at={checked.checkedAt} />
          </span>
        )}
      </Item>
    </ItemList>
  </Section>
);

const Database = ({ version, database }: Pick<Operations, "version" | "database">) => (
  <Section title="Version and database" description={`The api that answers you has version ${version}.`}>
    <ItemList label="Version and database">
      <Item title={`Postgres ${database.serverVersion}`}>
        <span>
          Runs since <Timestamp at={database.serverStartedAt} />
        </span>
        <span>The database takes {formatBytes(database.bytes)}</span>
        <span>
          {formatNumber(database.connections.open)} of at most {formatNumber(database.connections.max)}{" "}
          connections are open
        </span>
      </Item>
      {database.migration && (
        <Item title="Migrations">
          <span>{formatNumber(database.migration.count)} applied</span>
          <span>
            The newest is <Code>{database.migration.name}</Code>, applied{" "}
            <Timestamp at={database.migration.appliedAt} />
          </span>
        </Item>
      )}
    </ItemList>
  </Section>
);
