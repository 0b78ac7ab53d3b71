import { Button, Group, Menu, Paper, Skeleton, Stack, Text, Title } from "@mantine/core";
import { useDocumentTitle, useMediaQuery } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import { IconChartLine, IconDots, IconFileTypeSql, IconRefresh, IconTrash } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { api, trpc } from "../../api.ts";
import { LoadingFrame } from "../../app/frames.tsx";
import { Chart } from "../../charts/chart.tsx";
import { maxChartRows } from "../../charts/chart-data.ts";
import type { Reference } from "../../charts/visualization.ts";
import { CopyButton } from "../../components/copy-button.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { ErrorNotice } from "../../components/error-notice.tsx";
import { asFailure } from "../../components/failure.ts";
import { InlineText } from "../../components/inline-text.tsx";
import { ButtonTo, MenuItemTo } from "../../components/links.tsx";
import { NoteBadge } from "../../components/note-badge.tsx";
import { ParameterFields } from "../../components/parameter-fields.tsx";
import { describeValues, toGivenValues, type ValueTexts } from "../../components/parameter-values.ts";
import { PermalinkNotFound } from "../../components/permalink-not-found.tsx";
import { RunProgress } from "../../components/run-progress.tsx";
import { Timestamp } from "../../components/timestamp.tsx";
import { useRun, type WatchedRun } from "../../components/use-run.ts";
import { ResultPanel } from "../../results/result-panel.tsx";
import { useResult } from "../../results/use-result.ts";
import { DeleteReference } from "./delete-reference.tsx";
import classes from "./permalink-page.module.css";
import { usePermalinkResult } from "./use-permalink-result.ts";

const route = getRouteApi("/app/q/$shortId");

/** What a permalink opens: the chart, the rows, the values they are for, and how old they are. */
export function PermalinkPage() {
  const { shortId } = route.useParams();
  const { data: reference, error, refetch } = useQuery(trpc.references.get.queryOptions({ shortId }));
  if (!reference && error) {
    const failure = asFailure(error);
    return failure.code === "not_found" ? (
      <PermalinkNotFound named={{ kind: "reference", shortId }}>{failure.message}</PermalinkNotFound>
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
        description="This reference waits for its query. Come back when it is there."
      />
    );
  }
  return <Permalink key={shortId} reference={reference} queryId={queryId} />;
}

interface PermalinkProps {
  reference: Reference;
  queryId: string;
}

function Permalink({ reference, queryId }: PermalinkProps) {
  const values = route.useSearch();
  const navigate = route.useNavigate();
  const [typed, setTyped] = useState<ValueTexts>(values);
  const [runErrors, setRunErrors] = useState<Record<string, string>>({});
  const watched = useRun();
  const { shortId, parameters, visualization } = reference;
  const found = usePermalinkResult(reference, queryId, values);
  const { result, rows, error } = useResult(found.info?.runId);
  useDocumentTitle(`${reference.title} · Querybell`);

  const run = async () => {
    setRunErrors({});
    // The values go into the address first: what is shown is always what the link says.
    await navigate({ search: typed, replace: false });
    try {
      const { id } = await api.queries.run.mutate({
        id: queryId,
        shortId,
        parameterValues: toGivenValues(parameters, typed),
      });
      watched.watch(id);
    } catch (refused) {
      const { fields, message } = asFailure(refused);
      setRunErrors(fields);
      if (Object.keys(fields).length === 0) notifications.show({ color: "red", title: "Not run", message });
    }
  };
  const show = () => void navigate({ search: typed });
  const isChanged = JSON.stringify(sorted(typed)) !== JSON.stringify(sorted(values));
  const fieldErrors = byParameter({ ...found.failure?.fields, ...runErrors });
  const hasChart = visualization !== undefined && visualization.type !== "table";
  const isNarrow = useMediaQuery("(max-width: 36em)") ?? false;

  return (
    <>
      <Heading reference={reference} queryId={queryId} />
      {parameters.length > 0 && (
        <Paper withBorder p="md" mb="md" component="section" aria-label="Parameters">
          <ParameterFields
            definitions={parameters}
            values={typed}
            onChange={setTyped}
            errors={fieldErrors}
            onSubmit={show}
          />
          {isChanged && (
            <Button mt="sm" size="xs" variant="default" onClick={show}>
              Show these values
            </Button>
          )}
        </Paper>
      )}
      <Freshness found={found} watched={watched} onRun={() => void run()} />
      {found.failure && !found.info && (
        <NoResult
          code={found.failure.code}
          message={found.failure.message}
          onRun={() => void run()}
          isRunning={watched.isUnfinished}
        />
      )}
      {error && !result ? <ErrorNotice error={error} /> : null}
      {found.info && !rows && !error && <Skeleton height={isNarrow ? 280 : 380} />}
      {found.info && rows && hasChart && (
        <div className={classes.chart}>
          <Chart
            visualization={visualization}
            rows={rows}
            label={`Chart: ${reference.title}`}
            height={isNarrow ? 280 : 380}
          />
          {rows.rowCount > maxChartRows && (
            <Text size="xs" c="dimmed">
              Drawn from the first {maxChartRows.toLocaleString()} of {rows.rowCount.toLocaleString()} rows.
            </Text>
          )}
        </div>
      )}
      {found.info && result && (
        <div className={classes.table}>
          <ResultPanel
            result={result}
            label={`Rows of ${reference.title}`}
            note={found.info.cutBy === null ? undefined : `cut at the limit of ${found.info.cutBy}`}
          />
        </div>
      )}
    </>
  );
}

const sorted = (values: ValueTexts) => Object.entries(values).toSorted(([a], [b]) => (a < b ? -1 : 1));

const byParameter = (fields: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(fields).map(([path, words]) => [path.replace(/^parameterValues\./, ""), words]),
  );

function Heading({ reference, queryId }: PermalinkProps) {
  const { shortId, title, description } = reference;
  const queries = useQueryClient();
  const [isDeleting, setDeleting] = useState(false);
  const save = async (changed: { title?: string; description?: string | null }) => {
    const saved = await api.references.update.mutate({ shortId, ...changed });
    queries.setQueryData(trpc.references.get.queryKey({ shortId }), { ...reference, ...saved });
    void queries.invalidateQueries(trpc.references.list.queryFilter());
  };
  return (
    <Group justify="space-between" align="flex-start" mb="md" gap="sm">
      <Stack gap={2} style={{ flex: "1 1 16rem", minWidth: 0 }}>
        <InlineText value={title} what="title" onSave={(text) => save({ title: text })}>
          <Title order={1} size="h2">
            {title}
          </Title>
        </InlineText>
        <InlineText
          value={description ?? ""}
          what="description"
          placeholder="What it shows, and how to read it"
          isLong
          onSave={(text) => save({ description: text.trim() === "" ? null : text })}
        >
          <Text c="dimmed">{description ?? "No description"}</Text>
        </InlineText>
      </Stack>
      <Group gap="xs">
        <CopyButton value={location.href} what="the link" />
        <ButtonTo
          variant="default"
          to="/q/$shortId/edit"
          params={{ shortId }}
          leftSection={<IconChartLine size={16} />}
          visibleFrom="xs"
        >
          Edit the chart
        </ButtonTo>
        <ButtonTo
          variant="default"
          to="/queries/$queryId"
          params={{ queryId }}
          leftSection={<IconFileTypeSql size={16} />}
        >
          Open the query
        </ButtonTo>
        <Menu position="bottom-end">
          <Menu.Target>
            <Button variant="default" aria-label="More" px="xs">
              <IconDots size={16} />
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            <MenuItemTo
              to="/q/$shortId/edit"
              params={{ shortId }}
              leftSection={<IconChartLine size={14} />}
              hiddenFrom="xs"
            >
              Edit the chart
            </MenuItemTo>
            <Menu.Item
              color="var(--qb-bad)"
              leftSection={<IconTrash size={14} />}
              onClick={() => setDeleting(true)}
            >
              Delete
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
        <DeleteReference reference={reference} opened={isDeleting} onClose={() => setDeleting(false)} />
      </Group>
    </Group>
  );
}

interface FreshnessProps {
  found: ReturnType<typeof usePermalinkResult>;
  watched: WatchedRun;
  onRun: () => void;
}

function Freshness({ found: { info, isOfOtherValues }, watched, onRun }: FreshnessProps) {
  const values = info ? describeValues(info.parameterValues) : "";
  return (
    <Stack gap="xs" mb="md">
      <Group gap="xs">
        {info && (
          <>
            <Text size="sm">
              As of <Timestamp at={info.completedAt} format="relative" />
            </Text>
            {info.isOutdated && <NoteBadge>of an earlier version of the SQL</NoteBadge>}
            {values !== "" && (
              <Text size="sm" c="dimmed">
                {isOfOtherValues && "Latest result, for "}
                {values}
              </Text>
            )}
            {!watched.isUnfinished && (
              <Button
                size="compact-sm"
                variant="default"
                leftSection={<IconRefresh size={14} />}
                onClick={onRun}
              >
                Refresh
              </Button>
            )}
          </>
        )}
      </Group>
      <RunProgress watched={watched} />
    </Stack>
  );
}

interface NoResultProps {
  code: string | undefined;
  message: string;
  isRunning: boolean;
  onRun: () => void;
}

/** Opening a link runs nothing: whoever wants a result asks for it. */
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
