import { z } from "zod";
import { RowFilter } from "./conditions.ts";
import { Id } from "./ids.ts";
import { Text } from "./text.ts";

/** A condition on the data of an event. In a list, one value that meets it suffices. */
const EventCondition = z
  .strictObject({
    field: z
      .string()
      .max(200, "must have at most 200 characters")
      .regex(/^[A-Za-z]\w*(?:\.\w+)*$/, "must be names joined by dots, like facts.value")
      .meta({
        description: "A field of the event's `data`; of one in another, or in a list: both names with a dot",
        examples: ["summary"],
      }),
    operator: RowFilter.shape.operator,
    value: Text.min(1, "must not be empty")
      .max(500, "must have at most 500 characters")
      .optional()
      .describe("A number is compared with numbers only, everything else as text"),
  })
  .refine(({ operator, value }) => operator === "is_empty" || value !== undefined, {
    message: "must have a value to compare with",
    path: ["value"],
  });

const ids = (what: string) =>
  z
    .array(Id)
    .max(50, "must be at most 50")
    .default([])
    .transform((given) => [...new Set(given)].sort())
    .describe(what);

/** Which events an endpoint gets, of those that it asks for by type. All that it names must hold. */
export const WebhookFilter = z.strictObject({
  automationIds: ids("Events of these automations, and of those in the folders. Empty: of all"),
  folderIds: ids("Events of automations in these folders and in those below them, as they are then"),
  conditions: z
    .array(EventCondition)
    .max(10, "must be at most 10")
    .default([])
    .describe("An event without the field meets none but `is_empty`"),
});
export type WebhookFilter = z.infer<typeof WebhookFilter>;

/** Without the limits of the input: what is stored stays readable. */
const StoredCondition = z.object({
  field: z.string(),
  operator: RowFilter.shape.operator,
  value: z.string().optional(),
});

export const StoredWebhookFilter = z.object({
  automationIds: z.array(Id),
  folderIds: z.array(Id),
  conditions: z.array(StoredCondition),
});

const Named = z.object({ id: Id, name: z.string().nullable().describe("Null: it was deleted") });

/** A filter as admins see it. */
export const NamedWebhookFilter = z.object({
  automations: z.array(Named),
  folders: z.array(Named),
  conditions: z.array(StoredCondition),
});
export type NamedWebhookFilter = z.infer<typeof NamedWebhookFilter>;

/** A filter that lets everything pass is none. */
export const isEmptyFilter = ({ automationIds, folderIds, conditions }: WebhookFilter): boolean =>
  automationIds.length + folderIds.length + conditions.length === 0;
