import { Grid, NativeSelect, NumberInput, Textarea, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import type { DatabaseValues } from "./database-values.ts";

const tlsModes = [
  { value: "verify", label: "Verify the certificate (safe)" },
  { value: "require", label: "Encrypt, without checking who answers" },
  { value: "off", label: "Off: not encrypted" },
];

/** How to reach a Postgres, its password aside. */
export const PostgresFields = ({ form }: { form: UseFormReturnType<DatabaseValues> }) => (
  <Grid>
    <Grid.Col span={{ base: 12, sm: 8 }}>
      <TextInput
        label="Host"
        placeholder="warehouse.example.com"
        autoComplete="off"
        {...form.getInputProps("postgres.host")}
      />
    </Grid.Col>
    <Grid.Col span={{ base: 12, sm: 4 }}>
      <NumberInput
        label="Port"
        min={1}
        max={65_535}
        allowDecimal={false}
        hideControls
        {...form.getInputProps("postgres.port")}
      />
    </Grid.Col>
    <Grid.Col span={{ base: 12, sm: 6 }}>
      <TextInput label="Database" autoComplete="off" {...form.getInputProps("postgres.database")} />
    </Grid.Col>
    <Grid.Col span={{ base: 12, sm: 6 }}>
      <TextInput label="User" autoComplete="off" {...form.getInputProps("postgres.user")} />
    </Grid.Col>
    <Grid.Col span={12}>
      <NativeSelect label="TLS" data={tlsModes} {...form.getInputProps("postgres.tls")} />
    </Grid.Col>
    {form.values.postgres.tls === "verify" && (
      <Grid.Col span={12}>
        <Textarea
          label="Certificate authority (optional)"
          description="In PEM form, where it is not a public one: your company’s, or your provider’s."
          placeholder="-----BEGIN CERTIFICATE-----"
          autosize
          minRows={2}
          maxRows={8}
          {...form.getInputProps("postgres.tlsCertificateAuthority")}
        />
      </Grid.Col>
    )}
  </Grid>
);
