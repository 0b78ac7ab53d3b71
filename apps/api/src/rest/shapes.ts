import {
  DeletedReference,
  Field,
  Id,
  Query,
  QueryDetail,
  Reference,
  ReferenceDetail,
  Run,
} from "@querybell/domain";
import { z } from "zod";

// The published shapes. They are strict: an additional field is a bug.

// Over REST a reference exists once it has its query.
const attached = { currentQuery: z.strictObject({ id: Id, sql: z.string() }) };

export const RestReference = z.strictObject({ ...Reference.shape, ...attached });
export const RestReferenceDetail = z.strictObject({ ...ReferenceDetail.shape, ...attached });
export const RestDeletedReference = z.strictObject({ ...DeletedReference.shape, queryId: Id });

// A query's name and version are for the pages: they are left out here, as is why its latest run failed.
const unpublished = { name: true, version: true } as const;
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
