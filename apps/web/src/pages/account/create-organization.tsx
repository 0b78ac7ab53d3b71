import { Container, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { api } from "../../api.ts";
import { announceSessionChange } from "../../session/session-changes.ts";
import { ActionForm } from "../../ui/action-form.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { required } from "./validators.tsx";

export const CreateOrganizationPage = () => (
  <Container size="sm" p={0} m={0}>
    <PageHeader
      title="Create an organization"
      description="It has its own queries, members and settings. You will be its owner, and can invite others."
    />
    <CreateOrganizationForm />
  </Container>
);

/** For a user who belongs to no organization. */
export const NoOrganization = () => (
  <Container size="sm" p={0} m={0}>
    <PageHeader
      title="You belong to no organization"
      description="Create one for your team, or ask an admin of your team’s organization for an invitation."
    />
    <CreateOrganizationForm />
  </Container>
);

/** Creates an organization, of which the user becomes the owner, and switches to it. */
function CreateOrganizationForm() {
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
