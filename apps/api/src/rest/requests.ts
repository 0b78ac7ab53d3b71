import { CreateReference, Id, maxPageSize, UpdateReference } from "@querybell/domain";
import { z } from "zod";

const onlyCursors = z.undefined({ error: "does not exist: only cursors lead from page to page" }).optional();

/** A query string holds texts only, and a limit in another spelling than a plain number is refused. */
export const PageParameters = z.strictObject({
  limit: z
    .string()
    .regex(/^(?:[1-9]\d?|100)$/, `must be an integer from 1 to ${maxPageSize}`)
    .transform(Number)
    .optional(),
  cursor: z.string().min(1, "must not be empty").max(2000, "is too long").optional(),
  offset: onlyCursors,
  page: onlyCursors,
});

export const NoParameters = z.strictObject({});

export const ShortIdPath = z.object({ shortId: z.string() });
export const QueryIdPath = z.object({ queryId: Id });

export const CreateReferenceBody = CreateReference.pick({ queryId: true });
export const UpdateReferenceBody = UpdateReference.pick({ title: true, description: true });
export const EmptyBody = z.strictObject({});
