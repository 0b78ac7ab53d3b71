import { Badge, Fieldset, Group, Select, Stack, Text, TextInput } from "@mantine/core";
import type { ParameterDefinition } from "@querybell/domain";

// The same list as in the domain package, whose schemas would make the page's script too large.
const types = [
  ...["string", "integer", "number", "boolean", "date", "timestamp"],
  ...["string[]", "integer[]", "number[]"],
] as const satisfies readonly ParameterDefinition["type"][];

const typeLabels: Record<ParameterDefinition["type"], string> = {
  string: "Text",
  integer: "Whole number",
  number: "Number",
  boolean: "True or false",
  date: "Date",
  timestamp: "Date and time",
  "string[]": "List of texts",
  "integer[]": "List of whole numbers",
  "number[]": "List of numbers",
};

interface ParameterDefinitionsProps {
  definitions: readonly ParameterDefinition[];
  onChange: (definitions: ParameterDefinition[]) => void;
  /** The placeholders that are in the SQL; a definition of any other is marked. */
  placeholders: readonly string[];
  errors?: Readonly<Record<string, string>>;
}

/** Edits the definitions of parameters: type, default, display name and description. */
export function ParameterDefinitions({
  definitions,
  onChange,
  placeholders,
  errors = {},
}: ParameterDefinitionsProps) {
  const change = (changed: ParameterDefinition) =>
    onChange(definitions.map((one) => (one.name === changed.name ? changed : one)));
  if (definitions.length === 0) {
    return (
      <Text c="dimmed" size="sm">
        The SQL has no parameters. Write {"{{name}}"} where a value should go.
      </Text>
    );
  }
  return (
    <Stack gap="md">
      {definitions.map((definition, index) => (
        <Definition
          key={definition.name}
          definition={definition}
          isUsed={placeholders.includes(definition.name)}
          error={errors[`parameters.${index}.defaultValue`] ?? errors[`parameters.${definition.name}`]}
          onChange={change}
        />
      ))}
    </Stack>
  );
}

interface DefinitionProps {
  definition: ParameterDefinition;
  isUsed: boolean;
  error: string | undefined;
  onChange: (definition: ParameterDefinition) => void;
}

function Definition({ definition, isUsed, error, onChange }: DefinitionProps) {
  const { name, displayName, type, defaultValue, description } = definition;
  const setDefault = (text: string) => {
    const { defaultValue: _, ...rest } = definition;
    onChange(text === "" ? rest : { ...rest, defaultValue: text });
  };
  return (
    <Fieldset legend={`{{${name}}}`}>
      {!isUsed && (
        <Badge variant="default" mb="xs">
          Not in the SQL
        </Badge>
      )}
      <Group grow align="flex-start">
        <TextInput
          label="Label"
          value={displayName}
          onChange={(event) => onChange({ ...definition, displayName: event.currentTarget.value })}
        />
        <Select
          label="Type"
          allowDeselect={false}
          data={types.map((value) => ({ value, label: typeLabels[value] }))}
          value={type}
          onChange={(value) => {
            const chosen = types.find((one) => one === value);
            if (chosen) onChange({ ...definition, type: chosen });
          }}
        />
        <TextInput
          label="Default"
          placeholder="None: a value is required"
          value={defaultValue ?? ""}
          error={error ?? null}
          onChange={(event) => setDefault(event.currentTarget.value)}
        />
      </Group>
      <TextInput
        mt="xs"
        label="Description"
        value={description}
        onChange={(event) => onChange({ ...definition, description: event.currentTarget.value })}
      />
    </Fieldset>
  );
}
