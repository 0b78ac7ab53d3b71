import { expect, test } from "vitest";
import { toRecipientsField } from "./recipient-values.ts";

test.each([
  ["recipients", "recipients.kind"],
  ["recipients.column", "recipients.column"],
  ["recipients.to.destinationId", "recipients.destinationId"],
  ["recipients.to.choices.2.value", "recipients.choices.2.value"],
  ["recipients.to.choices.0.destinationId", "recipients.choices.0.destinationId"],
  ["name", "name"],
])("the error of %s is shown at %s", (path, field) => {
  expect(toRecipientsField(path)).toBe(field);
});
