import { Alert, Button, SegmentedControl, Stack, Tabs, Text, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { type ChartRows, maxSplitRows } from "@querybell/charts/chart-data";
import { chartHeight, usualChartHeight } from "@querybell/charts/chart-size";
import {
  addToMemory,
  type ChartSettings,
  type ChartType,
  changeType,
  elementToSettings,
  keepRest,
  remember,
  settingsToElement,
  suggestSettings,
  suggestTitle,
  writeJsxConfig,
} from "@querybell/charts/settings";
import { readTable, type TableSettings, writeTable } from "@querybell/charts/tables";
import type { ParameterDefinition } from "@querybell/domain";
import type { ChartElement } from "@querybell/domain/jsx-config";
import { plainMargins } from "@querybell/domain/plain-margins";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useMemo, useRef, useState } from "react";
import { trpc } from "../../api.ts";
import { Chart } from "../../charts/chart.tsx";
import type { Visualization } from "../../charts/visualization.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { Failure, toFailure } from "../../errors/failure.ts";
import { LoadFailure } from "../../errors/not-found.tsx";
import { LoadingFrame } from "../../frame/frames.tsx";
import { ParameterOverrides } from "../../parameters/parameter-overrides.tsx";
import type { ValueSearch } from "../../parameters/value-search.ts";
import { ConfiguredTable } from "../../results/configured-table.tsx";
import type { OpenResult } from "../../results/open-result.ts";
import { useResult } from "../../results/use-result.ts";
import { useResultOfValues } from "../../results/use-result-of-values.ts";
import { useAwaitedRun } from "../../runs/use-run.ts";
import { LeaveDialog } from "../../ui/confirm-modal.tsx";
import { ButtonTo } from "../../ui/links.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { ChartBuilder } from "./chart-builder.tsx";
import classes from "./edit-page.module.css";
import { JsxText, marksOf, readConfig } from "./jsx-text.tsx";
import { Margins } from "./margins.tsx";
import { type EditedChart, readUpdatedAt, updateChart } from "./save-chart.ts";
import { SavedByOthers } from "./saved-by-others.tsx";

const route = getRouteApi("/app/q/$shortId/edit");

/** Edits a reference's chart and parameters. */
export function EditPage() {
  const { shortId } = route.useParams();
  const { data: reference, error, refetch } = useQuery(trpc.references.get.queryOptions({ shortId }));
  const queryId = reference?.currentQuery?.id;
  const found = useResultOfValues({
    queryId: queryId ?? "",
    shortId,
    definitions: reference?.inputs.definitions ?? [],
    values: {},
    isEnabled: queryId !== undefined,
  });
  const awaited = useAwaitedRun(queryId, found.failure !== undefined);
  const { rows, result, error: unread } = useResult(found.info?.runId, maxSplitRows, found.state);
  if (!reference && error) return <LoadFailure error={error} onRetry={refetch} />;
  if (!reference) return <LoadingFrame />;
  // Once there are rows they stay, also if the result expires while somebody edits its chart.
  if (!rows || !result) {
    if (found.failure || unread || queryId === undefined) {
      const query = queryId === undefined ? undefined : { queryId, search: {} };
      return <NothingToDraw title={reference.title} query={query} isRunning={awaited !== undefined} />;
    }
    return <LoadingFrame />;
  }
  const { title, visualization, inputs, updatedAt } = reference;
  return (
    <Editor
      saved={{ shortId, updatedAt }}
      chart={{ title, visualization, parameters: inputs.definitions }}
      rows={rows}
      result={result}
      back={
        <ButtonTo variant="default" to="/q/$shortId" params={{ shortId }} search={{}}>
          Back
        </ButtonTo>
      }
      onSave={(chart, basedOn) => updateChart(shortId, chart, basedOn)}
    />
  );
}

const emptyTable: ChartElement = { name: "Table", props: {}, children: [] };

interface NothingToDrawProps {
  title: string;
  /** The query to run, and the part of its address that has the values. */
  query: { queryId: string; search: ValueSearch } | undefined;
  isRunning: boolean;
}

export const NothingToDraw = ({ title, query, isRunning }: NothingToDrawProps) => (
  <>
    <PageHeader title={title} />
    <Text mb="md" role="status">
      {isRunning
        ? "A chart is made from a result. This query is running; its chart appears when it ends."
        : "A chart is made from a result, and this query has none that is still cached. Run it first."}
    </Text>
    {query && (
      <ButtonTo to="/queries/$queryId" params={{ queryId: query.queryId }} search={query.search}>
        Open the query
      </ButtonTo>
    )}
  </>
);

interface StartingChart {
  title: string;
  /** Undefined: one is suggested for the rows. */
  visualization: Visualization | undefined;
  parameters: ParameterDefinition[];
}

interface EditorProps {
  chart: StartingChart;
  rows: ChartRows;
  result: OpenResult;
  /** The way back without saving. */
  back: React.ReactNode;
  /** The chart as it is saved, unless it is new. */
  saved?: { shortId: string; updatedAt: string };
  /** Returns the short id of the saved chart. `basedOn` is when the edited state was saved. */
  onSave: (chart: EditedChart, basedOn: string | undefined) => Promise<string>;
}

/** Edits a chart, its title and its parameters. */
export function Editor({ chart, rows, result, back, saved, onSave }: EditorProps) {
  const navigate = useNavigate();
  const [initial] = useState(() => ({
    title: titleFor(chart, rows),
    visualization: chart.visualization ?? suggest(rows),
    parameters: chart.parameters,
  }));
  const [visualization, setVisualization] = useState(initial.visualization);
  const [title, setTitle] = useState(initial.title);
  const [parameters, setParameters] = useState<ParameterDefinition[]>(initial.parameters);
  const [mode, setMode] = useState<"builder" | "text">("builder");
  const [error, setError] = useState<unknown>();
  // The state that is edited. The page may read a later one meanwhile.
  const [opened] = useState(saved);
  // When somebody else has saved meanwhile.
  const [savedByOthers, setSavedByOthers] = useState<string>();
  const [isSaving, setSaving] = useState(false);
  const read = useMemo(() => readConfig(visualization.jsxConfig), [visualization.jsxConfig]);
  const { settings, isComplete } = useMemo(
    () => elementToSettings(visualization.type, read.element),
    [visualization.type, read.element],
  );
  const isChanged = JSON.stringify({ title, visualization, parameters }) !== JSON.stringify(initial);
  const leaving = useRef(false);
  // What was chosen for other types comes back with them.
  const memory = useRef(remember(settings));

  const change = (next: ChartSettings) => {
    memory.current = addToMemory(memory.current, next);
    const element = settingsToElement(next);
    setVisualization((before) => ({
      ...before,
      type: next.type,
      jsxConfig: element ? writeJsxConfig(withRest(element, next.type)) : "",
    }));
  };
  // The text of each type as it was left, which can say what the builder cannot.
  const left = useRef(new Map<ChartType, ChartElement>());
  const withRest = (element: ChartElement, type: ChartType) => {
    const kept = keepRest(element, visualization.type, read.element);
    return kept === element ? keepRest(element, type, left.current.get(type)) : kept;
  };
  const table = useMemo(() => readTable(read.element), [read.element]);
  const changeTable = (next: TableSettings) => {
    const element = withRest(writeTable(next) ?? emptyTable, "table");
    setTable(element.children.length > 0 || Object.keys(element.props).length > 0 ? element : undefined);
  };
  const setTable = (element: ChartElement | undefined) => {
    const jsxConfig = element ? writeJsxConfig(element) : "";
    setVisualization((before) => ({ ...before, type: "table", jsxConfig }));
  };
  const changeTypeTo = (type: ChartType) => {
    if (read.element) left.current.set(settings.type, read.element);
    else left.current.delete(settings.type);
    if (settings.type !== "table") memory.current = addToMemory(memory.current, settings);
    if (type === "table") setTable(left.current.get("table"));
    else change(changeType(memory.current, type, rows));
  };
  const save = async (basedOn = opened?.updatedAt) => {
    setSaving(true);
    setError(undefined);
    setSavedByOthers(undefined);
    try {
      const changedParameters = parameters.filter((one, index) => one !== initial.parameters[index]);
      const shortId = await onSave({ title, visualization, parameters, changedParameters }, basedOn);
      notifications.show({ message: "The chart is saved." });
      leaving.current = true;
      await navigate({ to: "/q/$shortId", params: { shortId }, search: {} });
    } catch (refused) {
      const { code } = toFailure(refused);
      if (code === "reference_changed" && opened) {
        setSavedByOthers(await readUpdatedAt(opened.shortId).catch(() => opened.updatedAt));
      } else if (code === "invalid_visualization") {
        // The text editor shows where the error is.
        setMode("text");
        setError(new Failure("The chart is not saved: its text has an error. Correct it, then save again."));
      } else {
        setError(refused);
      }
    } finally {
      setSaving(false);
    }
  };
  return (
    <>
      <PageHeader
        title={title.trim() || chart.title}
        description="The chart and the parameters of this link."
      >
        {back}
        <Button loading={isSaving} onClick={() => void save()}>
          Save
        </Button>
      </PageHeader>
      {error !== undefined && <ErrorNotice error={error} />}
      {opened && savedByOthers !== undefined && (
        <SavedByOthers shortId={opened.shortId} onSave={() => void save(savedByOthers)} />
      )}
      <TextInput
        label="Title"
        mb="md"
        maw="30rem"
        maxLength={200}
        value={title}
        error={error === undefined ? undefined : toFailure(error).fields.title}
        onChange={(event) => setTitle(event.currentTarget.value)}
      />
      <Tabs defaultValue="chart">
        <Tabs.List mb="md">
          <Tabs.Tab value="chart">Chart</Tabs.Tab>
          <Tabs.Tab value="parameters">Parameters</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="chart">
          <div className={classes.split}>
            <Stack gap="sm">
              <SegmentedControl
                aria-label="How the chart is made"
                value={mode}
                onChange={(value) => setMode(value === "text" ? "text" : "builder")}
                data={[
                  { value: "builder", label: "Builder" },
                  { value: "text", label: "Text" },
                ]}
              />
              {mode === "builder" && !isComplete && (
                <Alert color="amber" variant="light">
                  The text says more than the builder has fields for. That part is drawn and kept as long as
                  the type has a place for it; “Text” shows it.
                </Alert>
              )}
              {mode === "builder" ? (
                <ChartBuilder
                  settings={settings}
                  rows={rows}
                  onChange={change}
                  onTypeChange={changeTypeTo}
                  table={table}
                  onTableChange={changeTable}
                />
              ) : (
                <JsxText
                  visualization={visualization}
                  marks={marksOf(read.error)}
                  onChange={setVisualization}
                />
              )}
              {visualization.type !== "table" && (
                <Margins
                  value={visualization.marginConfig}
                  onChange={(marginConfig) => setVisualization((before) => ({ ...before, marginConfig }))}
                />
              )}
            </Stack>
            <section className={classes.preview} aria-label="Preview">
              {visualization.type === "table" ? (
                <div className={classes.table}>
                  <ConfiguredTable
                    result={result}
                    rows={rows}
                    jsxConfig={visualization.jsxConfig}
                    label="Rows of the result"
                    onColumns={(columns) => changeTable({ ...table, columns })}
                  />
                </div>
              ) : (
                <Chart
                  visualization={visualization}
                  rows={rows}
                  label={`Preview: ${title}`}
                  height={chartHeight(visualization, rows, usualChartHeight.wide)}
                />
              )}
            </section>
          </div>
        </Tabs.Panel>
        <Tabs.Panel value="parameters">
          <div className={classes.narrow}>
            <ParameterOverrides definitions={parameters} onChange={setParameters} />
          </div>
        </Tabs.Panel>
      </Tabs>
      <LeaveDialog hasUnsavedChanges={() => isChanged && !leaving.current}>
        The chart and the parameters stay as they were. What you have changed here is lost.
      </LeaveDialog>
    </>
  );
}

/** A new chart of a query without a name gets its title from what it shows. */
function titleFor({ title, visualization }: StartingChart, rows: ChartRows): string {
  if (visualization || title !== untitled) return title;
  return suggestTitle(suggestSettings(rows)) ?? title;
}

// As the api names a reference that was created without a title.
export const untitled = "Untitled query";

function suggest(rows: ChartRows): Visualization {
  const settings = suggestSettings(rows);
  const element = settingsToElement(settings);
  return {
    type: settings.type,
    jsxConfig: element ? writeJsxConfig(element) : "",
    marginConfig: plainMargins,
  };
}
