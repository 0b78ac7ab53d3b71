import { Skeleton, Stack, Text } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { useQuery } from "@tanstack/react-query";
import { trpc } from "../../../api.ts";
import { ErrorNotice } from "../../../components/error-notice.tsx";
import { toFailure } from "../../../components/failure.ts";
import { ParameterFields } from "../../../components/parameter-fields.tsx";
import type { AutomationValues } from "./form-values.ts";

interface ReferenceValuesProps {
  form: UseFormReturnType<AutomationValues>;
  /** Which of the form's references. */
  at: number;
  shortId: string;
}

/** The values with which a reference is run. What is left empty takes its default. */
export function ReferenceValues({ form, at, shortId }: ReferenceValuesProps) {
  const { data, error, refetch } = useQuery(trpc.references.get.queryOptions({ shortId }));
  if (error && toFailure(error).code === "not_found") {
    return (
      <Text size="sm" c="var(--qb-bad)">
        This reference was deleted. Every run fails until you remove it here.
      </Text>
    );
  }
  if (error) return <ErrorNotice error={error} onRetry={refetch} />;
  if (!data) return <Skeleton height={20} mt="xs" />;
  if (data.parameters.length === 0) return null;
  const path = `references.${at}.parameterValues`;
  return (
    <Stack gap={4} mt="xs">
      <ParameterFields
        definitions={data.parameters}
        values={form.values.references[at]?.parameterValues ?? {}}
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

/** What is wrong with each value, by the parameter's name. */
const errorsBelow = (path: string, errors: UseFormReturnType<AutomationValues>["errors"]) =>
  Object.fromEntries(
    Object.entries(errors).flatMap(([at, words]) =>
      at.startsWith(`${path}.`) && typeof words === "string" ? [[at.slice(path.length + 1), words]] : [],
    ),
  );
