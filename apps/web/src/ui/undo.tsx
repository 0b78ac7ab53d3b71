import { Button, Group, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useState } from "react";
import { showFailure } from "../errors/error-notice.tsx";
import { useShortcut } from "../shortcuts/use-shortcut.ts";
import { keepFocus } from "./keep-focus.ts";

const shownSeconds = 60;

/** The newest notification with an Undo: the shortcut is for it alone. */
let newest: string | undefined;
let count = 0;

interface Undoable {
  /** What was done: "“Sales” is deleted." */
  message: string;
  undo: () => Promise<unknown>;
  /** What is shown after it was undone. Absent: the page shows it by itself. */
  undone?: string | undefined;
  /** Set for a change that was made before the page was loaded: another may have followed, so the shortcut is not for it. */
  earlier?: { secondsLeft: number } | undefined;
}

/**
 * Says what was done and offers to undo it, for a minute: by its button, or with Ctrl-Z outside of text fields. Returns how
 * to withdraw the offer, for a page that alone can undo it and is left.
 */
export function showUndo(undoable: Undoable): { withdraw: () => void } {
  // It may have been made on this page, which then offers it already.
  if (undoable.earlier && count > 0) return { withdraw: () => {} };
  const before = newest;
  const id = `undo-${++count}`;
  if (!undoable.earlier) newest = id;
  notifications.show({
    id,
    autoClose: (undoable.earlier?.secondsLeft ?? shownSeconds) * 1000,
    message: <UndoMessage id={id} {...undoable} />,
    onClose: () => {
      if (newest === id) newest = undefined;
    },
  });
  return {
    withdraw: () => {
      const isNewest = newest === id;
      notifications.hide(id);
      // The shortcut is for the change before it again.
      if (isNewest) newest = before;
    },
  };
}

/** After a change that cannot be undone: the shortcut would otherwise undo the one before it. */
export function forgetUndo(): void {
  newest = undefined;
}

function UndoMessage({ id, message, undo, undone, earlier }: Undoable & { id: string }) {
  const [isBusy, setBusy] = useState(false);
  const run = async () => {
    if (isBusy) return;
    setBusy(true);
    try {
      await undo();
      notifications.hide(id);
      if (undone !== undefined) notifications.show({ message: undone });
    } catch (error) {
      notifications.hide(id);
      showFailure("Not undone", error);
    }
    keepFocus();
  };
  useShortcut("undoLast", () => newest === id && void run());
  return (
    <Group justify="space-between" gap="xs" wrap="nowrap">
      <Text size="sm">{message}</Text>
      <Button
        variant="default"
        size="compact-sm"
        flex="none"
        {...(!earlier && { "aria-keyshortcuts": "Control+Z Meta+Z" })}
        aria-disabled={isBusy}
        onClick={() => void run()}
      >
        Undo
      </Button>
    </Group>
  );
}
