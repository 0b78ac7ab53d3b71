import { Select, Text, TextInput } from "@mantine/core";
import type { ParameterDefinition } from "@querybell/domain";
import { DateField } from "./date-field.tsx";
import { yesAndNo } from "./parameter-values.ts";
import { findValueError } from "./value-errors.ts";

export const typeLabels: Record<ParameterDefinition["type"], string> = {
  string: "Text",
  integer: "Whole number",
  number: "Number",
  boolean: "Yes or no",
  date: "Date",
  timestamp: "Date and time",
  "string[]": "List of texts",
  "integer[]": "List of whole numbers",
  "number[]": "List of numbers",
};

export const NoParameters = () => (
  <Text c="dimmed" size="sm">
    The SQL has no parameters. Write {"{{name}}"} where a value should go.
  </Text>
);

interface DefaultFieldProps {
  definition: ParameterDefinition;
  error?: string | undefined;
  onChange: (definition: ParameterDefinition) => void;
}

/** The default of a parameter, checked as it is typed. */
export function DefaultField({ definition, error, onChange }: DefaultFieldProps) {
  const { defaultValue, type } = definition;
  const set = (text: string) => {
    const { defaultValue: _, ...rest } = definition;
    onChange(text === "" ? rest : { ...rest, defaultValue: text });
  };
  const common = {
    label: "Default",
    placeholder: "None: a value is required",
    error: (defaultValue !== undefined && findValueError(definition, defaultValue)) || error || null,
  };
  const text = defaultValue ?? "";
  if (type === "boolean") {
    return (
      <Select
        {...common}
        clearable
        data={yesAndNo}
        value={defaultValue ?? null}
        onChange={(value) => set(value ?? "")}
      />
    );
  }
  if (type === "date" || type === "timestamp") {
    return <DateField {...common} type={type} text={text} defaultText={undefined} onText={set} />;
  }
  return <TextInput {...common} value={text} onChange={(event) => set(event.currentTarget.value)} />;
}
