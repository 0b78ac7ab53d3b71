import { AppError, type Caller } from "@querybell/domain";

/** Whoever chooses the provider chooses who can sign in as whom in the organization, also as an owner. */
export function requireOwnerRole({ role }: Pick<Caller, "role">): void {
  if (role !== "owner")
    throw new AppError("forbidden", "Only owners of the organization can do this. Ask one.");
}
