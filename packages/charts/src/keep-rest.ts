import type { ChartElement } from "@querybell/domain/jsx-config";
import type { ChartType } from "./chart-settings.ts";
import { elementToSettings } from "./element-to-settings.ts";
import { settingsToElement } from "./settings-to-element.ts";
import { readTable, writeTable } from "./table-settings.ts";

const cartesian = ["LineChart", "BarChart", "AreaChart", "ComposedChart"];

const isSameFamily = (one: ChartElement, other: ChartElement): boolean =>
  one.name === other.name || (cartesian.includes(one.name) && cartesian.includes(other.name));

/**
 * Adds to an element that the builder has written what the text before could say and the builder cannot, as far as the
 * new chart has a place for it. What the builder has changed counts; everything else is as it was.
 */
export function keepRest(
  written: ChartElement,
  type: ChartType,
  before: ChartElement | null | undefined,
): ChartElement {
  if (!before || !isSameFamily(written, before)) return written;
  const known =
    before.name === "Table"
      ? writeTable(readTable(before))
      : settingsToElement(elementToSettings(type, before).settings);
  return known ? merge(written, known, before) : written;
}

/** `known` is what the builder understands of `before`. */
function merge(written: ChartElement, known: ChartElement, before: ChartElement): ChartElement {
  const [knownParts, partsBefore] = [byPlace(known.children), byPlace(before.children)];
  const parts = byPlace(written.children);
  const children = [...parts].flatMap(([place, part]) => {
    const [understood, old] = [knownParts.get(place), partsBefore.get(place)];
    if (!understood) return [part];
    return old ? [merge(part, understood, old)] : [];
  });
  const rest = [...partsBefore].filter(([place]) => !knownParts.has(place) && !parts.has(place));
  return {
    name: written.name,
    // Another kind of chart may not take what this one took.
    props:
      written.name === before.name ? mergeProps(written.props, known.props, before.props) : written.props,
    children: [...children, ...rest.map(([, part]) => part)],
  };
}

type Props = ChartElement["props"];

const mergeProps = (written: Props, known: Props, before: Props): Props =>
  Object.fromEntries(
    [...new Set([...Object.keys(before), ...Object.keys(written)])].flatMap((name) => {
      const isChanged = JSON.stringify(written[name]) !== JSON.stringify(known[name]);
      const value = (isChanged ? written : before)[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );

/** Parts by what makes them the same after a change: a series by its column, an axis by its id. */
function byPlace(parts: readonly ChartElement[]): Map<string, ChartElement> {
  const found = new Map<string, ChartElement>();
  for (const part of parts) {
    const { name, props } = part;
    const { dataKey, yAxisId, xAxisId } = props;
    const isAxis = name === "XAxis" || name === "YAxis";
    const own = isAxis ? [yAxisId, xAxisId] : [dataKey, props.name];
    const same = JSON.stringify([name, ...own.map((value) => value ?? null)]);
    let place = same;
    for (let count = 2; found.has(place); count++) place = `${same} ${count}`;
    found.set(place, part);
  }
  return found;
}
