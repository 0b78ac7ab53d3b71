import { Text } from "@mantine/core";
import { type ChartElement, parseJsxConfig } from "@querybell/domain/jsx-config";
import type { Visualization } from "../../charts/visualization.ts";
import { CodeEditor, type TextError } from "../../sql/code-editor.tsx";
import classes from "./chart-editor.module.css";

export function readConfig(text: string): { element: ChartElement | null; error?: unknown } {
  try {
    return { element: parseJsxConfig(text) };
  } catch (error) {
    return { element: null, error };
  }
}

/** The errors of the text. The api reads it with the same parser. */
export const marksOf = (unread: unknown): TextError[] =>
  isUnread(unread) ? unread.errors.map(({ message, position }) => ({ message, position })) : [];

const isUnread = (error: unknown): error is { errors: TextError[] } =>
  error instanceof Error && "errors" in error && Array.isArray(error.errors);

interface JsxTextProps {
  visualization: Visualization;
  marks: readonly TextError[];
  onChange: (visualization: Visualization) => void;
}

const typeOfRoot: Record<string, Visualization["type"]> = {
  LineChart: "line",
  BarChart: "bar",
  AreaChart: "area",
  ScatterChart: "scatter",
  PieChart: "pie",
  Number: "number",
  Table: "table",
};

/** Edits the chart's `jsxConfig`, for settings that the builder does not have. */
export function JsxText({ visualization, marks, onChange }: JsxTextProps) {
  const change = (jsxConfig: string) => {
    const root = readConfig(jsxConfig).element?.name ?? "";
    onChange({ ...visualization, jsxConfig, type: typeOfRoot[root] ?? visualization.type });
  };
  return (
    <>
      <div className={classes.text}>
        <CodeEditor
          label="The chart as text"
          value={visualization.jsxConfig}
          onChange={change}
          marks={marks}
        />
      </div>
      {marks.map(({ message }) => (
        <Text key={message} size="sm" c="var(--qb-bad)" role="alert">
          {message}
        </Text>
      ))}
    </>
  );
}
