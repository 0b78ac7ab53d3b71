import { Grid, NativeSelect, PasswordInput, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import type { DatabaseValues } from "./database-values.ts";
import { HostFields, TlsFields } from "./server-fields.tsx";

const credentialKinds = [
  { value: "password", label: "Password" },
  { value: "token", label: "Token (JWT or OAuth 2.0)" },
  { value: "none", label: "None: the user name alone" },
];
const storedCredentials = { value: "keep", label: "Keep the stored credentials" };

interface TrinoFieldsProps {
  form: UseFormReturnType<DatabaseValues>;
  isSaved: boolean;
}

export function TrinoFields({ form, isSaved }: TrinoFieldsProps) {
  const kind = form.values.trinoCredentials;
  const secret = kind === "token" ? "Token" : "Password";
  return (
    <Grid>
      <HostFields form={form} engine="trino" />
      <Grid.Col span={{ base: 12, sm: 6 }}>
        <TextInput label="Catalog" autoComplete="off" {...form.getInputProps("trino.catalog")} />
      </Grid.Col>
      <Grid.Col span={{ base: 12, sm: 6 }}>
        <TextInput label="Schema (optional)" autoComplete="off" {...form.getInputProps("trino.schema")} />
      </Grid.Col>
      <Grid.Col span={12}>
        <TextInput label="User" autoComplete="off" {...form.getInputProps("trino.user")} />
      </Grid.Col>
      <TlsFields form={form} engine="trino" />
      <Grid.Col span={12}>
        <NativeSelect
          label="Credentials"
          data={isSaved ? [storedCredentials, ...credentialKinds] : credentialKinds}
          {...form.getInputProps("trinoCredentials")}
        />
      </Grid.Col>
      {(kind === "password" || kind === "token") && (
        <Grid.Col span={12}>
          <PasswordInput
            label={secret}
            description="Stored encrypted, and never shown again."
            autoComplete="off"
            visibilityToggleButtonProps={{ "aria-label": `Show ${secret.toLowerCase()}`, tabIndex: 0 }}
            {...form.getInputProps("password")}
          />
        </Grid.Col>
      )}
    </Grid>
  );
}
