import { PasswordInput, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { ActionForm } from "../../ui/action-form.tsx";
import { signIn } from "./account.ts";
import { emailAddress, required } from "./validators.tsx";

interface SignInFormProps {
  label: string;
  /** Set if only this account may sign in. */
  email?: string;
  onSignedIn: () => Promise<unknown>;
}

export function SignInForm({ label, email, onSignedIn }: SignInFormProps) {
  const form = useForm({
    mode: "uncontrolled",
    initialValues: { email: email ?? "", password: "" },
    validate: { email: emailAddress, password: required("Password") },
  });
  return (
    <ActionForm
      form={form}
      submit={{ label, busy: "Signing in…", fullWidth: true }}
      onSubmit={async (account) => {
        await signIn({ ...account, email: account.email.trim() });
        await onSignedIn();
      }}
    >
      <TextInput
        label="Email address"
        type="email"
        autoComplete="username"
        mb="md"
        readOnly={email !== undefined}
        key={form.key("email")}
        {...form.getInputProps("email")}
      />
      <PasswordInput
        label="Password"
        autoComplete="current-password"
        mb="md"
        visibilityToggleButtonProps={{ "aria-label": "Show password", tabIndex: 0 }}
        key={form.key("password")}
        {...form.getInputProps("password")}
      />
    </ActionForm>
  );
}
