import { Button, Group, TextInput } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { api } from "../../api.ts";
import { toFailure } from "../../errors/failure.ts";
import { refreshLibrary } from "../../library/items.ts";
import { Dialog } from "../../ui/dialog.tsx";

interface NewDashboardDialogProps {
  /** The folder in which it is made. */
  folderId: string | null;
  onClose: () => void;
}

/** Asks for the title of a new dashboard and opens it for editing. */
export function NewDashboardDialog({ folderId, onClose }: NewDashboardDialogProps) {
  const navigate = useNavigate();
  const [title, setTitle] = useState("");
  const [error, setError] = useState<string>();
  const create = async (event: FormEvent) => {
    event.preventDefault();
    if (title.trim() === "") return setError("Give it a title.");
    try {
      const { id } = await api.dashboards.create.mutate({ title, folderId });
      void refreshLibrary();
      await navigate({ to: "/dashboards/$dashboardId", params: { dashboardId: id }, search: { edit: true } });
    } catch (refused) {
      const { message, fields } = toFailure(refused);
      setError(Object.values(fields)[0] ?? message);
    }
  };
  return (
    <Dialog onClose={onClose} title="New dashboard">
      <form onSubmit={(event) => void create(event)}>
        <TextInput
          label="Title"
          value={title}
          error={error}
          maxLength={200}
          data-autofocus
          onChange={(event) => {
            setTitle(event.currentTarget.value);
            setError(undefined);
          }}
        />
        <Group justify="flex-end" mt="lg" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit">Make the dashboard</Button>
        </Group>
      </form>
    </Dialog>
  );
}
