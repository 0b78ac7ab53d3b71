import type { AutomationRunCompleted, AutomationRunFailed, Envelope, WebhookEvent } from "./lib/event.ts";
import { WebhookError } from "./lib/webhook-error.ts";

// The types of `data` are no interfaces: those would not be assignable to the record that `UnknownEvent` has.

/** A value that a condition was judged by. Numbers are texts with all their digits. */
export type ConditionFact =
  | {
      kind: "figure";
      /** For example "sum of revenue". */
      name: string;
      value: string;
      /** What it was compared with. */
      compared: string | null;
      difference: string | null;
      percent: string | null;
    }
  | { kind: "rows"; entered: number; left: number; changed: number }
  | { kind: "matches"; column: string; count: number; of: number }
  | { kind: "text"; text: string };

type ConditionData = {
  automationId: string;
  runId: string;
  /** The short id of the chart that was judged. */
  chart: string;
  /** Since when it is met, or was until now. */
  since: string;
  facts: ConditionFact[];
  /** A permalink to the run's chat. */
  chatUrl: string;
};

/** The condition of an automation is met. `isAgain`: it was told before, and still holds. */
export interface AutomationConditionMet extends Envelope {
  known: false;
  type: "automation.condition.met";
  data: ConditionData & { isAgain: boolean };
}

/** The condition of an automation is no longer met. */
export interface AutomationConditionResolved extends Envelope {
  known: false;
  type: "automation.condition.resolved";
  data: ConditionData;
}

/** The value of a cell. Decimals, dates and integers beyond 2^53 are strings with all their digits. */
export type Cell = null | boolean | number | string | Cell[] | { [key: string]: Cell };

export interface Column {
  name: string;
  type: string;
}

export interface ChangedRow {
  /** A row has entered also if the condition's filter newly admits it, and left if it no longer does. */
  change: "entered" | "left" | "changed";
  /** The values of the columns of `key`. */
  key: Cell[];
  /** The row as it is, in the order of `fields`. Null if it is gone. */
  now: Cell[] | null;
  /** The row as it was, in the order of `fieldsBefore`. Null if it was not there. */
  before: Cell[] | null;
  /** Positions of cells that are too large for an event: null stands in their place. Null if there are none. */
  omittedCells: { key: number[]; now: number[]; before: number[] } | null;
}

/** Rows of an automation's chart entered, left or changed. Many rows come in several events: each row is in one. */
export interface AutomationRowsChanged extends Envelope {
  known: false;
  type: "automation.rows.changed";
  data: {
    automationId: string;
    runId: string;
    /** The short id of the chart. */
    chart: string;
    /** Which of the parts this is, from 1. */
    part: number;
    /** How many events have rows of this run. */
    parts: number;
    /** How many rows entered, in all parts together. */
    entered: number;
    left: number;
    changed: number;
    /** 0, or all of them if there are too many for events: then `rows` is empty. */
    omittedRows: number;
    /** The columns that identify a row. */
    key: string[];
    fields: Column[];
    fieldsBefore: Column[];
    rows: ChangedRow[];
    /** A permalink to the run's chat. */
    chatUrl: string;
  };
}

/** The audit log has a new entry. It names people by their ids. */
export interface AuditEntryCreated extends Envelope {
  known: false;
  type: "audit.entry.created";
  data: {
    entryId: string;
    action: string;
    byOperator: boolean;
    userId: string | null;
    /** The API key with which it was done. */
    keyId: string | null;
    targetId: string;
    detail: Readonly<Record<string, unknown>>;
  };
}

/** The event types of this version. Later versions have more. */
export interface EventTypes {
  "automation.run.completed": AutomationRunCompleted;
  "automation.run.failed": AutomationRunFailed;
  "automation.condition.met": AutomationConditionMet;
  "automation.condition.resolved": AutomationConditionResolved;
  "automation.rows.changed": AutomationRowsChanged;
  "audit.entry.created": AuditEntryCreated;
}

type Kind = "string" | "number" | "boolean" | "object";

const run: Record<string, Kind> = { automationId: "string", runId: "string" };
const condition: Record<string, Kind> = {
  ...run,
  ...{ chart: "string", since: "string", facts: "object", chatUrl: "string" },
};

/** What `data` must have, by type. Lists are objects. */
const required: Record<keyof EventTypes, Record<string, Kind>> = {
  "automation.run.completed": { ...run, summary: "string", chatUrl: "string" },
  "automation.run.failed": { ...run, reason: "string" },
  "automation.condition.met": { ...condition, isAgain: "boolean" },
  "automation.condition.resolved": condition,
  "automation.rows.changed": {
    ...run,
    ...{ chart: "string", part: "number", parts: "number" },
    ...{ entered: "number", left: "number", changed: "number", omittedRows: "number" },
    ...{ key: "object", fields: "object", fieldsBefore: "object", rows: "object", chatUrl: "string" },
  },
  "audit.entry.created": {
    ...{ entryId: "string", action: "string", byOperator: "boolean", targetId: "string", detail: "object" },
  },
};

/**
 * Whether an event is of this type: then `data` has its fields. Throws `malformed_event` if it is of the type and its
 * data is not what the type promises.
 */
export function isEvent<Type extends keyof EventTypes>(
  event: WebhookEvent,
  type: Type,
): event is EventTypes[Type] {
  if (event.type !== type) return false;
  const data: Readonly<Record<string, unknown>> = event.data;
  const missing = Object.entries(required[type]).find(
    ([name, kind]) => typeof data[name] !== kind || data[name] === null,
  );
  if (!missing) return true;
  throw new WebhookError(
    "malformed_event",
    `The data is not that of ${type}: ${missing[0]} is missing.`,
    "It is genuine: look for a newer version of this kit.",
  );
}
