import { element } from "./element.ts";
import { asFailure } from "./failure.ts";
import type { Field } from "./field.ts";

interface FormOptions {
  /** Names the form for screen readers: the id of its heading. */
  labelledBy: string;
  fields: Field[];
  submit: { label: string; busy: string };
  onSubmit: () => Promise<void>;
}

/** A form that says what is wrong beside the field it is wrong in, or else above its button. */
export function form({ labelledBy, fields, submit, onSubmit }: FormOptions): HTMLFormElement {
  const alert = element("p", { class: "alert", role: "alert" });
  const button = element("button", { type: "submit" }, submit.label);
  const containers = fields.map(({ container }) => container);
  const made = element(
    "form",
    { novalidate: true, "aria-labelledby": labelledBy },
    ...containers,
    alert,
    button,
  );

  made.addEventListener("submit", async (event) => {
    event.preventDefault();
    alert.replaceChildren();
    if (button.disabled || !allAreValid(fields)) return;
    button.disabled = true;
    button.textContent = submit.busy;
    try {
      await onSubmit();
    } catch (error) {
      alert.textContent = asFailure(error).message;
    } finally {
      button.disabled = false;
      button.textContent = submit.label;
    }
  });
  return made;
}

/** Shows what is wrong with every field, and takes the person to the first of them. */
function allAreValid(fields: Field[]): boolean {
  const wrong = fields.filter((one) => !one.check());
  wrong[0]?.focus();
  return wrong.length === 0;
}
