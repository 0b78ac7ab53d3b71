import { TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import type { Outputs } from "@querybell/client";
import { api } from "../../api.ts";
import { ActionForm } from "../../ui/action-form.tsx";
import { signIn } from "./account.ts";
import { NewPasswordField } from "./new-password-field.tsx";
import { newPassword, required } from "./validators.ts";

export type OpenInvitation = Outputs["invitations"]["find"];

interface JoinWithNewAccountProps {
  token: string;
  email: string;
  label?: string;
}

/** For a person without an account: creates it with a name and a password. */
export function JoinWithNewAccount({
  token,
  email,
  label = "Create account and join",
}: JoinWithNewAccountProps) {
  const form = useForm({
    mode: "uncontrolled",
    initialValues: { name: "", password: "" },
    validate: { name: required("Your name"), password: newPassword },
  });
  return (
    <ActionForm
      form={form}
      submit={{ label, busy: "Joining…", fullWidth: true }}
      onSubmit={async (account) => {
        await api.invitations.accept.mutate({ token, account });
        // The account exists now. If signing in fails, the user can sign in again.
        await signIn({ email, password: account.password }).catch(() => undefined);
        location.assign("/");
      }}
    >
      <TextInput
        label="Your name"
        autoComplete="name"
        maxLength={100}
        mb="md"
        key={form.key("name")}
        {...form.getInputProps("name")}
      />
      <NewPasswordField
        label="Password"
        key={form.key("password")}
        inputProps={form.getInputProps("password")}
      />
    </ActionForm>
  );
}

/** For a signed-in user. */
export function JoinForm({ token, label }: { token: string; label: string }) {
  const form = useForm({ mode: "uncontrolled", initialValues: {} });
  return (
    <ActionForm
      form={form}
      submit={{ label, busy: "Joining…", fullWidth: true }}
      onSubmit={async () => {
        await api.invitations.accept.mutate({ token });
        location.assign("/");
      }}
    />
  );
}
