import { Button, Group, SegmentedControl, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import type { Outputs } from "@querybell/client";
import { useMutation } from "@tanstack/react-query";
import { api } from "../../api.ts";
import { formOf } from "../../engines/engine-forms.ts";
import { engines } from "../../engines/engines.ts";
import { Failure, toFormFailure } from "../../errors/failure.ts";
import { ActionForm } from "../../ui/action-form.tsx";
import { DatabaseLimitFields } from "./database-limit-fields.tsx";
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
