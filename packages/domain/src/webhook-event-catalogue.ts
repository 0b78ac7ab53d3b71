import { z } from "zod";
import { Id } from "./ids.ts";
import { Timestamp } from "./time.ts";
import { WebhookEventType, WebhookOccurrence } from "./webhook-events.ts";

/** A trigger of the audit log makes this one. */
const AuditEntryCreated = z.strictObject({
  type: z.literal("audit.entry.created"),
  data: z.strictObject({
    entryId: Id,
    action: z.string().describe("As in the audit log. Later versions have more actions"),
    byOperator: z.boolean().describe("Whether the operator of the deployment did it, with a command"),
    userId: Id.nullable(),
    keyId: Id.nullable().describe("The API key with which it was done; null without one"),
    targetId: z.string(),
    detail: z.record(z.string(), z.json()),
  }),
});

const AnyOccurrence = z.discriminatedUnion("type", [...WebhookOccurrence.options, AuditEntryCreated]);
type AnyOccurrence = z.infer<typeof AnyOccurrence>;
type DataOf<Type extends WebhookEventType> = Extract<AnyOccurrence, { type: Type }>["data"];

const run = {
  automationId: "01980000-0000-7000-8000-000000000001",
  runId: "01980000-0000-7000-8000-000000000002",
};
const chatUrl = "https://querybell.example/chats/b7x2m9qk4d";
const condition = { ...run, chart: "w7hq4k2ma2", since: "2026-11-18T09:00:04.120Z", chatUrl };

/** When an event of each type is sent, and the data of one. */
const entries: { [Type in WebhookEventType]: { description: string; example: DataOf<Type> } } = {
  "automation.run.completed": {
    description: "A run of an automation ended well",
    example: { ...run, summary: "Revenue is up 4 % on last week.", chatUrl, imageUrl: null },
  },
  "automation.run.failed": {
    description: "A run of an automation failed, or somebody stopped it: then the reason is `stopped`",
    example: { ...run, reason: "The database could not be reached." },
  },
  "automation.condition.met": {
    description: "The condition of an automation is met, or still is: with the values it was judged by",
    example: {
      ...condition,
      facts: [
        {
          kind: "figure",
          name: "sum of revenue",
          value: "1200",
          compared: "1500",
          difference: "-300",
          percent: "-20",
        },
      ],
      isAgain: false,
    },
  },
  "automation.condition.resolved": {
    description: "The condition of an automation is no longer met: with the values it was judged by",
    example: {
      ...condition,
      facts: [
        {
          kind: "figure",
          name: "sum of revenue",
          value: "1600",
          compared: "1500",
          difference: "100",
          percent: "6.7",
        },
      ],
    },
  },
  "automation.rows.changed": {
    description: "Rows that an automation watches entered, left or changed: with all their values",
    example: {
      ...run,
      ...{ chart: "w7hq4k2ma2", part: 2, parts: 2, entered: 201, left: 1, changed: 1, omittedRows: 0 },
      key: ["id"],
      fields: [
        { name: "id", type: "integer" },
        { name: "amount", type: "decimal" },
      ],
      fieldsBefore: [
        { name: "id", type: "integer" },
        { name: "amount", type: "decimal" },
      ],
      rows: [
        { change: "entered", key: [41], now: [41, "12.50"], before: null, omittedCells: null },
        { change: "changed", key: [7], now: [7, "20.00"], before: [7, "19.00"], omittedCells: null },
        { change: "left", key: [3], now: null, before: [3, "5.00"], omittedCells: null },
      ],
      chatUrl,
    },
  },
  "audit.entry.created": {
    description: "The audit log has a new entry: who did what, with ids in place of names",
    example: {
      entryId: "01980000-0000-7000-8000-000000000004",
      action: "automation.changed",
      byOperator: false,
      userId: "01980000-0000-7000-8000-000000000005",
      keyId: null,
      targetId: run.automationId,
      detail: { name: "Revenue", changed: ["schedule"] },
    },
  },
};

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** What filters do not see: values of rows. */
const unfiltered: ReadonlySet<string> = new Set(["fields", "fieldsBefore", "rows"]);

export const ListWebhookEventTypes = z.strictObject({
  type: WebhookEventType.optional().describe("Only this one"),
});

/** An event type, for those who write receivers and filters. */
export const WebhookEventTypeEntry = z.object({
  type: WebhookEventType,
  description: z.string().describe("When it is sent"),
  fields: z
    .array(z.string())
    .describe("The fields of its data that filters can name; `detail.*` for whatever is in `detail`"),
  schema: z.json().describe("The JSON Schema of the body. Later versions can have more fields"),
  example: z.json().describe("A body"),
});
export type WebhookEventTypeEntry = z.infer<typeof WebhookEventTypeEntry>;

/** Receivers must not refuse fields that later versions add, so none are excluded. */
const toSchema = (schema: z.ZodType): JsonSchema =>
  z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
    override: ({ jsonSchema }) => {
      delete jsonSchema.pattern;
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });

/** The names of all values, joined by dots. */
function fieldsOf(schema: JsonSchema | boolean | undefined, names: readonly string[] = []): string[] {
  if (typeof schema !== "object") return [names.join(".")];
  const { properties, items, anyOf, oneOf, additionalProperties } = schema;
  if (properties) {
    return Object.entries(properties).flatMap(([name, inner]) => fieldsOf(inner, [...names, name]));
  }
  const alternatives = anyOf ?? oneOf;
  if (alternatives) return alternatives.flatMap((one) => fieldsOf(one, names));
  if (items && !Array.isArray(items)) return fieldsOf(items, names);
  return [[...names, ...(typeof additionalProperties === "object" ? ["*"] : [])].join(".")];
}

/** The event types with their schemas and examples, in the order of the types. */
export const webhookEventCatalogue: readonly WebhookEventTypeEntry[] = WebhookEventType.options.map(
  (type) => {
    const { description, example } = entries[type];
    const occurrence = AnyOccurrence.options.find(({ shape }) => shape.type.value === type);
    if (!occurrence) throw new Error(`The event type ${type} has no schema.`);
    const { data } = occurrence.shape;
    const body = z.object({
      id: Id.describe("The same on every attempt and resend, and in the header `svc-webhook-id`"),
      type: z.literal(type),
      createdAt: Timestamp,
      data,
    });
    return WebhookEventTypeEntry.parse({
      type,
      description,
      fields: [...new Set(fieldsOf(toSchema(data)))].filter(
        (field) => !unfiltered.has(field.split(".")[0] ?? ""),
      ),
      schema: toSchema(body),
      example: {
        id: "01980000-0000-7000-8000-000000000003",
        type,
        createdAt: "2026-11-18T09:00:04.120Z",
        data: data.parse(example),
      },
    });
  },
);

/** Whether events of a type have this field, for filters. */
export const hasEventField = (type: WebhookEventType, field: string): boolean =>
  webhookEventCatalogue.some(
    (entry) =>
      entry.type === type &&
      entry.fields.some((one) => one === field || (one.endsWith(".*") && field.startsWith(one.slice(0, -1)))),
  );
