import { Grid, NativeSelect, NumberInput, Textarea, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import type { DatabaseValues } from "./database-values.ts";

const tlsModes = [
  { value: "verify", label: "Verify the certificate (safe)" },
  { value: "require", label: "Encrypt, without checking who answers" },
  { value: "off", label: "Off: not encrypted" },
];

interface ServerFieldsProps {
  form: UseFormReturnType<DatabaseValues>;
  /** The engine whose settings are edited. */
  engine: "postgres" | "trino";
}

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
          description="In PEM form, where it is not a public one: your company’s, or your provider’s."
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
