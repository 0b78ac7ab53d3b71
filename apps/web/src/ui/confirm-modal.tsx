import { Button, Group, Modal, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useBlocker } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { ErrorNotice } from "../errors/error-notice.tsx";

interface ConfirmModalProps {
  opened: boolean;
  onClose: () => void;
  /** A question: "Revoke the key Nightly export?" */
  title: string;
  /** What will be lost. */
  children: ReactNode;
  /** What the button does: "Revoke the key". */
  action: string;
  onConfirm: () => Promise<unknown>;
}

/** Asks before an action that cannot be undone. If the action fails, it stays open and shows the error. */
export function ConfirmModal({ opened, onClose, title, children, action, onConfirm }: ConfirmModalProps) {
  // Keeps its text while it fades out: the parent may no longer have it.
  const [shown, setShown] = useState({ title, children });
  if (opened && (title !== shown.title || children !== shown.children)) setShown({ title, children });
  const confirm = useMutation({ mutationFn: onConfirm, onSuccess: onClose });
  const close = () => {
    confirm.reset();
    onClose();
  };
  return (
    <Modal opened={opened} onClose={close} title={shown.title} centered>
      {shown.children}
      {confirm.error && <ErrorNotice error={confirm.error} />}
      <Group justify="flex-end" mt="lg" gap="xs">
        <Button variant="default" onClick={close} data-autofocus>
          Cancel
        </Button>
        <Button
          color="red.9"
          aria-disabled={confirm.isPending}
          onClick={() => {
            if (!confirm.isPending) confirm.mutate();
          }}
        >
          {action}
        </Button>
      </Group>
    </Modal>
  );
}

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
