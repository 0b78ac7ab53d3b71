import {
  CreateReference,
  defaultPageSize,
  Id,
  maxPageSize,
  ReferenceShortId,
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
