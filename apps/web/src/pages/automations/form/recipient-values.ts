import type { Inputs, Outputs } from "@querybell/client";
import type { FilterValues } from "./condition-values.ts";

type Recipients = Outputs["automations"]["create"]["recipients"];
type RecipientsInput = Inputs["automations"]["previewRecipients"]["recipients"];

/** Who gets rows of a chart, as the form has it. */
export interface RecipientValues {
  kind: "nobody" | "addresses" | "destinations";
  shortId: string;
  column: string;
  /** Of the kind `addresses`. */
  destinationId: string;
  /** Of the kind `destinations`. */
  choices: { key: string; value: string; destinationId: string }[];
  where: FilterValues[];
  maxMessages: number | string;
  csv: boolean;
}

export const newChoice = () => ({ key: crypto.randomUUID(), value: "", destinationId: "" });

export const noRecipients = (): RecipientValues => ({
  kind: "nobody",
  shortId: "",
  column: "",
  destinationId: "",
  choices: [newChoice()],
  where: [],
  maxMessages: 100,
  csv: false,
});

export function recipientValuesOf(recipients: Recipients): RecipientValues {
  if (!recipients) return noRecipients();
  const { to, where, ...rest } = recipients;
  return {
    ...noRecipients(),
    ...rest,
    kind: to.kind,
    ...(to.kind === "addresses"
      ? { destinationId: to.destinationId }
      : { choices: to.choices.map((choice) => ({ ...choice, key: crypto.randomUUID() })) }),
    where: where.map(({ column, operator, value }) => ({
      column,
      operator,
      value: value === undefined ? "" : String(value),
    })),
  };
}

export function toRecipients(values: RecipientValues): RecipientsInput | null {
  const { kind, shortId, column, destinationId, choices, where, maxMessages, csv } = values;
  if (kind === "nobody") return null;
  return {
    ...{ shortId, column: column.trim(), maxMessages: Number(maxMessages), csv },
    to:
      kind === "addresses"
        ? { kind, destinationId }
        : { kind, choices: choices.map(({ key: _, ...choice }) => choice) },
    where: where.map(({ column, operator, value }) =>
      operator === "is_empty" ? { column, operator } : { column, operator, value },
    ),
  };
}

/** The field of the form for a path of the api's input. */
export const toRecipientsField = (path: string): string =>
  path === "recipients" ? "recipients.kind" : path.replace(/^recipients\.to\./, "recipients.");

/** What is to be corrected before the api is asked. */
export const problemOfRecipients = {
  shortId: (shortId: string, { recipients }: { recipients: RecipientValues }) =>
    recipients.kind !== "nobody" && shortId === "" ? "Choose the chart whose rows are sent." : null,
  column: (column: string, { recipients }: { recipients: RecipientValues }) =>
    recipients.kind !== "nobody" && column.trim() === "" ? "Name the column that says who gets a row." : null,
  destinationId: (destinationId: string, { recipients }: { recipients: RecipientValues }) =>
    recipients.kind === "addresses" && destinationId === "" ? "Choose a mail destination." : null,
  choices: {
    value: (value: string, { recipients }: { recipients: RecipientValues }) =>
      recipients.kind === "destinations" && value === "" ? "Enter a value of the column." : null,
    destinationId: (destinationId: string, { recipients }: { recipients: RecipientValues }) =>
      recipients.kind === "destinations" && destinationId === "" ? "Choose a destination." : null,
  },
};
