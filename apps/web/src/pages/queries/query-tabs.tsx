import { Group, Skeleton, Tabs, Text } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Suspense } from "react";
import { trpc } from "../../api.ts";
import type { EngineKind } from "../../engines/engine.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { toFailure } from "../../errors/failure.ts";
import { describeValues } from "../../parameters/parameter-values.ts";
import { cachedResultOptions } from "../../results/cached-result.ts";
import { ResultPanel } from "../../results/result-panel.tsx";
import { useResult } from "../../results/use-result.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { NoteBadge } from "../../ui/tag.tsx";
import { Timestamp } from "../../ui/timestamp.tsx";
import { type Trial, useIsTextOf } from "./drafts/use-trial.ts";
import classes from "./query-page.module.css";
import { QueryReferences } from "./query-references.tsx";
import { queryTabs } from "./routes.tsx";
import { RunHistory } from "./run-history.tsx";
import type { Statement } from "./statement.ts";
import type { Query } from "./use-saving.ts";
import { useIsUnsaved } from "./use-statement.ts";

// The comparison of statements is loaded on first use.
const VersionHistory = lazyPart(async () => (await import("./version-history.tsx")).VersionHistory);

const tabLabels = { result: "Result", runs: "Runs", versions: "Versions", references: "Charts" };

interface QueryTabsProps {
  query: Query;
  statement: Statement;
  engine: EngineKind;
  shown: ShownResult;
  onBringBack: (version: { sql: string; analyticalDatabaseConfigId: string; version: number }) => void;
}

/** The tabs of a query: result, runs, versions and charts. */
export function QueryTabs({ query, statement, engine, shown, onBringBack }: QueryTabsProps) {
  const { tab = "result" } = useSearch({ from: "/app/queries/$queryId" });
  const navigate = useNavigate({ from: "/queries/$queryId" });
  const choose = (value: string | null) => {
    const chosen = queryTabs.find((one) => one === value);
    void navigate({
      search: ({ tab: _, ...values }) => ({
        ...values,
        ...(chosen && chosen !== "result" && { tab: chosen }),
      }),
      replace: true,
    });
  };
  return (
    <Tabs value={tab} onChange={choose} keepMounted={false}>
      <Tabs.List mb="sm" className={classes.tabs ?? ""}>
        {queryTabs.map((one) => (
          <Tabs.Tab key={one} value={one}>
            {tabLabels[one]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value="result">
        <QueryResult queryId={query.id} shown={shown} statement={statement} />
      </Tabs.Panel>
      <Tabs.Panel value="runs">
        <RunHistory queryId={query.id} version={query.version} />
      </Tabs.Panel>
      <Tabs.Panel value="versions">
        <Suspense fallback={<Skeleton height={200} />}>
          <VersionHistory
            queryId={query.id}
            statement={statement}
            engine={engine}
            onBringBack={onBringBack}
          />
        </Suspense>
      </Tabs.Panel>
      <Tabs.Panel value="references">
        <QueryReferences query={query} />
      </Tabs.Panel>
    </Tabs>
  );
}

/** Which result a page shows. */
interface ShownResult {
  /** A completed run of the query that was just watched; otherwise its latest result is shown. */
  runId: string | undefined;
  /** The completed trial of the draft, and the text that it ran. It is shown while the text is not saved. */
  trialId: string | undefined;
  ran: Trial["ran"];
}

interface QueryResultProps {
  /** Undefined: a new query, which has no result but that of its trial. */
  queryId?: string | undefined;
  shown: ShownResult;
  statement: Statement;
}

/** The latest result and its age. It stays while another run is in progress or fails. */
export function QueryResult({ queryId, shown, statement }: QueryResultProps) {
  const isUnsaved = useIsUnsaved(statement);
  const isTrial = shown.trialId !== undefined && (isUnsaved || queryId === undefined);
  const runId = isTrial ? shown.trialId : shown.runId;
  const latest = useQuery({
    ...cachedResultOptions({ id: queryId ?? "" }),
    enabled: queryId !== undefined,
    placeholderData: keepPreviousData,
  });
  const ofRun = useQuery(
    trpc.runs.result.queryOptions(
      { id: runId ?? "" },
      { enabled: runId !== undefined, placeholderData: keepPreviousData },
    ),
  );
  const info = runId === undefined ? latest.data : (ofRun.data ?? (isTrial ? undefined : latest.data));
  const { result, error, retry } = useResult(info?.runId);

  if (isTrial && ofRun.error && !ofRun.data) {
    return (
      <Text c="dimmed">
        {toFailure(ofRun.error).code === "result_expired"
          ? "The result of your trial has expired. Run the query again."
          : toFailure(ofRun.error).message}
      </Text>
    );
  }
  if (!info && latest.error) {
    const { code, message } = toFailure(latest.error);
    if (code === "result_not_found" || code === "result_expired") {
      return (
        <Text c="dimmed">
          {code === "result_expired"
            ? "The cached result has expired. Run the query to get a new one."
            : "No result yet. Run the query to see its rows here."}
        </Text>
      );
    }
    return <ErrorNotice error={message ? latest.error : undefined} onRetry={() => void latest.refetch()} />;
  }
  if (error && !result) return <ErrorNotice error={error} onRetry={retry} />;
  if (!info || !result) return <Skeleton height={320} />;
  const values = describeValues(info.parameterValues);
  return (
    <div className={classes.result}>
      <Group gap="xs">
        <Text size="sm">
          Result of <Timestamp at={info.completedAt} format="relative" />
        </Text>
        {isTrial && <TrialNote statement={statement} ran={shown.ran} />}
        {!isTrial && info.isOutdated && <NoteBadge>of an earlier version of this SQL</NoteBadge>}
        {!isTrial && !info.isOutdated && isUnsaved && (
          <NoteBadge>of the saved SQL, without your changes</NoteBadge>
        )}
        {values !== "" && (
          <Text size="sm" c="dimmed">
            {values}
          </Text>
        )}
      </Group>
      <ResultPanel
        result={result}
        label="Rows of the result"
        note={info.cutBy === null ? undefined : `cut at the limit of ${info.cutBy}`}
      />
    </div>
  );
}

const TrialNote = ({ statement, ran }: { statement: Statement; ran: Trial["ran"] }) =>
  useIsTextOf(statement, ran) ? (
    <NoteBadge>a trial, only you see it</NoteBadge>
  ) : (
    <NoteBadge>a trial of an earlier text, only you see it</NoteBadge>
  );
