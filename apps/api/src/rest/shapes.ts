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

// The published shapes, exactly: a field too many is a bug here, not something that a client learns to expect.

// Over REST a reference exists once it has its query.
const attached = { currentQuery: z.strictObject({ id: Id, sql: z.string() }) };

export const RestReference = z
  .strictObject({ ...Reference.shape, ...attached })
  .meta({ id: "QueryReference" });
export const RestReferenceDetail = z
  .strictObject({ ...ReferenceDetail.shape, ...attached })
  .meta({ id: "QueryReferenceDetail" });
export const RestDeletedReference = z
  .strictObject({ ...DeletedReference.shape, queryId: Id })
  .meta({ id: "DeletedQueryReference" });

export const RestQuery = z.strictObject(Query.shape).meta({ id: "Query" });
export const RestQueryDetail = z.strictObject(QueryDetail.shape).meta({ id: "QueryDetail" });
export const RestRun = z.strictObject(Run.shape).meta({ id: "Run" });

export const RestResult = z
  .strictObject({ fields: z.array(Field), rows: z.array(z.array(z.json())), rowCount: z.int() })
  .meta({ id: "QueryResult" });

const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.strictObject({
    items: z.array(item),
    nextCursor: z
      .string()
      .optional()
      .describe("Send it as `cursor` for the next page. Absent on the last page."),
  });

export const RestReferencePage = pageOf(RestReference).meta({ id: "QueryReferencePage" });
export const RestQueryPage = pageOf(RestQuery).meta({ id: "QueryPage" });

export const Problem = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.string().describe("Stable, for programs."),
    errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  })
  .meta({ id: "Problem", description: "RFC 9457" });
