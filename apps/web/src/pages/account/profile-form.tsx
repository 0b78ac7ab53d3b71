import { TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { api } from "../../api.ts";
import { type Me, useRefreshMe } from "../../session/me.ts";
import { ActionForm } from "../../ui/action-form.tsx";
import { required } from "./validators.ts";

/** Edits the name that others see. The email address cannot be changed. */
export function ProfileForm({ user }: { user: Me["user"] }) {
  const refreshMe = useRefreshMe();
  const form = useForm({
    mode: "uncontrolled",
    initialValues: { name: user.name },
    validate: { name: required("Name") },
  });
  return (
    <ActionForm
      form={form}
      submit={{ label: "Save", busy: "Saving…" }}
      onSubmit={async ({ name }) => {
        await api.me.updateProfile.mutate({ name });
        await refreshMe();
        notifications.show({ message: "Your name is saved." });
      }}
    >
      <TextInput
        label="Name"
        autoComplete="name"
        maxLength={100}
        mb="md"
        key={form.key("name")}
        {...form.getInputProps("name")}
      />
      <TextInput label="Email address" value={user.email} readOnly mb="md" />
    </ActionForm>
  );
}
