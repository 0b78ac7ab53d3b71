import type { Tx } from "@querybell/db";
import { AppError, type AutomationSubscriber, type Caller } from "@querybell/domain";

/** Builds the rows of an automation's subscribers. Throws for non-members. Locks the members until the transaction ends. */
export async function checkSubscribers(
  tx: Tx,
  { organizationId }: Pick<Caller, "organizationId">,
  subscribers: AutomationSubscriber[],
) {
  if (subscribers.length === 0) return [];
  const ids = subscribers.map(({ userId }) => userId);
  const members = await tx.$queryRaw<{ id: string }[]>`
    SELECT user_id AS id FROM members
    WHERE organization_id = ${organizationId}::uuid AND user_id = ANY(${ids}::uuid[]) FOR KEY SHARE`;
  const known = new Set(members.map(({ id }) => id));
  const errors = ids.flatMap((id, index) => (known.has(id) ? [] : [toFieldError(index)]));
  if (errors.length > 0) {
    throw new AppError(
      "not_found",
      "A subscriber is not a member of this organization. Choose among its members.",
      { errors },
    );
  }
  return subscribers.map((subscriber) => ({ organizationId, ...subscriber }));
}

const toFieldError = (at: number) => ({
  path: `subscribers.${at}.userId`,
  message: "is not a member of this organization",
});
