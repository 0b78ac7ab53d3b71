import { Alert, Button, SegmentedControl, Stack, Tabs, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import type { ChartRows } from "@querybell/charts/chart-data";
import { chartHeight, usualChartHeight } from "@querybell/charts/chart-size";
import { settingsToElement, suggestSettings, suggestTitle, writeJsxConfig } from "@querybell/charts/settings";
import type { ParameterDefinition } from "@querybell/domain";
import { plainMargins } from "@querybell/domain/plain-margins";
import { useNavigate } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { Chart } from "../../charts/chart.tsx";
import type { Visualization } from "../../charts/visualization.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { Failure, toFailure } from "../../errors/failure.ts";
import { ParameterOverrides } from "../../parameters/parameter-overrides.tsx";
import { ConfiguredTable } from "../../results/configured-table.tsx";
import type { OpenResult } from "../../results/open-result.ts";
import { LeaveDialog } from "../../ui/confirm-modal.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { ChartBuilder } from "./chart-builder.tsx";
import classes from "./chart-editor.module.css";
import { JsxText, marksOf } from "./jsx-text.tsx";
import { Margins } from "./margins.tsx";
import { type EditedChart, readUpdatedAt } from "./save-chart.ts";
import { SavedByOthers } from "./saved-by-others.tsx";
import { useEditedVisualization } from "./use-edited-visualization.ts";

interface StartingChart {
  title: string;
  /** Undefined: one is suggested for the rows. */
  visualization: Visualization | undefined;
  parameters: ParameterDefinition[];
}

interface ChartEditorProps {
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
export function ChartEditor({ chart, rows, result, back, saved, onSave }: ChartEditorProps) {
  const navigate = useNavigate();
  const [initial] = useState(() => ({
    title: titleFor(chart, rows),
    visualization: chart.visualization ?? suggest(rows),
    parameters: chart.parameters,
  }));
  const edited = useEditedVisualization(initial.visualization, rows);
  const { visualization, setVisualization, settings, table, changeTable } = edited;
  const [title, setTitle] = useState(initial.title);
  const [parameters, setParameters] = useState<ParameterDefinition[]>(initial.parameters);
  const [mode, setMode] = useState<"builder" | "text">("builder");
  const [error, setError] = useState<unknown>();
  // The state that is edited. The page may read a later one meanwhile.
  const [opened] = useState(saved);
  // When somebody else has saved meanwhile.
  const [savedByOthers, setSavedByOthers] = useState<string>();
  const [isSaving, setSaving] = useState(false);
  const isChanged = JSON.stringify({ title, visualization, parameters }) !== JSON.stringify(initial);
  const leaving = useRef(false);

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
              {mode === "builder" && !edited.isComplete && (
                <Alert color="amber" variant="light">
                  The text says more than the builder has fields for. That part is drawn and kept as long as
                  the type has a place for it; “Text” shows it.
                </Alert>
              )}
              {mode === "builder" ? (
                <ChartBuilder
                  settings={settings}
                  rows={rows}
                  onChange={edited.changeSettings}
                  onTypeChange={edited.changeTypeTo}
                  table={table}
                  onTableChange={changeTable}
                />
              ) : (
                <JsxText
                  visualization={visualization}
                  marks={marksOf(edited.textError)}
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
