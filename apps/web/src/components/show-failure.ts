import { notifications } from "@mantine/notifications";
import { toFailure } from "./failure.ts";

/** Says over the page that something did not work, where no form or dialog is open to say it in. */
export const showFailure = (title: string, error: unknown): void => {
  notifications.show({ color: "red", title, message: toFailure(error).message });
};
