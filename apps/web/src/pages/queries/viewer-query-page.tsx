import { Button, Code, List, Paper, Skeleton, Text, Title } from "@mantine/core";
import type { ParameterInputs } from "@querybell/domain";
import { findOpenPlaceholders } from "@querybell/statements/tokenizer";
import { IconPlayerPlay } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { trpc } from "../../api.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { LoadFailure } from "../../errors/not-found.tsx";
import { LoadingFrame } from "../../frame/frames.tsx";
import { ParameterFields } from "../../parameters/parameter-fields.tsx";
import { noInputs, type ValueTexts } from "../../parameters/parameter-values.ts";
import { errorsByParameter, findValueErrors } from "../../parameters/value-errors.ts";
import { toValueSearch, valuesInSearch } from "../../parameters/value-search.ts";
import { ResultPanel } from "../../results/result-panel.tsx";
import { useResult } from "../../results/use-result.ts";
import { useResultOfValues } from "../../results/use-result-of-values.ts";
import { AnchorTo } from "../../ui/links.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { useRecordOpened } from "../home/use-record-opened.ts";
import { ResultFreshness } from "../references/result-freshness.tsx";
import { usePermalinkRun } from "../references/use-permalink.ts";
import { queryTitle } from "./query-title.ts";
import { inputsFor, parametersOptions } from "./use-parameters.ts";
import type { Query } from "./use-saving.ts";

/** A query for a viewer: its SQL, its result for values that they choose, and the charts that show it. */
export function ViewerQueryPage({ queryId }: { queryId: string }) {
  const query = useQuery(trpc.queries.get.queryOptions({ id: queryId }));
  const charts = useQuery(trpc.queries.references.queryOptions({ id: queryId }));
  useRecordOpened("query", query.data?.id);
  const error = query.error ?? charts.error;
  if (!query.data || !charts.data) {
    const refetch = () => void Promise.all([query.refetch(), charts.refetch()]);
    return error ? <LoadFailure error={error} onRetry={refetch} /> : <LoadingFrame />;
  }
  return (
    <>
      <PageHeader title={queryTitle(query.data)} description={query.data.description ?? undefined} />
      <Code block tabIndex={0}>
        {query.data.sql}
      </Code>
      <SavedQuery query={query.data} />
      <Title order={2} size="h4" mt="xl" mb="sm">
        Charts
      </Title>
      {charts.data.length === 0 && <Text>No chart shows its result yet. Members can make one.</Text>}
      <List>
        {charts.data.map(({ shortId, title }) => (
          <List.Item key={shortId}>
            <AnchorTo to="/q/$shortId" params={{ shortId }}>
              {title}
            </AnchorTo>
          </List.Item>
        ))}
      </List>
    </>
  );
}

/** Reads the definitions of the parameters. */
function SavedQuery({ query: { id, sql } }: { query: Query }) {
  const names = useMemo(() => findOpenPlaceholders(sql), [sql]);
  const { data, error, refetch } = useQuery({ ...parametersOptions(id, names), enabled: names.length > 0 });
  if (error && !data) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (names.length > 0 && !data) return <Skeleton height={120} mt="md" />;
  return <RunnableQuery queryId={id} inputs={inputsFor(names, data ?? noInputs)} />;
}

interface RunnableQueryProps {
  queryId: string;
  inputs: ParameterInputs;
}

/** The values, a button that runs the query with them, and the rows. */
function RunnableQuery({ queryId, inputs }: RunnableQueryProps) {
  const { definitions } = inputs;
  const values = valuesInSearch(useSearch({ strict: false }));
  const navigate = useNavigate();
  const [typed, setTyped] = useState<ValueTexts>(values);
  const found = useResultOfValues({ queryId, definitions, values });
  const { run, watched, errors, setErrors, ofRun } = usePermalinkRun({
    ...{ queryId, definitions, values },
    // Opening the page does not run the query; the button does.
    found: { ...found, isStale: false },
  });
  const info = ofRun ?? found.info;
  const { result, error, retry } = useResult(info?.runId, undefined, ofRun ? "current" : found.state);
  const runNow = async () => {
    const wrong = findValueErrors(inputs, typed);
    setErrors(wrong);
    if (Object.keys(wrong).length > 0) return;
    // The values are written to the address first, so that the page always shows what its link says.
    await navigate({ to: ".", search: toValueSearch(typed), resetScroll: false });
    await run(typed);
  };
  return (
    <>
      {definitions.length > 0 && (
        <Paper withBorder p="md" mt="md" component="section" aria-label="Parameters">
          <ParameterFields
            inputs={inputs}
            values={typed}
            onChange={(changed) => {
              setTyped(changed);
              setErrors({});
            }}
            errors={{ ...errorsByParameter(found.failure?.fields ?? {}, definitions), ...errors }}
            onSubmit={() => void runNow()}
          />
        </Paper>
      )}
      <Button
        my="md"
        leftSection={<IconPlayerPlay size={16} />}
        disabled={watched.isUnfinished}
        onClick={() => void runNow()}
      >
        Run
      </Button>
      <ResultFreshness
        found={ofRun ? { info: ofRun, isExpired: false, isOfOtherValues: false } : found}
        watched={watched}
      />
      {found.failure && !info && !watched.isUnfinished && <Text c="dimmed">{found.failure.message}</Text>}
      {error && !result ? <ErrorNotice error={error} onRetry={retry} /> : null}
      {info && !result && !error && <Skeleton height={320} />}
      {info && result && (
        <ResultPanel
          result={result}
          label="Rows of the result"
          note={info.cutBy === null ? undefined : `cut at the limit of ${info.cutBy}`}
        />
      )}
    </>
  );
}
