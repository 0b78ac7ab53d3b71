import { Group, Select, TextInput } from "@mantine/core";
import type { ParameterDefinition } from "@querybell/domain";
import type { ValueTexts } from "./parameter-values.ts";

interface ParameterFieldsProps {
  definitions: readonly ParameterDefinition[];
  values: ValueTexts;
  onChange: (values: ValueTexts) => void;
  /** What is wrong, by the parameter's name. */
  errors?: Readonly<Record<string, string>>;
  onSubmit?: (() => void) | undefined;
  /** Where the values are in a form that looks for its fields by `data-path`. */
  path?: string;
  /** Small, without descriptions. */
  isCompact?: boolean;
}

/** A field for each parameter. An empty one takes the default, which it shows. */
export function ParameterFields({
  definitions,
  values,
  onChange,
  errors = {},
  onSubmit,
  path,
  isCompact = false,
}: ParameterFieldsProps) {
  const set = (name: string, text: string) => {
    const { [name]: _, ...others } = values;
    onChange(text === "" ? others : { ...others, [name]: text });
  };
  return (
    <Group gap="sm" align="flex-start">
      {definitions.map((definition) => (
        <ParameterField
          key={definition.name}
          definition={definition}
          text={values[definition.name] ?? ""}
          error={errors[definition.name]}
          onChange={(text) => set(definition.name, text)}
          onSubmit={onSubmit}
          path={path}
          isCompact={isCompact}
        />
      ))}
    </Group>
  );
}

const hints: Partial<Record<ParameterDefinition["type"], string>> = {
  date: "2026-01-31 or today-7d",
  timestamp: "2026-01-31T12:00:00Z",
  "string[]": "values, with commas",
  "integer[]": "numbers, with commas",
  "number[]": "numbers, with commas",
};

interface ParameterFieldProps {
  definition: ParameterDefinition;
  text: string;
  error: string | undefined;
  onChange: (text: string) => void;
  onSubmit: (() => void) | undefined;
  path: string | undefined;
  isCompact: boolean;
}

function ParameterField({
  definition,
  text,
  error,
  onChange,
  onSubmit,
  path,
  isCompact,
}: ParameterFieldProps) {
  const { name, displayName, type, defaultValue, description } = definition;
  const common = {
    label: displayName === "" ? name : displayName,
    description: description === "" || isCompact ? null : description,
    title: description,
    error: error ?? null,
    size: isCompact ? "xs" : "sm",
    style: { flex: "1 1 11rem", maxWidth: "20rem" },
    "data-path": path === undefined ? undefined : `${path}.${name}`,
  } as const;
  const placeholder = defaultValue === undefined ? (hints[type] ?? "") : defaultValue;
  if (type === "boolean") {
    return (
      <Select
        {...common}
        data={["true", "false"]}
        placeholder={placeholder}
        value={text === "" ? null : text}
        onChange={(value) => onChange(value ?? "")}
        clearable
      />
    );
  }
  return (
    <TextInput
      {...common}
      placeholder={placeholder}
      inputMode={type === "integer" || type === "number" ? "decimal" : "text"}
      value={text}
      onChange={(event) => onChange(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === "Enter") onSubmit?.();
      }}
    />
  );
}
