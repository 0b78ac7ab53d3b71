import { Modal, type ModalProps } from "@mantine/core";
import { useReturnedFocus } from "./keep-focus.ts";

/** A dialog that is on the page only while it is open. The focus goes back to where it was. */
export function Dialog({ onClose, ...props }: Omit<ModalProps, "opened">) {
  useReturnedFocus();
  // Escape in a calendar of the dialog closes the calendar alone. Mantine would close both.
  return <Modal opened onClose={() => !isInPopover() && onClose()} {...props} />;
}

const isInPopover = (): boolean =>
  document.activeElement?.closest('[role="dialog"]:not([aria-modal])') != null;
