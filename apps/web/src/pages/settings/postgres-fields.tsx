import { Grid, PasswordInput, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import type { DatabaseValues } from "./database-values.ts";
import { HostFields, TlsFields } from "./server-fields.tsx";

interface PostgresFieldsProps {
  form: UseFormReturnType<DatabaseValues>;
  isSaved: boolean;
}

export const PostgresFields = ({ form, isSaved }: PostgresFieldsProps) => (
  <>
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
  </>
);
