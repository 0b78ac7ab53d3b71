import type { Field } from "@querybell/domain";
import type { ChartElement, LiteralValue } from "@querybell/domain/jsx-config";
import type { ChartRow } from "./chart-data.ts";
import { type Formats, isValueFormat, type ValueFormat } from "./formats.ts";
import type { ChartTheme } from "./scene.ts";

interface Margins {
  top: number;
  right: number;
  bottom: number;
  left: number;
}

/** A chart whose marks are one series each, and where it is drawn. */
export interface ChartInput {
  element: ChartElement;
  data: readonly ChartRow[];
  fields: readonly Field[];
  notes: string[];
  width: number;
  height: number;
  margins: Margins;
  theme: ChartTheme;
  formats: Formats;
}

export type Props = Record<string, LiteralValue>;

export const textProp = (value: unknown): string | undefined =>
  typeof value === "string" && value.trim() !== "" ? value : undefined;

export const numberProp = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) ? value : undefined;

export const formatProp = (value: unknown): ValueFormat | undefined =>
  isValueFormat(value) && value !== "auto" ? value : undefined;

export const childOf = (element: ChartElement, name: string): ChartElement | undefined =>
  element.children.find((child) => child.name === name);

/** The text of a label: a prop, or a `Label` inside. */
export function labelOf({ props, children }: ChartElement): string | undefined {
  const { label } = props;
  const given = typeof label === "object" && label !== null && !Array.isArray(label) ? label.value : label;
  const inside = children.find(({ name }) => name === "Label")?.props.value;
  const text = given === undefined || given === true ? inside : given;
  return typeof text === "number" ? String(text) : textProp(text);
}
