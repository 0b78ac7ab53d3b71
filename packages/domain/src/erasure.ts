import { z } from "zod";
import { Id } from "./ids.ts";
import { Timestamp } from "./time.ts";

/** How many days pass between the request to delete an organization and its deletion. */
export const organizationDeletionDays = 14;

/** A request to delete an organization. It can be cancelled until `dueAt`. */
export const OrganizationDeletion = z.object({
  requestedBy: Id.nullable(),
  requestedAt: Timestamp,
  dueAt: Timestamp,
});
export type OrganizationDeletion = z.infer<typeof OrganizationDeletion>;

/** The name of the organization, typed again, so that nobody deletes another one by mistake. */
export const RequestDeletion = z.strictObject({
  name: z.string().max(200, "must have at most 200 characters"),
});
export type RequestDeletion = z.infer<typeof RequestDeletion>;

export const DeleteAccount = z.strictObject({
  email: z
    .string()
    .max(320, "must have at most 320 characters")
    .describe("The person's own address, typed again"),
  password: z
    .string()
    .max(128, "must have at most 128 characters")
    .optional()
    .describe("Required if the account has a password"),
});
export type DeleteAccount = z.infer<typeof DeleteAccount>;

/** What is shown instead of the name of a person who was erased. */
export const deletedUserName = "Deleted user";
