import { List } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useNavigate } from "@tanstack/react-router";
import { api, queryClient, trpc } from "../../api.ts";
import { ConfirmModal } from "../../ui/confirm-modal.tsx";

interface DeleteReferenceProps {
  reference: { shortId: string; title: string };
  opened: boolean;
  onClose: () => void;
}

/** Asks before a reference is deleted: its permalink stops working for good. */
export function DeleteReference({ reference: { shortId, title }, opened, onClose }: DeleteReferenceProps) {
  const navigate = useNavigate();
  const remove = async () => {
    await api.references.delete.mutate({ shortId });
    notifications.show({ message: `“${title}” is deleted. Its link no longer works.` });
    await navigate({ to: "/references" });
    queryClient.removeQueries(trpc.references.get.queryFilter({ shortId }));
    await queryClient.invalidateQueries(trpc.references.list.queryFilter());
    await queryClient.invalidateQueries(trpc.queries.references.queryFilter());
  };
  return (
    <ConfirmModal
      opened={opened}
      onClose={onClose}
      title={`Delete “${title}”?`}
      action="Delete the reference"
      onConfirm={remove}
    >
      <List spacing="xs">
        <List.Item>The link /q/{shortId} ends for everybody, and is never given out again.</List.Item>
        <List.Item>Its chart, description and parameter definitions are lost.</List.Item>
        <List.Item>Runs of automations that look at it fail until it is removed there.</List.Item>
        <List.Item>The query stays, with its SQL, its runs and its result.</List.Item>
      </List>
    </ConfirmModal>
  );
}
