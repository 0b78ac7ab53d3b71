import { Button, Group, Modal, Text, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../api.ts";
import { toFailure } from "../errors/failure.ts";
import { ConfirmModal } from "../ui/confirm-modal.tsx";
import { forgetUndo } from "../ui/undo.tsx";
import type { Folder } from "./folder-tree.ts";
import { refreshLibrary } from "./items.ts";

interface NameDialogProps {
  opened: boolean;
  onClose: () => void;
  /** The folder to rename; undefined: a new one. */
  folder?: Folder | undefined;
  /** Where a new folder is made. */
  parent?: Folder | undefined;
  onCreated?: (folder: Folder) => unknown;
}

/** Names a new folder, or renames one. */
export function FolderNameDialog({ opened, onClose, folder, parent, onCreated }: NameDialogProps) {
  const title = folder ? `Rename “${folder.name}”` : parent ? `New folder in “${parent.name}”` : "New folder";
  return (
    <Modal opened={opened} onClose={onClose} title={title}>
      <NameForm folder={folder} parent={parent} onClose={onClose} onCreated={onCreated} />
    </Modal>
  );
}

interface NameFormProps {
  folder: Folder | undefined;
  parent: Folder | undefined;
  onClose: () => void;
  onCreated: ((folder: Folder) => unknown) | undefined;
}

function NameForm({ folder, parent, onClose, onCreated }: NameFormProps) {
  const [name, setName] = useState(folder?.name ?? "");
  const save = useMutation({
    mutationFn: async () => {
      const saved = folder
        ? await api.folders.update.mutate({ id: folder.id, name })
        : await api.folders.create.mutate({ name, parentId: parent?.id ?? null });
      await refreshLibrary();
      return saved;
    },
    onSuccess: async (saved) => {
      onClose();
      if (!folder) await onCreated?.(saved);
    },
  });
  const failure = save.error ? toFailure(save.error) : undefined;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!save.isPending) save.mutate();
      }}
    >
      <TextInput
        label="Name"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={failure && (failure.fields.name ?? failure.message)}
        data-autofocus
      />
      <Group justify="flex-end" mt="lg" gap="xs">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" aria-disabled={save.isPending}>
          {folder ? "Rename" : "Create"}
        </Button>
      </Group>
    </form>
  );
}

interface DeleteFolderProps {
  folder: Folder;
  opened: boolean;
  onClose: () => void;
  onDeleted: () => unknown;
}

export const DeleteFolderDialog = ({ folder, opened, onClose, onDeleted }: DeleteFolderProps) => (
  <ConfirmModal
    opened={opened}
    onClose={onClose}
    title={`Delete the folder “${folder.name}”?`}
    action="Delete the folder"
    onConfirm={async () => {
      await api.folders.delete.mutate({ id: folder.id });
      forgetUndo();
      await onDeleted();
      await refreshLibrary();
    }}
  >
    <Text>
      Nothing in it is lost: its folders, queries, charts and automations move up to where this folder is now.
    </Text>
  </ConfirmModal>
);
