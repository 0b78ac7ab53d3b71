import { Button, Group, Modal } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ErrorNotice } from "./error-notice.tsx";

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
  const confirm = useMutation({ mutationFn: onConfirm, onSuccess: onClose });
  const close = () => {
    confirm.reset();
    onClose();
  };
  return (
    <Modal opened={opened} onClose={close} title={title} centered>
      {children}
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
