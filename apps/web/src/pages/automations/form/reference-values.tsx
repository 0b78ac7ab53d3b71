import { Skeleton, Stack, Text } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { useQuery } from "@tanstack/react-query";
import { trpc } from "../../../api.ts";
import { ErrorNotice } from "../../../errors/error-notice.tsx";
import { toFailure } from "../../../errors/failure.ts";
import { ParameterFields } from "../../../parameters/parameter-fields.tsx";
import type { AutomationValues } from "./form-values.ts";

interface ReferenceValuesProps {
  form: UseFormReturnType<AutomationValues>;
  /** The index of the reference in the form. */
  index: number;
  shortId: string;
}

/** The parameter values of a reference. Empty ones take their defaults. */
export function ReferenceValues({ form, index, shortId }: ReferenceValuesProps) {
  const { data, error, refetch } = useQuery(trpc.references.get.queryOptions({ shortId }));
  if (error && toFailure(error).code === "not_found") {
    return (
      <Text size="sm" c="var(--qb-bad)">
        This reference was deleted. Every run fails until you remove it here.
      </Text>
    );
  }
  if (error && !data) return <ErrorNotice error={error} onRetry={refetch} />;
  if (!data) return <Skeleton height={20} mt="xs" />;
  if (data.parameters.length === 0) return null;
  const path = `references.${index}.parameterValues`;
  return (
    <Stack gap={4} mt="xs">
      <ParameterFields
        definitions={data.parameters}
        values={form.values.references[index]?.parameterValues ?? {}}
        onChange={(values) => form.setFieldValue(path, values)}
        errors={errorsBelow(path, form.errors)}
        path={path}
      />
      {data.parameters.some(({ type }) => type === "date") && (
        <Text size="xs" c="dimmed">
          Days like today-7d and month_start are counted anew at each run.
        </Text>
      )}
    </Stack>
  );
}

/** The errors of the values, by parameter. */
const errorsBelow = (path: string, errors: UseFormReturnType<AutomationValues>["errors"]) =>
  Object.fromEntries(
    Object.entries(errors).flatMap(([field, message]) =>
      field.startsWith(`${path}.`) && typeof message === "string"
        ? [[field.slice(path.length + 1), message]]
        : [],
    ),
  );
