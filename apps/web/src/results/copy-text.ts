import { notifications } from "@mantine/notifications";

/** Puts text on the clipboard and says how it went. Browsers allow it on https and on the own machine only. */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    notifications.show({ message: "Copied", autoClose: 1500 });
  } catch {
    notifications.show({
      color: "red",
      message: "The browser did not allow copying. Download the result instead.",
    });
  }
}
