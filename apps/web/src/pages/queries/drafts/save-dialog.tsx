import { Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { ActionForm } from "../../../ui/action-form.tsx";
import { Dialog } from "../../../ui/dialog.tsx";

interface SaveDialogProps {
  suggestedName: string;
  onClose: () => void;
  /** Rejects if the query could not be saved. */
  onSave: (name: string) => Promise<unknown>;
}

/** Names a new query and saves it, which shows it to the organization. */
export function SaveDialog({ suggestedName, onClose, onSave }: SaveDialogProps) {
  const form = useForm({ mode: "uncontrolled", initialValues: { name: suggestedName } });
  return (
    <Dialog onClose={onClose} title="Save the query">
      <ActionForm
        form={form}
        onSubmit={({ name }) => onSave(name)}
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
      </ActionForm>
    </Dialog>
  );
}
