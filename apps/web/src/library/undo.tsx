import { Button, Group, Text } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import { useState } from "react";
import { showFailure } from "../errors/error-notice.tsx";

const shownMs = 60_000;
const isMac = typeof navigator !== "undefined" && /Mac|iP(?:hone|ad)/.test(navigator.platform);

/** The newest notification with an Undo: the shortcut is for it alone. */
let newest: string | undefined;
let count = 0;

interface Undoable {
  /** What was done: "“Sales” is deleted." */
  message: string;
  undo: () => Promise<unknown>;
  /** What is shown after it was undone. */
  undone: string;
}

/** Says what was done and offers to undo it, for a minute: by its button, or with Ctrl-Z outside of text fields. */
export function showUndo(undoable: Undoable): void {
  const id = `undo-${++count}`;
  newest = id;
  notifications.show({
    id,
    autoClose: shownMs,
    message: <UndoMessage id={id} {...undoable} />,
    onClose: () => {
      if (newest === id) newest = undefined;
    },
  });
}

function UndoMessage({ id, message, undo, undone }: Undoable & { id: string }) {
  const [isBusy, setBusy] = useState(false);
  const run = async () => {
    if (isBusy) return;
    setBusy(true);
    try {
      await undo();
      notifications.hide(id);
      notifications.show({ message: undone });
    } catch (error) {
      notifications.hide(id);
      showFailure("Not undone", error);
    }
  };
  useHotkeys([["mod+Z", () => newest === id && void run()]]);
  return (
    <Group justify="space-between" gap="xs" wrap="nowrap">
      <Text size="sm">{message}</Text>
      <Button
        variant="default"
        size="compact-sm"
        aria-keyshortcuts={isMac ? "Meta+Z" : "Control+Z"}
        aria-disabled={isBusy}
        onClick={() => void run()}
      >
        Undo
      </Button>
    </Group>
  );
}
