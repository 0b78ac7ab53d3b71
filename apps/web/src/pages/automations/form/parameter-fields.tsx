import { NativeSelect, SimpleGrid, Skeleton, Text, TextInput } from "@mantine/core";
import type { GetInputPropsReturnType, UseFormReturnType } from "@mantine/form";
import type { Outputs } from "@querybell/client";
import { useQuery } from "@tanstack/react-query";
import { trpc } from "../../../api.ts";
import { ErrorNotice } from "../../../components/error-notice.tsx";
import { asFailure } from "../../../components/failure.ts";
import type { AutomationValues } from "./form-values.ts";

type Parameter = Outputs["references"]["get"]["parameters"][number];

interface ParameterFieldsProps {
  form: UseFormReturnType<AutomationValues>;
  /** Which of the form's references. */
  at: number;
  shortId: string;
}

/** The values with which a reference is run. What is left empty takes its default. */
export function ParameterFields({ form, at, shortId }: ParameterFieldsProps) {
  const { data, error, refetch } = useQuery(trpc.references.get.queryOptions({ shortId }));
  if (error && asFailure(error).code === "not_found") {
    return (
      <Text size="sm" c="var(--qb-bad)">
        This reference was deleted. Every run fails until you remove it here.
      </Text>
    );
  }
  if (error) return <ErrorNotice error={error} onRetry={refetch} />;
  if (!data) return <Skeleton height={20} mt="xs" />;
  if (data.parameters.length === 0) return null;
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} mt="xs">
      {data.parameters.map((parameter) => (
        <ParameterField
          key={parameter.name}
          parameter={parameter}
          field={form.getInputProps(`references.${at}.parameterValues.${parameter.name}`)}
        />
      ))}
    </SimpleGrid>
  );
}

interface ParameterFieldProps {
  parameter: Parameter;
  field: GetInputPropsReturnType;
}

function ParameterField({ parameter, field }: ParameterFieldProps) {
  const { name, displayName, type, defaultValue, description } = parameter;
  const shared = {
    label: displayName || name,
    description: [description, hints[type]].filter(Boolean).join(". "),
    ...field,
    value: field.value ?? "",
  };
  if (type === "boolean") {
    const unset = { value: "", label: defaultValue === undefined ? "Choose" : `Default: ${defaultValue}` };
    return <NativeSelect data={[unset, "true", "false"]} {...shared} />;
  }
  return <TextInput placeholder={defaultValue === undefined ? "" : `Default: ${defaultValue}`} {...shared} />;
}

const hints: Partial<Record<Parameter["type"], string>> = {
  date: "A day like 2026-01-31, or counted anew at each run: today-7d, month_start",
  timestamp: "A moment like 2026-01-31T09:00:00Z",
  "string[]": "Several, with commas between",
  "integer[]": "Several, with commas between",
  "number[]": "Several, with commas between",
};
