import { Button, Group, Paper, Skeleton, Text } from "@mantine/core";
import { useDocumentTitle, useMediaQuery } from "@mantine/hooks";
import { type ChartRows, maxChartRows, rowsToRead } from "@querybell/charts/chart-data";
import { chartHeight, usualChartHeight } from "@querybell/charts/chart-size";
import { IconHistory } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { type ComponentProps, Suspense, useState } from "react";
import { trpc } from "../../api.ts";
import { LazyChart } from "../../charts/lazy-chart.tsx";
import type { Reference } from "../../charts/visualization.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { toFailure } from "../../errors/failure.ts";
import { PermalinkNotFound, useIsElsewhere } from "../../errors/permalink-not-found.tsx";
import { formatNumber } from "../../format/pluralize.ts";
import { LoadingFrame } from "../../frame/frames.tsx";
import { ParameterFields } from "../../parameters/parameter-fields.tsx";
import { isSameTexts, toParameterValues, type ValueTexts } from "../../parameters/parameter-values.ts";
import { errorsByParameter, findValueErrors } from "../../parameters/value-errors.ts";
import type { OpenResult } from "../../results/open-result.ts";
import { ResultPanel } from "../../results/result-panel.tsx";
import { useResult } from "../../results/use-result.ts";
import { useResultOfValues } from "../../results/use-result-of-values.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { NoteBadge } from "../../ui/tag.tsx";
import { Timestamp } from "../../ui/timestamp.tsx";
import { useRecordOpened } from "../home/use-record-opened.ts";
import { ChartUses } from "../queries/lineage.tsx";
import { PermalinkHeading } from "./permalink-heading.tsx";
import classes from "./permalink-page.module.css";
import { PictureMenu } from "./picture-menu.tsx";
import { ResultFreshness } from "./result-freshness.tsx";
import { useMoment, usePastResult } from "./use-past-result.ts";
import { usePermalinkRun } from "./use-permalink.ts";

const route = getRouteApi("/app/q/$shortId");

/** The page of a permalink: the chart, the rows, their parameter values and their age. */
export function PermalinkPage() {
  const { shortId } = route.useParams();
  const named = { kind: "reference", shortId } as const;
  const isElsewhere = useIsElsewhere(named);
  const options = trpc.references.get.queryOptions({ shortId }, { enabled: !isElsewhere });
  const { data: reference, error, refetch } = useQuery(options);
  useRecordOpened("reference", reference?.id);
  if (isElsewhere) return <PermalinkNotFound named={named} />;
  if (!reference && error) {
    const failure = toFailure(error);
    return failure.code === "not_found" ? (
      <PermalinkNotFound named={named}>
        There is no chart at this address. It may have been deleted.
      </PermalinkNotFound>
    ) : (
      <ErrorNotice error={error} onRetry={refetch} />
    );
  }
  if (!reference) return <LoadingFrame />;
  const queryId = reference.currentQuery?.id;
  if (queryId === undefined) {
    return (
      <EmptyState
        title={reference.title}
        description="This chart waits for its query. Come back when it is there."
      />
    );
  }
  return <Permalink reference={reference} queryId={queryId} />;
}

interface PermalinkProps {
  reference: Reference;
  queryId: string;
}

/** A chart with its query: the values, the chart and the rows. */
function Permalink({ reference, queryId }: PermalinkProps) {
  const { inputs, visualization } = reference;
  const { at, values, toSearch } = useMoment(inputs.definitions);
  const navigate = route.useNavigate();
  const [typed, setTyped] = useState<ValueTexts>(values);
  const { shortId } = reference;
  const found = useResultOfValues({ queryId, shortId, definitions: inputs.definitions, values });
  const { run, ask, clear, watched, errors, setErrors, ofRun } = usePermalinkRun({
    queryId,
    shortId,
    definitions: inputs.definitions,
    values,
    found,
  });
  // Back and Forward change the address too: the fields and the messages follow it.
  const [shown, setShown] = useState(values);
  if (!isSameTexts(values, shown)) {
    setShown(values);
    setTyped(values);
    clear();
  }
  const past = usePastResult({ queryId, shortId, definitions: inputs.definitions, values, at });
  const newest = ofRun ?? found.info;
  const shownRun = at === undefined ? newest?.runId : past.item?.runId;
  const { result, rows, error, retry } = useResult(
    shownRun,
    visualization ? rowsToRead(visualization) : maxChartRows,
    at !== undefined ? "past" : ofRun ? "current" : found.state,
  );
  const info = at === undefined ? newest : past.item && { runId: past.item.runId, cutBy: null };
  const [isHistoryOpen, setHistoryOpen] = useState(at !== undefined);
  useDocumentTitle(`${reference.title} · Querybell`);

  /** Whether the values can be sent. What is wrong is shown at the fields. */
  const check = () => {
    const wrong = findValueErrors(inputs, typed);
    setErrors(wrong);
    return Object.keys(wrong).length === 0;
  };
  const runNow = async () => {
    if (!check()) return;
    // The values are written to the address first, so that the page always shows what its link says.
    await navigate({ search: toSearch(typed), replace: false });
    await run(typed);
  };
  const show = () => {
    if (!check()) return;
    ask(typed);
    void navigate({ search: toSearch(typed) });
  };
  const choose = (moment: string | undefined) => void navigate({ search: toSearch(values, moment) });
  // What is wrong with the address stays at a field until its text is changed.
  const inAddress = Object.entries(errorsByParameter(found.failure?.fields ?? {}, inputs.definitions));
  const unchanged = inAddress.filter(([name]) => typed[name] === values[name]);
  const fieldErrors = { ...Object.fromEntries(unchanged), ...errors };
  const hasChart = visualization !== undefined && visualization.type !== "table";
  const usualHeight = usualChartHeight[useMediaQuery("(max-width: 36em)") ? "narrow" : "wide"];

  return (
    <>
      <PermalinkHeading reference={reference} queryId={queryId} values={values} />
      {inputs.definitions.length > 0 && (
        <Paper withBorder p="md" mb="md" component="section" aria-label="Parameters">
          <ParameterFields
            inputs={inputs}
            values={typed}
            onChange={(changed) => {
              setTyped(changed);
              setErrors({});
            }}
            errors={fieldErrors}
            onSubmit={show}
          />
          {!isSameTexts(typed, values) && (
            <Button mt="sm" size="xs" variant="default" onClick={show}>
              Show these values
            </Button>
          )}
        </Paper>
      )}
      {at === undefined ? (
        <ResultFreshness
          found={ofRun ? { info: ofRun, isExpired: false, isOfOtherValues: false } : found}
          watched={watched}
          onRun={() => void runNow()}
        />
      ) : (
        past.item && (
          <Group gap="xs" mb="md">
            <Text size="sm">
              As of <Timestamp at={past.item.completedAt} format="seconds" />
            </Text>
            <NoteBadge>a past result</NoteBadge>
            {past.item.isOutdated && <NoteBadge>of an earlier version of the SQL</NoteBadge>}
          </Group>
        )
      )}
      <PastResultsButton isOpen={isHistoryOpen} onClick={() => setHistoryOpen(!isHistoryOpen)} />
      {isHistoryOpen && (
        <Suspense fallback={<Skeleton height={200} mb="md" />}>
          <PastResults
            of={{ queryId, shortId, parameterValues: toParameterValues(inputs.definitions, values) }}
            at={at}
            shown={past.item}
            onChoose={choose}
          />
        </Suspense>
      )}
      {at !== undefined && past.isMissing && (
        <EmptyState title="No result to show" description="No result of that time or before is kept." />
      )}
      {past.error ? <ErrorNotice error={past.error} onRetry={past.retry} /> : null}
      {at === undefined && found.failure && !info && (
        <NoResult
          code={found.failure.code}
          message={found.failure.message}
          onRun={() => void runNow()}
          isRunning={watched.isUnfinished}
        />
      )}
      {error && !result ? <ErrorNotice error={error} onRetry={retry} /> : null}
      {info && !rows && !error && <Skeleton height={usualHeight} />}
      {info && rows && hasChart && (
        <div className={classes.chart}>
          <LazyChart
            visualization={visualization}
            rows={rows}
            label={`Chart: ${reference.title}`}
            height={chartHeight(visualization, rows, usualHeight)}
          />
          <Group gap="xs" justify="space-between">
            <Text size="xs" c="dimmed">
              {rows.rows.length < rows.rowCount &&
                `Drawn from the first ${formatNumber(rows.rows.length)} of ${formatNumber(rows.rowCount)} rows.`}
            </Text>
            {at === undefined && (ofRun || !found.isExpired) && (
              <PictureMenu shortId={reference.shortId} runId={info.runId} />
            )}
          </Group>
        </div>
      )}
      {info && result && (
        <div className={classes.table}>
          <TablePanel
            visualization={visualization}
            rows={rows}
            result={result}
            label={`Rows of ${reference.title}`}
            name={reference.title}
            note={info.cutBy === null ? undefined : `cut at the limit of ${info.cutBy}`}
          />
        </div>
      )}
      <ChartUses queryId={queryId} shortId={reference.shortId} />
    </>
  );
}

const PastResults = lazyPart(async () => (await import("./past-results.tsx")).PastResults);

const PastResultsButton = ({ isOpen, onClick }: { isOpen: boolean; onClick: () => void }) => (
  <Button
    size="compact-sm"
    variant="subtle"
    mb="md"
    leftSection={<IconHistory size={14} />}
    aria-expanded={isOpen}
    onClick={onClick}
  >
    Past results
  </Button>
);

const ConfiguredTable = lazyPart(
  async () => (await import("../../results/configured-table.tsx")).ConfiguredTable,
);

interface TablePanelProps extends ComponentProps<typeof ResultPanel> {
  result: OpenResult;
  rows: ChartRows | undefined;
  visualization: Reference["visualization"];
}

/** The rows: as the settings of a table show them, or all of them as they are. */
function TablePanel({ visualization, rows, ...panel }: TablePanelProps) {
  if (visualization?.type !== "table" || visualization.jsxConfig.trim() === "" || !rows)
    return <ResultPanel {...panel} />;
  return (
    <Suspense fallback={<Skeleton height={200} />}>
      <ConfiguredTable {...panel} rows={rows} jsxConfig={visualization.jsxConfig} />
    </Suspense>
  );
}

interface NoResultProps {
  code: string | undefined;
  message: string;
  isRunning: boolean;
  onRun: () => void;
}

/** Shown for a permalink that never had a result for its values. Opening it does not run the query; a button does. */
function NoResult({ code, message, isRunning, onRun }: NoResultProps) {
  const needsValues = code === "missing_parameter_values" || code === "invalid_parameter_value";
  const words =
    code === "result_expired"
      ? "The cached result has expired."
      : code === "result_not_found"
        ? "There is no cached result for these values yet."
        : message;
  return (
    <EmptyState title={needsValues ? "It needs values first" : "No result to show"} description={words}>
      {!isRunning && <Button onClick={onRun}>Run the query</Button>}
    </EmptyState>
  );
}
