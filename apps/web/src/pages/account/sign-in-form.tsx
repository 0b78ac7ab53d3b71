import { Button, PasswordInput, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { IconFingerprint } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { hasPasskeys } from "../../session/passkeys.ts";
import { ActionForm } from "../../ui/action-form.tsx";
import { sendCode, signIn, signInWithPasskey } from "./account.ts";
import { emailAddress, required } from "./validators.tsx";

interface SignInFormProps {
  label: string;
  /** Set if only this account may sign in. */
  email?: string;
  onSignedIn: () => Promise<unknown>;
}

export function SignInForm({ label, email, onSignedIn }: SignInFormProps) {
  const [needsFactor, setNeedsFactor] = useState(false);
  const form = useForm({
    mode: "uncontrolled",
    initialValues: { email: email ?? "", password: "" },
    validate: { email: emailAddress, password: required("Password") },
  });
  if (needsFactor) return <SecondStep onSignedIn={onSignedIn} onBack={() => setNeedsFactor(false)} />;
  return (
    <>
      <ActionForm
        form={form}
        submit={{ label, busy: "Signing in…", fullWidth: true }}
        onSubmit={async (account) => {
          const status = await signIn({ ...account, email: account.email.trim() });
          if (status === "second_factor") setNeedsFactor(true);
          else await onSignedIn();
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
      <PasskeyButton onSignedIn={onSignedIn} />
    </>
  );
}

type StepProps = Pick<SignInFormProps, "onSignedIn">;

function PasskeyButton({ onSignedIn }: StepProps) {
  const action = useMutation({
    mutationFn: async () => {
      await signInWithPasskey();
      await onSignedIn();
    },
  });
  if (!hasPasskeys()) return null;
  return (
    <>
      {action.error && <ErrorNotice error={action.error} />}
      <Button
        variant="default"
        fullWidth
        mt="sm"
        leftSection={<IconFingerprint size={18} />}
        aria-disabled={action.isPending}
        onClick={() => {
          if (!action.isPending) action.mutate();
        }}
      >
        Use a passkey
      </Button>
    </>
  );
}

/** After the password of an account with a second factor. */
function SecondStep({ onSignedIn, onBack }: StepProps & { onBack: () => void }) {
  const form = useForm({
    mode: "uncontrolled",
    initialValues: { code: "" },
    validate: { code: required("The code") },
  });
  return (
    <>
      <Text mb="md">Your password is right. Your second factor is missing.</Text>
      <ActionForm
        form={form}
        submit={{ label: "Send the code", busy: "Signing in…", fullWidth: true }}
        onSubmit={async ({ code }) => {
          await sendCode(code);
          await onSignedIn();
        }}
      >
        <TextInput
          label="Code of your app, or a recovery code"
          autoComplete="one-time-code"
          autoFocus
          mb="md"
          key={form.key("code")}
          {...form.getInputProps("code")}
        />
      </ActionForm>
      <PasskeyButton onSignedIn={onSignedIn} />
      <Button variant="subtle" fullWidth mt="sm" onClick={onBack}>
        Begin again
      </Button>
    </>
  );
}
