import { Button, Fieldset, Group, SegmentedControl, SimpleGrid, Stack, TextInput } from "@mantine/core";
import { type UseFormReturnType, useForm } from "@mantine/form";
import type { Outputs } from "@querybell/client";
import { useMutation } from "@tanstack/react-query";
import { api } from "../../api.ts";
import { formOf } from "../../engines/engine-forms.ts";
import { engines } from "../../engines/engines.ts";
import { Failure, toFormFailure } from "../../errors/failure.ts";
import { ActionForm } from "../../ui/action-form.tsx";
import { NumberField } from "../../ui/number-field.tsx";
import {
  type DatabaseValues,
  fieldAt,
  findEmptyFields,
  toConnection,
  usesStoredCredentials,
} from "./database-values.ts";
import { TestedConnection } from "./tested-connection.tsx";

interface DatabaseFormProps {
  /** The database to edit. The api never returns its password. */
  saved?: Outputs["databases"]["describe"][number];
  initialValues: DatabaseValues;
  submit: { label: string; busy: string };
  onSubmit: (values: DatabaseValues) => Promise<unknown>;
}

export function DatabaseForm({ saved, initialValues, submit, onSubmit }: DatabaseFormProps) {
  const form = useForm<DatabaseValues>({
    initialValues,
    validate: findEmptyFields,
  });
  const { engine } = form.values;
  const isSaved = saved !== undefined;
  const { Fields } = formOf(engine);
  const test = useMutation({
    mutationFn: async () => {
      if (!saved || !usesStoredCredentials(form.values)) {
        return api.databases.testConnection.mutate(toConnection(form.values));
      }
      if (form.isDirty(engine)) {
        throw new Failure(
          "Enter the password or token to test what you have changed. The stored one is for what was saved.",
        );
      }
      return api.databases.test.mutate({ id: saved.id });
    },
  });

  return (
    <ActionForm
      form={form}
      submit={submit}
      onSubmit={(values) =>
        onSubmit(values).catch((error: unknown) =>
          Promise.reject(toFormFailure(error, (path) => fieldAt(path, engine))),
        )
      }
    >
      <Stack maw="44rem" mb="lg">
        <TextInput
          label="Name"
          description="The name that members see, like “Warehouse”."
          maxLength={100}
          {...form.getInputProps("name")}
        />
        {!saved && (
          <SegmentedControl
            aria-label="Engine"
            data={Object.entries(engines).map(([value, { label }]) => ({ value, label }))}
            {...form.getInputProps("engine")}
          />
        )}
        <Fields form={form} isSaved={isSaved} />
        <Group>
          <Button
            variant="default"
            aria-disabled={test.isPending}
            onClick={() => {
              if (!test.isPending) test.mutate();
            }}
          >
            {test.isPending ? "Testing…" : "Test the connection"}
          </Button>
          <TestedConnection test={test} />
        </Group>
        <DatabaseLimitFields form={form} />
      </Stack>
    </ActionForm>
  );
}

interface Limit {
  field: keyof DatabaseValues["limits"];
  label: string;
  /** The factor from the shown unit to the stored unit. */
  unit: number;
  min: number;
  max: number;
}

const mebibyte = 1024 ** 2;

const limits: Limit[] = [
  { field: "timeMs", label: "Maximum time (seconds)", unit: 1000, min: 1, max: 3600 },
  { field: "rows", label: "Most rows", unit: 1, min: 1, max: 1_000_000 },
  { field: "bytes", label: "Maximum result (MiB)", unit: mebibyte, min: 1, max: 256 },
  { field: "memoryBytes", label: "Memory (MiB)", unit: mebibyte, min: 64, max: 65_536 },
];

/** The limits of a run, in readable units. */
const DatabaseLimitFields = ({ form }: { form: UseFormReturnType<DatabaseValues> }) => (
  <Fieldset legend="Limits of one run">
    <SimpleGrid cols={{ base: 1, xs: 2 }}>
      {limits.map(({ field, label, unit, min, max }) => (
        <NumberField
          key={field}
          label={label}
          min={min}
          max={max}
          clampBehavior="blur"
          thousandSeparator=","
          value={form.values.limits[field] / unit}
          error={form.errors[`limits.${field}`]}
          onChange={(value) => {
            if (value !== null) form.setFieldValue(`limits.${field}`, Math.round(value * unit));
          }}
        />
      ))}
    </SimpleGrid>
  </Fieldset>
);
