import type { Inputs, Outputs } from "@querybell/client";
import { isSameJson } from "@querybell/domain/same-json";

type StoredCondition = NonNullable<Outputs["automations"]["get"]["condition"]>;
type StoredPart = StoredCondition["rule"]["condition"];
type Leaf = Exclude<StoredPart, { kind: "all" | "any" }>;
type Filter = Extract<Leaf, { kind: "rows" }>["where"][number];
type GivenCondition = NonNullable<Inputs["automations"]["create"]["condition"]>;
type GivenLeaf = Exclude<GivenCondition["rule"]["condition"], { kind: "all" | "any" }>;

export type PartKind = Leaf["kind"];

export interface FilterValues {
  column: string;
  operator: Filter["operator"];
  value: string;
}

/** One part of a condition in the form, with the fields of all kinds. They have the names that the api has. */
export interface PartValues {
  /** A React key. */
  key: string;
  kind: PartKind;
  figure: {
    operation: Extract<Leaf, { kind: "figure" }>["figure"]["operation"];
    column: string;
    where: FilterValues[];
  };
  which: "any" | "every";
  column: string;
  where: FilterValues[];
  is: {
    operator: Extract<Leaf, { kind: "figure" }>["is"]["operator"];
    to: {
      kind: Extract<Leaf, { kind: "figure" }>["is"]["to"]["kind"];
      value: string;
      column: string;
      shortId: string;
      dates: string;
      period: "day" | "week" | "month" | "quarter" | "year";
    };
    by: { amount: string; unit: "absolute" | "percent" };
    margin: string;
  };
  changes: Extract<Leaf, { kind: "rows_changed" }>["changes"];
  /** The columns that identify a row. */
  keyColumns: string[];
  falseAlarms: Extract<Leaf, { kind: "out_of_the_ordinary" }>["falseAlarms"];
  direction: "both" | "above" | "below";
  timeZone: string;
  dates: string;
  afterHours: number | string;
}

export interface ConditionValues {
  speaks: "always" | "condition";
  shortId: string;
  joined: "all" | "any";
  parts: PartValues[];
  metForRuns: number | string;
  resolvedForRuns: number | string;
  /** Empty: told once. */
  repeatAfterHours: number | string;
  tellsResolved: boolean;
  /** A condition that the form cannot show, for example because it has groups in groups. Saved as it is. */
  other: StoredCondition | null;
}

export const newPart = (kind: PartKind = "figure"): PartValues => ({
  key: crypto.randomUUID(),
  kind,
  figure: { operation: "sum", column: "", where: [] },
  which: "any",
  column: "",
  where: [],
  is: {
    operator: "more",
    to: { kind: "value", value: "", column: "", shortId: "", dates: "", period: "month" },
    by: { amount: "", unit: "absolute" },
    margin: "",
  },
  changes: ["entered"],
  keyColumns: [],
  falseAlarms: "one_in_three_months",
  direction: "both",
  timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  dates: "",
  afterHours: 24,
});

export const alwaysSpeaks = (): ConditionValues => ({
  speaks: "always",
  shortId: "",
  joined: "all",
  parts: [newPart()],
  metForRuns: 1,
  resolvedForRuns: 1,
  repeatAfterHours: "",
  tellsResolved: true,
  other: null,
});

export function conditionValuesOf(stored: StoredCondition | null): ConditionValues {
  const values = alwaysSpeaks();
  if (!stored) return values;
  const { shortId, rule } = stored;
  const { condition, metForRuns, resolvedForRuns, repeatAfterMinutes, tellsResolved } = rule;
  const joined = condition.kind === "any" ? "any" : "all";
  const parts = condition.kind === "all" || condition.kind === "any" ? condition.conditions : [condition];
  const leaves = parts.flatMap((part) => (part.kind === "all" || part.kind === "any" ? [] : [part]));
  const shown: ConditionValues = {
    ...{ ...values, speaks: "condition", shortId, joined, metForRuns, resolvedForRuns, tellsResolved },
    repeatAfterHours: repeatAfterMinutes === null ? "" : repeatAfterMinutes / 60,
    parts: leaves.map(partOf),
  };
  return isSameJson(toCondition(shown), stored) ? shown : { ...shown, other: stored };
}

const filterOf = ({ column, operator, value }: Filter): FilterValues => ({
  column,
  operator,
  value: value === undefined ? "" : String(value),
});

function partOf(leaf: Leaf): PartValues {
  const part = newPart(leaf.kind);
  if ("figure" in leaf) {
    const { operation, column = "", where } = leaf.figure;
    part.figure = { operation, column, where: where.map(filterOf) };
  }
  if ("is" in leaf) {
    const { operator, to, by, margin = "" } = leaf.is;
    part.is = { ...part.is, operator, margin, by: by ?? part.is.by };
    part.is.to = { ...part.is.to, kind: to.kind };
    if (to.kind === "value") part.is.to.value = to.value;
    if (to.kind === "column") part.is.to.column = to.column;
    if (to.kind === "period_before") part.is.to = { ...part.is.to, dates: to.dates, period: to.period };
    if (to.kind === "chart") part.is.to.shortId = to.shortId;
  }
  switch (leaf.kind) {
    case "rows":
      return { ...part, which: leaf.which, column: leaf.column, where: leaf.where.map(filterOf) };
    case "rows_changed":
      return { ...part, changes: leaf.changes, keyColumns: leaf.key, where: leaf.where.map(filterOf) };
    case "out_of_the_ordinary": {
      const { falseAlarms, direction, timeZone, dates = "" } = leaf;
      return { ...part, falseAlarms, direction, timeZone, dates };
    }
    case "stale":
      return { ...part, dates: leaf.dates, afterHours: leaf.afterMinutes / 60 };
    default:
      return part;
  }
}

/** Converts the form's values to the input of the api. */
export function toCondition(values: ConditionValues): GivenCondition | null {
  const { speaks, shortId, joined, parts, metForRuns, resolvedForRuns, repeatAfterHours, tellsResolved } =
    values;
  if (speaks === "always") return null;
  if (values.other) return values.other;
  const leaves = parts.map(toLeaf);
  const [first] = leaves;
  return {
    shortId,
    rule: {
      condition: leaves.length === 1 && first ? first : { kind: joined, conditions: leaves },
      metForRuns: Number(metForRuns),
      resolvedForRuns: Number(resolvedForRuns),
      repeatAfterMinutes: repeatAfterHours === "" ? null : Math.round(Number(repeatAfterHours) * 60),
      tellsResolved,
    },
  };
}

const toFilter = ({ column, operator, value }: FilterValues) => ({
  column,
  operator,
  ...(operator !== "is_empty" && { value: asNumberIfExact(value) }),
});

/** A number that JSON keeps as it was typed is compared as a number. */
const asNumberIfExact = (text: string): string | number =>
  String(Number(text)) === text ? Number(text) : text;

const toFigure = ({ operation, column, where }: PartValues["figure"]) => ({
  operation,
  ...(operation !== "count" && { column }),
  where: where.map(toFilter),
});

function toTest(part: PartValues) {
  const { operator, to, by, margin } = part.is;
  const others = {
    value: { kind: "value", value: to.value },
    column: { kind: "column", column: to.column },
    chart: { kind: "chart", shortId: to.shortId, figure: toFigure({ ...part.figure, where: [] }) },
    period_before: { kind: "period_before", dates: to.dates, period: to.period },
    last_run: { kind: "last_run" },
  } as const;
  return {
    operator,
    to: others[to.kind],
    ...(by.amount !== "" && { by }),
    ...(margin !== "" && { margin }),
  };
}

function toLeaf(part: PartValues): GivenLeaf {
  const { kind, which, column, changes, keyColumns: key, falseAlarms, direction, timeZone, dates } = part;
  const where = part.where.map(toFilter);
  switch (kind) {
    case "figure":
      return { kind, figure: toFigure(part.figure), is: toTest(part) };
    case "rows":
      return { kind, which, column, where, is: toTest(part) };
    case "rows_changed":
      return { kind, changes, key, where };
    case "out_of_the_ordinary": {
      const settings = { falseAlarms, direction, timeZone, ...(dates !== "" && { dates }) };
      return { kind, figure: toFigure(part.figure), ...settings };
    }
    case "stale":
      return { kind, dates, afterMinutes: Math.round(Number(part.afterHours) * 60) };
    case "failed":
    case "cut":
      return { kind };
  }
}

/** The field of the form that an error of the api is about. */
export function toConditionField(path: string): string {
  const inRule = "condition.rule.";
  if (!path.startsWith(inRule)) return path;
  const rest = path.slice(inRule.length);
  const [, position = "0", field = ""] = /^condition(?:\.conditions\.(\d+))?(?:\.(.*))?$/.exec(rest) ?? [];
  if (!rest.startsWith("condition"))
    return `condition.${rest.replace("repeatAfterMinutes", "repeatAfterHours")}`;
  const names: Record<string, string> = { key: "keyColumns", afterMinutes: "afterHours", "": "kind" };
  return `condition.parts.${position}.${names[field] ?? field.replace(/^key\..*/, "keyColumns")}`;
}
