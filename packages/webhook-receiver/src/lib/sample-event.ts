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

const samples = new Map<string, Record<string, unknown>>([
  [
    "automation.run.completed",
    {
      ...run,
      summary: "Weekly revenue is up 4 % to 1.2 M €.",
      chatUrl: "https://querybell.example/chats/sample",
      imageUrl: null,
    },
  ],
  ["automation.run.failed", { ...run, reason: "stopped" }],
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
