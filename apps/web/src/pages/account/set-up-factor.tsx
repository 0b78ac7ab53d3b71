import { PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import type { Inputs, Outputs } from "@querybell/client";
import { useState } from "react";
import { api } from "../../api.ts";
import { createPasskey } from "../../session/passkeys.ts";
import { ActionForm } from "../../ui/action-form.tsx";
import { CodeBlock } from "../../ui/copyable.tsx";
import { QrCode } from "./qr-code.tsx";
import { required } from "./validators.tsx";

type NewCredential = Inputs["secondFactor"]["finishPasskey"]["credential"];

interface SetUpProps {
  asksForPassword: boolean;
  onFinish: (codes: string[]) => Promise<void>;
}

const passwordField = (asksForPassword: boolean) => ({
  validate: asksForPassword ? required("Current password") : () => null,
});

/** Shows a secret for an app that makes codes, and asks for its first code. */
export function SetUpTotp({ asksForPassword, onFinish }: SetUpProps) {
  const [secret, setSecret] = useState<Outputs["secondFactor"]["startTotp"]>();
  const form = useForm({
    mode: "uncontrolled",
    initialValues: { currentPassword: "" },
    validate: { currentPassword: passwordField(asksForPassword).validate },
  });
  if (secret) return <FirstCode secret={secret} onFinish={onFinish} />;
  return (
    <Stack mt="md" maw="24rem">
      <ActionForm
        form={form}
        submit={{ label: "Show the QR code", busy: "Making it…" }}
        onSubmit={async ({ currentPassword }) =>
          setSecret(await api.secondFactor.startTotp.mutate(asksForPassword ? { currentPassword } : {}))
        }
      >
        {asksForPassword && <CurrentPassword form={form} />}
      </ActionForm>
    </Stack>
  );
}

interface CurrentPasswordProps {
  form: { key: (path: "currentPassword") => string; getInputProps: (path: "currentPassword") => object };
}

const CurrentPassword = ({ form }: CurrentPasswordProps) => (
  <PasswordInput
    label="Current password, for the second factor"
    autoComplete="current-password"
    mb="md"
    visibilityToggleButtonProps={{ "aria-label": "Show password", tabIndex: 0 }}
    key={form.key("currentPassword")}
    {...form.getInputProps("currentPassword")}
  />
);

interface FirstCodeProps extends Pick<SetUpProps, "onFinish"> {
  secret: Outputs["secondFactor"]["startTotp"];
}

function FirstCode({ secret, onFinish }: FirstCodeProps) {
  const form = useForm({
    mode: "uncontrolled",
    initialValues: { code: "" },
    validate: { code: required("The code") },
  });
  return (
    <Stack mt="md" maw="24rem">
      <Text>
        Scan this with an app that makes codes, or type the secret into it. Then enter the code that it shows.
      </Text>
      <QrCode text={secret.uri} label="QR code of the secret" />
      <CodeBlock code={secret.secret} what="the secret" />
      <ActionForm
        form={form}
        submit={{ label: "Turn on codes", busy: "Checking the code…" }}
        onSubmit={async ({ code }) => {
          const { codes } = await api.secondFactor.finishTotp.mutate({ code: code.replaceAll(/\s/g, "") });
          await onFinish(codes);
          notifications.show({
            message: "Codes are asked for from now on. Your other devices are signed out.",
          });
        }}
      >
        <TextInput
          label="Code of the app"
          inputMode="numeric"
          autoComplete="one-time-code"
          mb="md"
          key={form.key("code")}
          {...form.getInputProps("code")}
        />
      </ActionForm>
    </Stack>
  );
}

/** Asks the device to create a passkey. */
export function SetUpPasskey({ asksForPassword, onFinish }: SetUpProps) {
  const form = useForm({
    mode: "uncontrolled",
    initialValues: { name: "", currentPassword: "" },
    validate: {
      name: required("A name"),
      currentPassword: passwordField(asksForPassword).validate,
    },
  });
  return (
    <Stack mt="md" maw="24rem">
      <ActionForm
        form={form}
        submit={{ label: "Create the passkey", busy: "Waiting for your device…" }}
        onSubmit={async ({ name, currentPassword }) => {
          const { options } = await api.secondFactor.startPasskey.mutate(
            asksForPassword ? { currentPassword } : {},
          );
          const credential = await createPasskey<NewCredential>(options);
          const { codes } = await api.secondFactor.finishPasskey.mutate({ name, credential });
          await onFinish(codes);
          notifications.show({ message: "The passkey is set up. Your other devices are signed out." });
        }}
      >
        <TextInput
          label="Name of the passkey"
          description="Where it is: “Phone”, “Blue security key”."
          maxLength={100}
          mb="md"
          key={form.key("name")}
          {...form.getInputProps("name")}
        />
        {asksForPassword && <CurrentPassword form={form} />}
      </ActionForm>
    </Stack>
  );
}
