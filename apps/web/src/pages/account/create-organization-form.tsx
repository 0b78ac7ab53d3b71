import { TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { api } from "../../api.ts";
import { announceSessionChange } from "../../session/session-changes.ts";
import { ActionForm } from "../../ui/action-form.tsx";
import { required } from "./validators.ts";

/** Creates an organization, of which the user becomes the owner, and switches to it. */
export function CreateOrganizationForm() {
  const form = useForm({
    mode: "uncontrolled",
    initialValues: { name: "" },
    validate: { name: required("The name") },
  });
  return (
    <ActionForm
      form={form}
      submit={{ label: "Create the organization", busy: "Creating it…" }}
      onSubmit={async ({ name }) => {
        await api.me.createOrganization.mutate({ name });
        announceSessionChange();
        // Loads a new page, so that no data of another organization stays in memory.
        location.assign("/");
      }}
    >
      <TextInput
        label="Name of the organization"
        maxLength={100}
        mb="md"
        key={form.key("name")}
        {...form.getInputProps("name")}
      />
    </ActionForm>
  );
}
