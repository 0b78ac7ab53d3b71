import type { Tx } from "@querybell/db";
import {
  AppError,
  type AutomationAgent,
  type Caller,
  destinationsOf,
  type StoredRecipients,
} from "@querybell/domain";

interface ToCheck {
  recipients: StoredRecipients;
  agent: AutomationAgent;
  references: readonly { shortId: string }[];
  /** `known`: they were checked when they were saved. */
  destinations?: "new" | "known";
}

/** Throws if the automation cannot have these recipients. */
export async function checkRecipients(
  tx: Tx,
  { organizationId }: Pick<Caller, "organizationId">,
  { recipients, agent, references, destinations = "new" }: ToCheck,
): Promise<void> {
  const { shortId, to } = recipients;
  if (agent === "external") {
    throw refuse("recipients", "must be none for an external agent, which sends its messages itself");
  }
  if (!references.some((reference) => reference.shortId === shortId)) {
    throw refuse("recipients.shortId", "must name one of the automation's charts");
  }
  if (destinations === "known") return;
  const ids = destinationsOf(recipients);
  // Locked until the transaction ends, so that none is deleted meanwhile.
  const found = await tx.$queryRaw<{ id: string; takesAddresses: boolean }[]>`
    SELECT id, row_recipients IS NOT NULL AS "takesAddresses" FROM webhook_endpoints
    WHERE organization_id = ${organizationId}::uuid AND id = ANY(${ids}::uuid[]) AND state <> 'deleted'
      AND kind NOT IN ('webhook', 'mcp')
    ORDER BY id FOR SHARE`;
  const known = new Map(found.map(({ id, takesAddresses }) => [id, takesAddresses]));
  const missing = ids.find((id) => !known.has(id));
  if (missing !== undefined) {
    const at =
      to.kind === "addresses"
        ? "destinationId"
        : `choices.${to.choices.findIndex(({ destinationId }) => destinationId === missing)}.destinationId`;
    const message =
      "There is no such destination in this organization. It may have been deleted: choose among those that exist.";
    throw new AppError("not_found", message, { errors: [{ path: `recipients.to.${at}`, message }] });
  }
  if (to.kind === "addresses" && !known.get(to.destinationId)) {
    throw refuse(
      "recipients.to.destinationId",
      "must go to a mail destination that takes addresses from rows. An admin can allow it there",
    );
  }
}

const refuse = (path: string, message: string): AppError =>
  new AppError("invalid_request", `The recipients ${message}.`, { errors: [{ path, message }] });
