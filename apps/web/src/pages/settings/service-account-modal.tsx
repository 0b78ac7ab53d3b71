import { Modal, NativeSelect, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import type { Inputs } from "@querybell/client";
import { api, queryClient, trpc } from "../../api.ts";
import { ActionForm } from "../../ui/action-form.tsx";
import { roles } from "./invitations.tsx";

interface ServiceAccountModalProps {
  opened: boolean;
  onClose: () => void;
}

/** Creates a member for programs. It is listed among the members. */
export function ServiceAccountModal({ opened, onClose }: ServiceAccountModalProps) {
  const initialValues: Inputs["members"]["createServiceAccount"] = { name: "", role: "member" };
  const form = useForm({
    initialValues,
    validate: { name: (name) => (name.trim() === "" ? "Give the service account a name." : null) },
  });
  return (
    <Modal opened={opened} onClose={onClose} title="Create a service account">
      <ActionForm
        form={form}
        submit={{ label: "Create the service account", busy: "Creating it…" }}
        onSubmit={async ({ name, role }) => {
          await api.members.createServiceAccount.mutate({ name: name.trim(), role });
          await queryClient.invalidateQueries(trpc.members.pathFilter());
          notifications.show({ message: `${name} is created. Create a key that acts for it.` });
          form.reset();
          onClose();
        }}
      >
        <Stack mb="md">
          <TextInput label="Name" maxLength={100} data-autofocus {...form.getInputProps("name")} />
          <NativeSelect
            label="Role"
            data={roles.filter(({ value }) => value !== "owner")}
            {...form.getInputProps("role")}
          />
        </Stack>
      </ActionForm>
    </Modal>
  );
}
