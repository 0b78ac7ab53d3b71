import { z } from "zod";

const AttributeName = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,39}$/, "must be up to 40 small letters, digits and _, and begin with a letter");

/** What admins say about a member, for placeholders: `region` is `{{user_attribute_region}}`. */
export const MemberAttributes = z
  .record(AttributeName, z.string().min(1, "must not be empty").max(200, "must have at most 200 characters"))
  .refine((attributes) => Object.keys(attributes).length <= 20, "must have at most 20 attributes");
export type MemberAttributes = z.infer<typeof MemberAttributes>;
