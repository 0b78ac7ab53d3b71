import { Select, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQuery } from "@tanstack/react-query";
import { trpc } from "../../../api.ts";
import { listTree } from "../../../library/folder-tree.ts";
import { ActionForm } from "../../../ui/action-form.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import type { NewQuery } from "../use-query-actions.ts";

interface SaveDialogProps {
  suggestedName: string;
  onClose: () => void;
  /** Rejects if the query could not be saved. */
  onSave: (as: NewQuery) => Promise<unknown>;
}

const noFolder: string | null = null;

/** Names a new query, puts it into a folder and saves it, which shows it to the organization. */
export function SaveDialog({ suggestedName, onClose, onSave }: SaveDialogProps) {
  const form = useForm({ mode: "uncontrolled", initialValues: { name: suggestedName, folderId: noFolder } });
  const folders = useQuery(trpc.folders.list.queryOptions());
  // The path of a folder names those around it too, which may only be seen.
  const listed = listTree(folders.data ?? [], "").filter(({ mayEdit }) => mayEdit);
  return (
    <Dialog onClose={onClose} title="Save the query">
      <ActionForm
        form={form}
        onSubmit={({ name, folderId }) => onSave(folderId === null ? { name } : { name, folderId })}
        submit={{ label: "Save the query", busy: "Saving…" }}
      >
        <Text size="sm" mb="md">
          From then on, everybody in your organization can find, run and change it.
        </Text>
        <TextInput
          {...form.getInputProps("name")}
          key={form.key("name")}
          label="Name"
          mb="md"
          data-autofocus
          onFocus={(event) => event.currentTarget.select()}
        />
        {listed.length > 0 && (
          <Select
            {...form.getInputProps("folderId")}
            key={form.key("folderId")}
            label="Folder"
            mb="md"
            searchable
            clearable
            placeholder="No folder"
            data={listed.map(({ id, path }) => ({ value: id, label: path }))}
            nothingFoundMessage="No folder has this in its name"
          />
        )}
      </ActionForm>
    </Dialog>
  );
}
