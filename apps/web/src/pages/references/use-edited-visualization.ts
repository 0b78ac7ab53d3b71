import type { ChartRows } from "@querybell/charts/chart-data";
import {
  addToMemory,
  type ChartSettings,
  type ChartType,
  changeType,
  elementToSettings,
  keepRest,
  remember,
  settingsToElement,
  writeJsxConfig,
} from "@querybell/charts/settings";
import { readTable, type TableSettings, writeTable } from "@querybell/charts/tables";
import type { ChartElement } from "@querybell/domain/jsx-config";
import { useMemo, useRef, useState } from "react";
import type { Visualization } from "../../charts/visualization.ts";
import { readConfig } from "./jsx-text.tsx";

const emptyTable: ChartElement = { name: "Table", props: {}, children: [] };

/**
 * A visualization that is changed through the fields of the builder or as text. What the fields cannot say stays in the
 * text, and what was chosen for one type comes back with it.
 */
export function useEditedVisualization(initial: Visualization, rows: ChartRows) {
  const [visualization, setVisualization] = useState(initial);
  const read = useMemo(() => readConfig(visualization.jsxConfig), [visualization.jsxConfig]);
  const { settings, isComplete } = useMemo(
    () => elementToSettings(visualization.type, read.element),
    [visualization.type, read.element],
  );
  const table = useMemo(() => readTable(read.element), [read.element]);
  const memory = useRef(remember(settings));
  // The text of each type as it was left.
  const left = useRef(new Map<ChartType, ChartElement>());

  const withRest = (element: ChartElement, type: ChartType) => {
    const kept = keepRest(element, visualization.type, read.element);
    return kept === element ? keepRest(element, type, left.current.get(type)) : kept;
  };
  const setElement = (type: ChartType, element: ChartElement | null) => {
    const jsxConfig = element ? writeJsxConfig(element) : "";
    setVisualization((before) => ({ ...before, type, jsxConfig }));
  };
  const changeSettings = (next: ChartSettings) => {
    memory.current = addToMemory(memory.current, next);
    const element = settingsToElement(next);
    setElement(next.type, element && withRest(element, next.type));
  };
  const changeTable = (next: TableSettings) => {
    const element = withRest(writeTable(next) ?? emptyTable, "table");
    const saysSomething = element.children.length > 0 || Object.keys(element.props).length > 0;
    setElement("table", saysSomething ? element : null);
  };
  const changeTypeTo = (type: ChartType) => {
    if (read.element) left.current.set(settings.type, read.element);
    else left.current.delete(settings.type);
    if (settings.type !== "table") memory.current = addToMemory(memory.current, settings);
    if (type === "table") setElement("table", left.current.get("table") ?? null);
    else changeSettings(changeType(memory.current, type, rows));
  };
  return {
    visualization,
    setVisualization,
    /** Where the text has an error. */
    textError: read.error,
    settings,
    /** Whether the settings say all that the text says. */
    isComplete,
    changeSettings,
    table,
    changeTable,
    changeTypeTo,
  };
}
