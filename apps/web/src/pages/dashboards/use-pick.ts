import type { DashboardFilters } from "@querybell/domain";
import { useNavigate } from "@tanstack/react-router";
import { toListText, type ValueTexts, withText } from "../../parameters/parameter-values.ts";
import type { ShownChart, Tile } from "./dashboard.ts";

/** The filters of a dashboard while it is looked at. */
export interface Filtering {
  filters: DashboardFilters;
  /** As the address has them. */
  values: ValueTexts;
  onShow: (values: ValueTexts) => void;
  isRefreshing: boolean;
}

/** What a click on a point of a tile does with its category; undefined if it does nothing. */
export function usePick(tile: Tile, chart: ShownChart | undefined, filtering: Filtering | undefined) {
  const navigate = useNavigate();
  if (tile.kind !== "chart" || !tile.click || !chart || !filtering) return undefined;
  const { click } = tile;
  const { filters, values, onShow } = filtering;
  if (click.does === "open") {
    const search = { ...valuesOfChart(chart, filtering) };
    return (category: string) =>
      void navigate({
        to: "/q/$shortId",
        params: { shortId: chart.shortId },
        search: { ...search, [click.placeholder]: category },
      });
  }
  const definition = filters.definitions.find(({ name }) => name === click.filter);
  if (!definition) return undefined;
  return (category: string) => {
    const text = definition.type.endsWith("[]") ? toListText([category]) : category;
    // The same once more takes it back.
    const next = values[definition.name] === text ? "" : text;
    onShow(withText(values, { name: definition.name, text: next, choices: filters.choices }));
  };
}

/** The values that filters give to the placeholders of a chart, as they are in the address of its page. */
export const valuesOfChart = ({ feeds }: ShownChart, filtering: Filtering | undefined): ValueTexts =>
  Object.fromEntries(
    feeds.flatMap(({ filter, placeholder }) => {
      const definition = filtering?.filters.definitions.find(({ name }) => name === filter);
      const text = filtering?.values[filter] ?? definition?.defaultValue;
      return text === undefined ? [] : [[placeholder, text]];
    }),
  );
