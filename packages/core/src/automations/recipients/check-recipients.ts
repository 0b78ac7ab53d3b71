import { AppError, type AutomationAgent, destinationsOf, type StoredRecipients } from "@querybell/domain";
import type { NamedDestinations } from "../check-automation.ts";

interface ToCheck {
  recipients: StoredRecipients;
  agent: AutomationAgent;
  references: readonly { shortId: string }[];
  /** `checked`: when they were saved. */
  destinations: NamedDestinations | "checked";
}

/** Throws if the automation cannot have these recipients. */
export function checkRecipients({ recipients, agent, references, destinations }: ToCheck): void {
  const { shortId, to } = recipients;
  if (agent === "external") {
    throw refuse("recipients", "must be none for an external agent, which sends its messages itself");
  }
  if (!references.some((reference) => reference.shortId === shortId)) {
    throw refuse("recipients.shortId", "must name one of the automation's charts");
  }
  if (destinations === "checked") return;
  const missing = destinationsOf(recipients).find((id) => !destinations.has(id));
  if (missing !== undefined) {
    const at =
      to.kind === "addresses"
        ? "destinationId"
        : `choices.${to.choices.findIndex(({ destinationId }) => destinationId === missing)}.destinationId`;
    const message =
      "There is no such destination in this organization. It may have been deleted: choose among those that exist.";
    throw new AppError("not_found", message, { errors: [{ path: `recipients.to.${at}`, message }] });
  }
  if (to.kind === "addresses" && !destinations.get(to.destinationId)?.takesAddresses) {
    throw refuse(
      "recipients.to.destinationId",
      "must go to a mail destination that takes addresses from rows. An admin can allow it there",
    );
  }
}

const refuse = (path: string, message: string): AppError =>
  new AppError("invalid_request", `The recipients ${message}.`, { errors: [{ path, message }] });
