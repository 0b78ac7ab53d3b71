import { Modal, type ModalProps } from "@mantine/core";
import { useReturnedFocus } from "./keep-focus.ts";

/** A dialog that is on the page only while it is open. The focus goes back to where it was. */
export function Dialog(props: Omit<ModalProps, "opened">) {
  useReturnedFocus();
  return <Modal opened {...props} />;
}
