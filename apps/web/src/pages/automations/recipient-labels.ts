import type { Outputs } from "@querybell/client";

type Refusal = NonNullable<Outputs["automations"]["previewRecipients"]["recipients"][number]["refusal"]>;

/** Why a recipient gets nothing. */
export const refusalTexts: Record<Refusal, string> = {
  not_an_address: "It is not a mail address.",
  not_allowed: "The destination may not write to this address.",
  no_destination: "This value has no destination.",
};
