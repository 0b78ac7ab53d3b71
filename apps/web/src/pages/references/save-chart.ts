import type { ParameterDefinition } from "@querybell/domain";
import { api, queryClient, trpc } from "../../api.ts";
import type { Visualization } from "../../charts/visualization.ts";

/** A chart as it was edited. */
export interface EditedChart {
  title: string;
  visualization: Visualization;
  /** The labels and defaults of all parameters, and those that were changed. */
  parameters: readonly ParameterDefinition[];
  changedParameters: readonly ParameterDefinition[];
}

/** Creates a chart of a query. Returns its short id. */
export async function createChart(queryId: string, chart: EditedChart): Promise<string> {
  const { title, visualization, parameters } = chart;
  const input = { queryId, title, visualization, parameters: [...parameters] };
  const { shortId } = await api.references.create.mutate(input);
  await forgetCharts();
  return shortId;
}

/** Saves an existing chart, unless it was saved since the state on which the change is based. Returns its short id. */
export async function updateChart(
  shortId: string,
  chart: EditedChart,
  basedOn: string | undefined,
): Promise<string> {
  const { title, visualization, changedParameters } = chart;
  const overrides = changedParameters.length > 0 && (await overridesOf(shortId, changedParameters));
  const input = { shortId, title, visualization, ...(overrides && { parameters: overrides }) };
  await api.references.update.mutate({ ...input, ...(basedOn !== undefined && { basedOn }) });
  await forgetCharts();
  return shortId;
}

/** When a chart was saved last. */
export const readUpdatedAt = async (shortId: string): Promise<string> =>
  (await api.references.get.query({ shortId })).updatedAt;

/** The pages that are opened next read the charts again. */
async function forgetCharts(): Promise<void> {
  void queryClient.invalidateQueries(trpc.references.list.queryFilter());
  void queryClient.invalidateQueries(trpc.library.pathFilter());
  void queryClient.invalidateQueries(trpc.queries.references.queryFilter());
  void queryClient.invalidateQueries(trpc.queries.parameters.queryFilter());
  void queryClient.invalidateQueries(trpc.queries.chartTables.queryFilter());
  await queryClient.invalidateQueries(trpc.references.get.queryFilter());
}

/**
 * The definitions that the chart has of its own: those that it has by now, and those that were changed here. A chart
 * without any takes the labels and defaults of its query, also when these change. Types are those of the query by now.
 */
async function overridesOf(shortId: string, changed: readonly ParameterDefinition[]) {
  const { parameters, inputs } = await api.references.get.query({ shortId });
  const typed = changed.map((one) => ({
    ...one,
    type: inputs.definitions.find(({ name }) => name === one.name)?.type ?? one.type,
  }));
  const kept = parameters.map((one) => typed.find(({ name }) => name === one.name) ?? one);
  const added = typed.filter(({ name }) => !parameters.some((one) => one.name === name));
  return [...kept, ...added];
}
