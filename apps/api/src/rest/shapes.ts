import {
  CreateReference,
  DeletedReference,
  defaultPageSize,
  Field,
  Id,
  maxPageSize,
  Query,
  QueryDetail,
  Reference,
  ReferenceDetail,
  ReferenceShortId,
  Run,
  UpdateReference,
} from "@querybell/domain";
import { z } from "zod";

/** Query parameters are strings. A limit must be a plain decimal number. */
export const PageParameters = z.strictObject(
  {
    limit: z
      .string()
      .regex(/^(?:[1-9]\d?|100)$/, `must be an integer from 1 to ${maxPageSize}`)
      .transform(Number)
      .optional()
      // For the OpenAPI document: the parameter is an integer.
      .meta({
        type: "integer",
        pattern: undefined,
        minimum: 1,
        maximum: maxPageSize,
        description: `${defaultPageSize} if absent.`,
      }),
    cursor: z
      .string()
      .min(1, "must not be empty")
      .max(2000, "is too long")
      .optional()
      .describe("The `nextCursor` of the page before. Valid for 24 hours."),
  },
  {
    error: ({ code }) =>
      code === "unrecognized_keys"
        ? "Only limit and cursor exist: pages have no offset and no number"
        : undefined,
  },
);

export const NoParameters = z.strictObject({});

export const ShortIdPath = ReferenceShortId.pick({ shortId: true });
export const QueryIdPath = z.object({ queryId: Id });

export const CreateReferenceBody = CreateReference.pick({ queryId: true });
export const UpdateReferenceBody = UpdateReference.pick({ title: true, description: true });
export const EmptyBody = z.strictObject({});
export const NoBody = z.undefined();

// The published shapes. They are strict: an additional field is a bug.

// Over REST a reference exists once it has its query.
const attached = { currentQuery: z.strictObject({ id: Id, sql: z.string() }) };

export const RestReference = z.strictObject({ ...Reference.shape, ...attached });
export const RestReferenceDetail = z.strictObject({ ...ReferenceDetail.shape, ...attached });
export const RestDeletedReference = z.strictObject({ ...DeletedReference.shape, queryId: Id });

// A query's name, description and version are for the pages: they are left out here, as is why its latest run failed.
const unpublished = { name: true, description: true, version: true } as const;
const RestQuery = Query.omit(unpublished);
export const RestQueryDetail = QueryDetail.omit(unpublished);
export const RestRun = z.strictObject(Run.shape);

export const RestResult = z.strictObject({
  fields: z.array(Field),
  rows: z.array(z.array(z.unknown())),
  rowCount: z.int(),
});

const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.strictObject({
    items: z.array(item),
    nextCursor: z
      .string()
      .optional()
      .describe("Send it as `cursor` for the next page. Absent on the last page."),
  });

export const RestReferencePage = pageOf(RestReference);
export const RestQueryPage = pageOf(RestQuery);

const Problem = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  code: z.string().describe("Stable, for programs."),
  errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
});

/** The schemas by their names in the documentation. */
export const restSchemas = {
  QueryReference: RestReference,
  QueryReferenceDetail: RestReferenceDetail,
  QueryReferencePage: RestReferencePage,
  DeletedQueryReference: RestDeletedReference,
  Query: RestQuery,
  QueryDetail: RestQueryDetail,
  QueryPage: RestQueryPage,
  QueryResult: RestResult,
  Run: RestRun,
  Problem,
};
