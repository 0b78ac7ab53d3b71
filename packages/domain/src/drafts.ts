import { z } from "zod";
import { Id } from "./ids.ts";
import { DraftParameters, GivenDraftParameters, ParameterValues } from "./parameters.ts";
import { GivenValues, QueryName } from "./queries.ts";
import { RunStatus } from "./runs.ts";
import { Text } from "./text.ts";
import { Timestamp } from "./time.ts";

/** The most drafts that a person has in an organization. */
export const maxDrafts = 100;
/** A draft that is not used for so long is removed, with its trials. */
export const draftDays = 30;

/** Unlike the SQL of a query, it may be empty or unfinished: it is stored while somebody types. */
const DraftSql = Text.max(100_000, "must have at most 100000 characters: pass long lists as parameters");

const content = {
  sql: DraftSql,
  analyticalDatabaseConfigId: Id,
  name: QueryName.nullable().optional().describe("For a new query. Null or absent: not named yet"),
  parameters: GivenDraftParameters.nullable()
    .optional()
    .describe("Definitions that are saved with the text. Null: those of the query"),
};

export const CreateDraft = z.strictObject({
  ...content,
  queryId: Id.optional().describe("The query that it changes. Absent: a new query"),
  queryVersion: z
    .int()
    .min(1)
    .optional()
    .describe("The version of the query on which the change is based. Absent: the current one"),
});
export type CreateDraft = z.infer<typeof CreateDraft>;

const revision = z
  .int()
  .min(1)
  .describe("The revision that was read. Fails with `draft_changed` if there is a newer one");

/** Absent fields are not changed. */
export const UpdateDraft = z.strictObject({
  id: Id,
  revision,
  sql: DraftSql.optional(),
  analyticalDatabaseConfigId: Id.optional(),
  name: content.name,
  parameters: content.parameters,
});
export type UpdateDraft = z.infer<typeof UpdateDraft>;

export const DraftId = z.strictObject({ id: Id });
export type DraftId = z.infer<typeof DraftId>;

export const FindDraft = z.strictObject({ queryId: Id });
export type FindDraft = z.infer<typeof FindDraft>;

/** SQL that a program wrote, to be run once. */
export const RunSql = z.strictObject({
  databaseId: Id,
  sql: Text.max(10_000, "must have at most 10000 characters").describe("One statement that only reads"),
  parameterValues: ParameterValues.default({}).describe("Of {{name}} in the SQL, by name. They are bound"),
});
export type RunSql = z.infer<typeof RunSql>;

export const RunDraft = z.strictObject({
  id: Id,
  revision,
  parameterValues: GivenValues.default({}).describe(
    "By name, parsed by the type of each parameter. Absent parameters get their defaults",
  ),
});
export type RunDraft = z.infer<typeof RunDraft>;

export const SaveDraft = z.strictObject({
  id: Id,
  revision,
  name: QueryName.optional().describe("Required for a new query, unless the draft has a name"),
  folderId: Id.optional().describe(
    "The folder of a new query. Absent: none. A saved query stays where it is",
  ),
  version: z
    .int()
    .min(1)
    .optional()
    .describe(
      "The version of the query that is replaced. Absent: the one on which the draft is based. Fails with `query_changed` if there is a newer one",
    ),
});
export type SaveDraft = z.infer<typeof SaveDraft>;

const common = {
  id: Id,
  queryId: Id.nullable().describe(
    "The query that it changes; null for a new query, or if that query was deleted",
  ),
  analyticalDatabaseConfigId: Id,
  name: z.string().nullable(),
  updatedAt: Timestamp,
  expiresAt: Timestamp.describe("When it is removed, unless it is used again"),
};

export const Draft = z.object({
  ...common,
  queryVersion: z.int().nullable().describe("The version of the query on which the change is based"),
  sql: z.string(),
  parameters: DraftParameters.nullable().describe("Null: those of the query"),
  revision: z.int().describe("Incremented with each change"),
  trial: z
    .object({
      runId: Id,
      status: RunStatus,
      isCurrent: z
        .boolean()
        .describe(
          "Whether it ran the text that the draft has now, on the same database, with parameters of the same types",
        ),
    })
    .nullable()
    .describe("Its latest run; null if there was none"),
});
export type Draft = z.infer<typeof Draft>;

export const ListedDraft = z.object({
  ...common,
  queryName: z.string().nullable().describe("The name of the query that it changes"),
  sqlStart: z.string().describe("The beginning of the SQL"),
});
export type ListedDraft = z.infer<typeof ListedDraft>;
