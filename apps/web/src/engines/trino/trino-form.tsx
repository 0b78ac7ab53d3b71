import { Fieldset, Grid, NativeSelect, PasswordInput, TextInput } from "@mantine/core";
import type { ConnectionOf, EngineForm, FieldsProps, Filled, SettingsOf } from "../engine-form.ts";
import { describeServer, emptyServer, HostFields, TlsFields, toServerSettings } from "../server-fields.tsx";

type Credentials = ConnectionOf<"trino">["credentials"];

interface TrinoValues extends Filled<SettingsOf<"trino">> {
  /** `keep`: leave the stored credentials of a saved database. */
  credentials: Credentials["kind"] | "keep";
}

const empty: TrinoValues = { ...emptyServer, port: 8443, catalog: "", schema: "", credentials: "password" };

export const trinoForm: EngineForm<"trino", TrinoValues> = {
  empty,
  toValues: (settings) => ({ ...empty, ...settings, credentials: "keep" }),
  toConnection: (values, password) => ({
    engine: "trino",
    settings: toSettings(values),
    credentials: toCredentials(values, password),
  }),
  usesStoredCredentials: ({ credentials }) => credentials === "keep",
  toChange: (values) => ({ engine: "trino", settings: toSettings(values) }),
  required: ({ host, catalog, user, credentials }, password) => [
    ["trino.host", host, "Enter the host."],
    ["trino.catalog", catalog, "Enter the catalog."],
    ["trino.user", user, "Enter the user."],
    ...(hasSecret(credentials) ? [["password", password, `Enter the ${credentials}.`] as const] : []),
  ],
  Fields: TrinoFields,
  describe: (settings) => describeServer(settings, [settings.catalog, settings.schema]),
};

function toSettings({ schema, credentials: _, ...settings }: TrinoValues) {
  return { ...toServerSettings(settings), ...(schema !== "" && { schema }) };
}

function toCredentials({ credentials: kind }: TrinoValues, password: string): Credentials {
  if (kind === "password") return { kind, password };
  return kind === "token" ? { kind, token: password } : { kind: "none" };
}

const hasSecret = (kind: TrinoValues["credentials"]) => kind === "password" || kind === "token";

const credentialKinds = [
  { value: "password", label: "Password" },
  { value: "token", label: "Token (JWT or OAuth 2.0)" },
  { value: "none", label: "None: the user name alone" },
];
const storedCredentials = { value: "keep", label: "Keep the stored credentials" };

function TrinoFields({ form, isSaved }: FieldsProps) {
  const kind = form.values.trino.credentials;
  const secret = kind === "token" ? "Token" : "Password";
  return (
    <Fieldset legend="Connection">
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
            {...form.getInputProps("trino.credentials")}
          />
        </Grid.Col>
        {hasSecret(kind) && (
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
    </Fieldset>
  );
}
