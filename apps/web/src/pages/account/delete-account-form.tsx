import { PasswordInput, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { api } from "../../api.ts";
import { ActionForm } from "../../ui/action-form.tsx";
import { required } from "./validators.tsx";

/** Erases the person. Afterwards the session is over, so the page starts anew. */
export function DeleteAccountForm({ email }: { email: string }) {
  const form = useForm({
    mode: "uncontrolled",
    initialValues: { email: "", password: "" },
    validate: {
      email: (typed) => (typed.trim().toLowerCase() === email ? null : `Type your address: ${email}`),
      password: required("Password"),
    },
  });
  return (
    <ActionForm
      form={form}
      submit={{ label: "Delete my account", busy: "Deleting it…" }}
      onSubmit={async (values) => {
        await api.me.deleteAccount.mutate(values);
        location.assign("/sign-in");
      }}
    >
      <Text size="sm" mb="md">
        Your name, address, password, sessions, keys, drafts and notifications are deleted at once and for
        good. What you made in organizations stays there, by “Deleted user”.
      </Text>
      <TextInput
        label="Your email address, to confirm"
        autoComplete="off"
        mb="md"
        key={form.key("email")}
        {...form.getInputProps("email")}
      />
      <PasswordInput
        label="Your password"
        autoComplete="current-password"
        mb="md"
        visibilityToggleButtonProps={{ "aria-label": "Show password", tabIndex: 0 }}
        key={form.key("password")}
        {...form.getInputProps("password")}
      />
    </ActionForm>
  );
}
