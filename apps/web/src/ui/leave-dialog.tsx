import { Button, Group, Modal, Text } from "@mantine/core";
import { useBlocker } from "@tanstack/react-router";
import type { ReactNode } from "react";

interface LeaveDialogProps {
  /** Called when the user is about to leave the page, by a link or by closing it. */
  hasUnsavedChanges: () => boolean;
  /** What happens to the unsaved changes. */
  children: ReactNode;
}

/** Asks before the user leaves unsaved changes. */
export function LeaveDialog({ hasUnsavedChanges, children }: LeaveDialogProps) {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => current.pathname !== next.pathname && hasUnsavedChanges(),
    enableBeforeUnload: hasUnsavedChanges,
    withResolver: true,
  });
  if (blocker.status !== "blocked") return null;
  return (
    <Modal opened onClose={blocker.reset} title="Leave with unsaved changes?">
      <Text mb="md">{children}</Text>
      <Group justify="flex-end">
        <Button variant="default" onClick={blocker.proceed}>
          Leave
        </Button>
        <Button onClick={blocker.reset}>Stay</Button>
      </Group>
    </Modal>
  );
}
