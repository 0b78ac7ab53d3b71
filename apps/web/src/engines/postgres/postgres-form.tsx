import { Fieldset, Grid, PasswordInput, TextInput } from "@mantine/core";
import type { EngineForm, FieldsProps, Filled, SettingsOf } from "../engine-form.ts";
import { describeServer, emptyServer, HostFields, TlsFields, toServerSettings } from "../server-fields.tsx";

const empty: Filled<SettingsOf<"postgres">> = { ...emptyServer, port: 5432, database: "" };

export const postgresForm: EngineForm<"postgres", typeof empty> = {
  empty,
  toValues: (settings) => ({ ...empty, ...settings }),
  toConnection: (values, password) => ({
    engine: "postgres",
    settings: toServerSettings(values),
    credentials: { password },
  }),
  usesStoredCredentials: (_, password) => password === "",
  toChange: (values) => ({ engine: "postgres", settings: toServerSettings(values) }),
  required: ({ host, database, user }) => [
    ["postgres.host", host, "Enter the host."],
    ["postgres.database", database, "Enter the name of the database."],
    ["postgres.user", user, "Enter the user."],
  ],
  Fields: PostgresFields,
  describe: (settings) => describeServer(settings, [settings.database]),
};

function PostgresFields({ form, isSaved }: FieldsProps) {
  return (
    <Fieldset legend="Connection">
      <Grid>
        <HostFields form={form} engine="postgres" />
        <Grid.Col span={{ base: 12, sm: 6 }}>
          <TextInput label="Database" autoComplete="off" {...form.getInputProps("postgres.database")} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, sm: 6 }}>
          <TextInput label="User" autoComplete="off" {...form.getInputProps("postgres.user")} />
        </Grid.Col>
        <TlsFields form={form} engine="postgres" />
      </Grid>
      <PasswordInput
        label="Password"
        description={
          isSaved ? "Leave it empty to keep the stored one." : "Stored encrypted, and never shown again."
        }
        autoComplete="off"
        mt="md"
        visibilityToggleButtonProps={{ "aria-label": "Show password", tabIndex: 0 }}
        {...form.getInputProps("password")}
      />
    </Fieldset>
  );
}
