import { notifications } from "@mantine/notifications";
import { toFailure } from "./failure.ts";

/** Shows an error as a notification, where there is no form or dialog to show it in. */
export const showFailure = (title: string, error: unknown): void => {
  notifications.show({ color: "red", title, message: toFailure(error).message });
};
