import { Grid, NativeSelect, NumberInput, Textarea, TextInput } from "@mantine/core";
import type { EngineKind } from "./engine.ts";
import type { FieldsProps, SettingsOf } from "./engine-form.ts";

const tlsModes = [
  { value: "verify", label: "Verify the certificate (safe)" },
  { value: "require", label: "Encrypt, without verifying the certificate" },
  { value: "off", label: "Off: not encrypted" },
];

/** The engines that have a server, by their settings. */
type ServerKind = {
  [Kind in EngineKind]: SettingsOf<Kind> extends { host: string } ? Kind : never;
}[EngineKind];
type ServerSettings = Pick<SettingsOf<ServerKind>, "host" | "port" | "user">;

interface ServerFieldsProps extends Pick<FieldsProps, "form"> {
  /** The engine whose settings are edited. */
  engine: ServerKind;
}

/** The empty values that all servers share. */
export const emptyServer = { host: "", user: "", tls: "verify", tlsCertificateAuthority: "" } as const;

/** Leaves out a certificate authority that is empty or not used. */
export function toServerSettings<Values extends { tls: string; tlsCertificateAuthority: string }>({
  tlsCertificateAuthority,
  ...settings
}: Values) {
  return {
    ...settings,
    ...(settings.tls === "verify" && tlsCertificateAuthority !== "" && { tlsCertificateAuthority }),
  };
}

export const describeServer = (
  { host, port, user }: ServerSettings,
  place: readonly (string | undefined)[],
): string => `${user}@${host}:${port}/${place.filter(Boolean).join("/")}`;

/** Host and port of a database server, as cells of a grid. */
export const HostFields = ({ form, engine }: ServerFieldsProps) => (
  <>
    <Grid.Col span={{ base: 12, sm: 8 }}>
      <TextInput
        label="Host"
        placeholder="warehouse.example.com"
        autoComplete="off"
        {...form.getInputProps(`${engine}.host`)}
      />
    </Grid.Col>
    <Grid.Col span={{ base: 12, sm: 4 }}>
      <NumberInput
        label="Port"
        min={1}
        max={65_535}
        allowDecimal={false}
        hideControls
        {...form.getInputProps(`${engine}.port`)}
      />
    </Grid.Col>
  </>
);

/** The TLS settings of a connection, as cells of a grid. */
export const TlsFields = ({ form, engine }: ServerFieldsProps) => (
  <>
    <Grid.Col span={12}>
      <NativeSelect label="TLS" data={tlsModes} {...form.getInputProps(`${engine}.tls`)} />
    </Grid.Col>
    {form.values[engine].tls === "verify" && (
      <Grid.Col span={12}>
        <Textarea
          label="Certificate authority (optional)"
          description="In PEM format, if the certificate is not signed by a public authority."
          placeholder="-----BEGIN CERTIFICATE-----"
          autosize
          minRows={2}
          maxRows={8}
          {...form.getInputProps(`${engine}.tlsCertificateAuthority`)}
        />
      </Grid.Col>
    )}
  </>
);
