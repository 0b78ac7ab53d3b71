import { Fieldset, Group, Stack, Text, TextInput } from "@mantine/core";
import type { ParameterDefinition } from "@querybell/domain";
import { DefaultField, NoParameters, typeLabels } from "./default-field.tsx";

interface ParameterOverridesProps {
  definitions: readonly ParameterDefinition[];
  onChange: (definitions: ParameterDefinition[]) => void;
}

/** The labels and defaults of one chart. Types and choices are those of its query. */
export function ParameterOverrides({ definitions, onChange }: ParameterOverridesProps) {
  if (definitions.length === 0) return <NoParameters />;
  const change = (changed: ParameterDefinition) =>
    onChange(definitions.map((one) => (one.name === changed.name ? changed : one)));
  return (
    <Stack gap="md">
      <Text size="sm" c="dimmed">
        Labels and defaults for this chart alone. Types and choices are those of the query.
      </Text>
      {definitions.map((definition) => (
        <Fieldset key={definition.name} legend={`{{${definition.name}}} · ${typeLabels[definition.type]}`}>
          <Group grow align="flex-start" preventGrowOverflow={false}>
            <TextInput
              label="Label"
              value={definition.displayName}
              maxLength={200}
              onChange={(event) => change({ ...definition, displayName: event.currentTarget.value })}
            />
            <DefaultField definition={definition} onChange={change} />
          </Group>
        </Fieldset>
      ))}
    </Stack>
  );
}
