import { z } from "zod";
import { Id } from "./ids.ts";
import { ListPage } from "./pages.ts";
import { ParameterDefinition, ParameterDefinitions, ParameterInputs } from "./parameters.ts";
import { nameUpTo, Text } from "./text.ts";
import { Timestamp } from "./time.ts";
import { Visualization } from "./visualizations.ts";

export const defaultTitle = "Untitled query";

/** Without characters that are easily confused: 0 and o, 1, i and l. */
export const shortIdAlphabet = "23456789abcdefghjkmnpqrstuvwxyz";
export const shortIdLength = 10;

// Any text is valid input. A text that is not a short id is not found.
const ShortId = Text.max(200);

const Title = nameUpTo(200);
const Description = Text.max(2000, "must have at most 2000 characters").nullable();

const content = {
  title: Title.optional(),
  description: Description.optional(),
  visualization: Visualization.nullable().optional(),
  parameters: ParameterDefinitions.optional(),
};

export const CreateReference = z.strictObject({ queryId: Id, ...content });
export type CreateReference = z.infer<typeof CreateReference>;

/** A reference whose query does not exist yet. */
export const CreateOptimisticReference = z.strictObject(content);
export type CreateOptimisticReference = z.infer<typeof CreateOptimisticReference>;

/** Links an optimistic reference to its query. The link cannot be changed. */
export const AttachReference = z.strictObject({ shortId: ShortId, queryId: Id });
export type AttachReference = z.infer<typeof AttachReference>;

const IsOptimistic = z
  .boolean()
  .optional()
  .describe("Whether the reference is without a query. If given, references of the other kind are not found");

/** Absent fields are not changed; null removes a description or a visualization. */
export const UpdateReference = z.strictObject({
  shortId: ShortId,
  isOptimistic: IsOptimistic,
  basedOn: Timestamp.optional().describe(
    "The `updatedAt` of the reference on which the change is based. Fails with `reference_changed` if it has another one now",
  ),
  ...content,
});
export type UpdateReference = z.infer<typeof UpdateReference>;

export const ReferenceShortId = z.strictObject({ shortId: ShortId, isOptimistic: IsOptimistic });
export type ReferenceShortId = z.infer<typeof ReferenceShortId>;

/** A snapshot list: the filter applies to the state in the snapshot. */
export const ListReferences = ListPage.extend({ isOptimistic: IsOptimistic });
export type ListReferences = z.infer<typeof ListReferences>;

/** A reference in lists and in the answers of create and update. */
export const Reference = z.object({
  id: Id,
  shortId: z.string(),
  title: z.string(),
  description: z.string().nullable(),
  isOptimistic: z.boolean().describe("Whether it has no query yet"),
  createdBy: Id,
  createdAt: Timestamp,
  updatedAt: Timestamp,
  currentQuery: z
    .object({ id: Id, sql: z.string() })
    .nullable()
    .describe("Null while the reference is optimistic"),
});
export type Reference = z.infer<typeof Reference>;

export const ReferenceDetail = Reference.extend({
  visualization: Visualization.optional(),
  parameters: z.array(ParameterDefinition),
});
export type ReferenceDetail = z.infer<typeof ReferenceDetail>;

/** A reference with what its page shows for its values: one definition for each placeholder of the statement. */
export const ReferenceWithInputs = ReferenceDetail.extend({
  inputs: ParameterInputs.describe(
    "For pages: the definitions that a run would use, in the order of the statement, with choices and ranges",
  ),
});
export type ReferenceWithInputs = z.infer<typeof ReferenceWithInputs>;

/** A reference in the list of its query, without the query's statement. */
export const ReferenceOfQuery = Reference.omit({ currentQuery: true, isOptimistic: true });
export type ReferenceOfQuery = z.infer<typeof ReferenceOfQuery>;

export const DeletedReference = z.object({
  id: Id,
  shortId: z.string(),
  title: z.string(),
  description: z.string().nullable(),
  queryId: Id.nullable(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  deletedAt: Timestamp,
});
export type DeletedReference = z.infer<typeof DeletedReference>;
