import { Button, Group, Skeleton, Stack, Text } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Suspense, useRef, useState } from "react";
import { trpc } from "../../api.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { type Failure, toFailure } from "../../errors/failure.ts";
import { describeValues } from "../../parameters/parameter-values.ts";
import { findTextErrors } from "../../parameters/value-errors.ts";
import type { ResultInfo } from "../../results/cached-result.ts";
import { ResultPanel } from "../../results/result-panel.tsx";
import { useResult } from "../../results/use-result.ts";
import { useResultOfValues } from "../../results/use-result-of-values.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { NoteBadge } from "../../ui/tag.tsx";
import { Timestamp } from "../../ui/timestamp.tsx";
import { type Trial, useIsTextOf } from "./drafts/use-trial.ts";
import classes from "./query-page.module.css";
import type { Statement } from "./statement.ts";
import type { Parameters } from "./use-parameters.ts";
import { useIsUnsaved } from "./use-statement.ts";

const ComparisonDialog = lazyPart(
  async () => (await import("../../results/comparison-dialog.tsx")).ComparisonDialog,
);

/** Which result a page shows. */
export interface ShownResult {
  /** A completed run that was started here with the values of the page; otherwise their cached result is shown. */
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
  parameters: Parameters;
  onRun: () => void;
}

/** The result for the values of the page, and its age. It stays while another run is in progress or fails. */
export function QueryResult({ queryId, shown, statement, parameters, onRun }: QueryResultProps) {
  const isUnsaved = useIsUnsaved(statement);
  const [isComparing, setComparing] = useState(false);
  const isTrial = shown.trialId !== undefined && (isUnsaved || queryId === undefined);
  const runId = isTrial ? shown.trialId : shown.runId;
  const { found, hasErrors } = useSavedResult(queryId, parameters);
  const ofRun = useQuery(
    trpc.runs.result.queryOptions(
      { id: runId ?? "" },
      { enabled: runId !== undefined, placeholderData: keepPreviousData },
    ),
  );
  const current = isTrial ? ofRun.data : (runId !== undefined && ofRun.data) || found.info;
  // Rows do not vanish while somebody chooses other values.
  const last = useRef<{ info: ResultInfo; isExpired: boolean }>(undefined);
  const isFound = !isTrial && current === found.info;
  if (current && !isTrial) last.current = { info: current, isExpired: isFound && found.isExpired };
  const info = isTrial ? current : last.current?.info;
  const isExpired = !isTrial && last.current?.isExpired === true;
  const { result, error, retry } = useResult(info?.runId, undefined, isExpired ? "expired" : "current");

  if (isTrial && ofRun.error && !ofRun.data) {
    return (
      <Text c="dimmed">
        {toFailure(ofRun.error).code === "result_expired"
          ? "The result of your trial has expired. Run the query again."
          : toFailure(ofRun.error).message}
      </Text>
    );
  }
  if (!info && hasErrors) return <Text c="dimmed">Correct the values, then run the query.</Text>;
  if (!info && found.failure) {
    const hasValues = Object.keys(parameters.valuesInAddress).length > 0;
    return <NoResult failure={found.failure} hasValues={hasValues} onRun={onRun} />;
  }
  if (error && !result) return <ErrorNotice error={error} onRetry={retry} />;
  if (!info || !result) return <Skeleton height={320} />;
  const values = describeValues(info.parameterValues);
  const isOfOthers = !current && (hasErrors || found.failure !== undefined);
  return (
    <div className={classes.result}>
      <Group gap="xs">
        <Text size="sm">
          Result of <Timestamp at={info.completedAt} format="relative" />
        </Text>
        {isTrial && <TrialNote statement={statement} ran={shown.ran} />}
        {isTrial && found.info && !found.isExpired && (
          <Button size="compact-xs" variant="default" onClick={() => setComparing(true)}>
            Compare with the saved version
          </Button>
        )}
        {isExpired && <NoteBadge>expired</NoteBadge>}
        {isOfOthers && <NoteBadge>of other values: run the query for yours</NoteBadge>}
        {!isTrial && info.isOutdated && <NoteBadge>of an earlier version of this SQL</NoteBadge>}
        {!isTrial && !info.isOutdated && isUnsaved && (
          <NoteBadge>of the saved SQL, without your changes</NoteBadge>
        )}
        {values !== "" && (
          <Text size="sm" c="dimmed">
            {isFound && found.isOfOtherValues && "Latest result, for "}
            {values}
          </Text>
        )}
      </Group>
      {isComparing && found.info && (
        <Suspense fallback={null}>
          <ComparisonDialog
            from={found.info.runId}
            to={info.runId}
            title="Your text compared with the saved version"
            onClose={() => setComparing(false)}
          />
        </Suspense>
      )}
      <ResultPanel
        result={result}
        label="Rows of the result"
        note={info.cutBy === null ? undefined : `cut at the limit of ${info.cutBy}`}
      />
    </div>
  );
}

/** The cached result of the saved SQL for the values in the address. */
function useSavedResult(queryId: string | undefined, { savedInputs, valuesInAddress }: Parameters) {
  const errors = savedInputs ? findTextErrors(savedInputs, valuesInAddress) : {};
  const hasErrors = Object.keys(errors).length > 0;
  const found = useResultOfValues({
    queryId: queryId ?? "",
    definitions: savedInputs?.definitions ?? [],
    values: valuesInAddress,
    isEnabled: queryId !== undefined && savedInputs !== undefined && !hasErrors,
  });
  return { found, hasErrors };
}

interface NoResultProps {
  failure: Failure;
  hasValues: boolean;
  onRun: () => void;
}

/** Opening an address with values does not run the query; a button does. */
function NoResult({ failure, hasValues, onRun }: NoResultProps) {
  const { code } = failure;
  if (code === "result_expired") {
    return <Text c="dimmed">The cached result has expired. Run the query to get a new one.</Text>;
  }
  if (code === "result_not_found" && hasValues) {
    return (
      <Stack align="flex-start" gap="xs">
        <Text c="dimmed">There is no result for these values yet.</Text>
        <Button size="xs" variant="default" onClick={onRun}>
          Run with these values
        </Button>
      </Stack>
    );
  }
  if (code === "result_not_found" || code === "missing_parameter_values") {
    return <Text c="dimmed">No result yet. Run the query to see its rows here.</Text>;
  }
  return <ErrorNotice error={failure} />;
}

const TrialNote = ({ statement, ran }: { statement: Statement; ran: Trial["ran"] }) =>
  useIsTextOf(statement, ran) ? (
    <NoteBadge>a trial, only you see it</NoteBadge>
  ) : (
    <NoteBadge>a trial of an earlier text, only you see it</NoteBadge>
  );
