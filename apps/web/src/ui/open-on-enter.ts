import type { KeyboardEvent } from "react";

/** For a select in a form: Enter opens it, as it does a native one, and does not send the form. */
export function openOnEnter(event: KeyboardEvent<HTMLInputElement>): void {
  if (event.key !== "Enter") return;
  event.preventDefault();
  if (event.currentTarget.getAttribute("aria-expanded") !== "true") event.currentTarget.click();
}
