/** An event as the sender serializes it. */
export interface SentEvent {
  id: string;
  type: string;
  createdAt: string;
  data: Record<string, unknown>;
}

const run = {
  automationId: "01980000-0000-7000-8000-000000000001",
  runId: "01980000-0000-7000-8000-000000000002",
};

const chatUrl = "https://querybell.example/chats/sample";

const condition = {
  ...run,
  chart: "w7hq4k2ma2",
  since: "2026-11-18T09:00:00.000Z",
  facts: [
    {
      ...{ kind: "figure", name: "sum of revenue", value: "1200", compared: "1500" },
      ...{ difference: "-300", percent: "-20" },
    },
  ],
  chatUrl,
};

const fields = [
  { name: "id", type: "integer" },
  { name: "amount", type: "decimal" },
];

const samples = new Map<string, Record<string, unknown>>([
  [
    "automation.run.completed",
    {
      ...run,
      summary: "Weekly revenue is up 4 % to 1.2 M €.",
      chatUrl,
      imageUrl: null,
    },
  ],
  ["automation.run.failed", { ...run, reason: "stopped" }],
  ["automation.condition.met", { ...condition, isAgain: false }],
  ["automation.condition.resolved", condition],
  [
    "automation.rows.changed",
    {
      ...run,
      ...{ chart: "w7hq4k2ma2", part: 1, parts: 1, entered: 1, left: 0, changed: 1, omittedRows: 0 },
      ...{ key: ["id"], fields, fieldsBefore: fields },
      rows: [
        { change: "entered", key: [41], now: [41, "12.50"], before: null, omittedCells: null },
        { change: "changed", key: [7], now: [7, "20.00"], before: [7, "19.00"], omittedCells: null },
      ],
      chatUrl,
    },
  ],
  [
    "audit.entry.created",
    {
      ...{ entryId: "01980000-0000-7000-8000-000000000004", action: "automation.changed", byOperator: false },
      ...{ userId: "01980000-0000-7000-8000-000000000005", keyId: null, targetId: run.automationId },
      detail: { changed: ["schedule"] },
    },
  ],
]);

/** An event with a new id. The `data` of an unknown type is a note. */
export function sampleEvent(type = "automation.run.completed"): SentEvent {
  return {
    id: crypto.randomUUID(),
    type,
    createdAt: new Date().toISOString(),
    data: samples.get(type) ?? { note: "A sample of an event type that does not exist yet." },
  };
}
