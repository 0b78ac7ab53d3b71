import { Badge, Button, Fieldset, Group, Select, Stack, TextInput } from "@mantine/core";
import type { Choices, DateRange, ParameterDefinition, ParameterInputs } from "@querybell/domain";
import { DefaultField, NoParameters, typeLabels } from "../../../parameters/default-field.tsx";

import { ChoicesEditor } from "./choices-editor.tsx";
import { RangesEditor } from "./ranges-editor.tsx";

// The same list as in the domain package, whose schemas would make the page's script too large.
const types = [
  ...["string", "integer", "number", "boolean", "date", "timestamp"],
  ...["string[]", "integer[]", "number[]"],
] as const satisfies readonly ParameterDefinition["type"][];

interface ParameterDefinitionsProps {
  /** Of the query whose parameters they are; undefined for a new one. */
  queryId: string | undefined;
  inputs: ParameterInputs;
  onChange: (inputs: ParameterInputs) => void;
  sql: string;
  /** The placeholders that are in the SQL; a definition of any other is marked. */
  placeholders: readonly string[];
  /** What the api has refused, by path. */
  errors: Readonly<Record<string, string>>;
}

/** Edits the definitions of a query's parameters: type, default, label, description, choices and ranges. */
export function ParameterDefinitions(props: ParameterDefinitionsProps) {
  const { queryId, sql, inputs, onChange, placeholders, errors } = props;
  const { definitions, choices, ranges } = inputs;
  if (definitions.length === 0) return <NoParameters />;
  const setDefinitions = (changed: ParameterDefinition[]) =>
    onChange({
      definitions: changed,
      choices: withoutYesOrNo(choices, changed),
      ranges: onlyDates(ranges, changed),
    });
  const change = (changed: ParameterDefinition) =>
    setDefinitions(definitions.map((one) => (one.name === changed.name ? changed : one)));
  const setChoices = (name: string, offered: Choices | undefined) => {
    const { [name]: _, ...others } = choices;
    onChange({ ...inputs, choices: offered ? { ...others, [name]: offered } : others });
  };
  return (
    <Stack gap="md">
      {definitions.map((definition, index) => {
        const { name } = definition;
        return (
          <Fieldset key={name} legend={`{{${name}}}`}>
            {!placeholders.includes(name) && (
              <Group mb="xs" gap="xs">
                <Badge variant="default">Not in the SQL</Badge>
                <Button
                  variant="subtle"
                  size="compact-xs"
                  aria-label={`Remove the definition of ${name}`}
                  onClick={() => setDefinitions(definitions.filter((one) => one !== definition))}
                >
                  Remove
                </Button>
              </Group>
            )}
            <DefinitionFields
              definition={definition}
              error={errors[`definitions.${index}.defaultValue`]}
              onChange={change}
            />
            {definition.type !== "boolean" && (
              <ChoicesEditor
                queryId={queryId}
                definition={definition}
                others={definitions.filter((one) => one !== definition).map((one) => one.name)}
                offered={Object.hasOwn(choices, name) ? choices[name] : undefined}
                errors={errors}
                onChange={(offered) => setChoices(name, offered)}
              />
            )}
          </Fieldset>
        );
      })}
      <RangesEditor sql={sql} inputs={inputs} errors={errors} onChange={onChange} />
    </Stack>
  );
}

const withoutYesOrNo = (choices: ParameterInputs["choices"], definitions: readonly ParameterDefinition[]) =>
  Object.fromEntries(
    Object.entries(choices).filter(([name]) =>
      definitions.some((one) => one.name === name && one.type !== "boolean"),
    ),
  );

const onlyDates = (ranges: readonly DateRange[], definitions: readonly ParameterDefinition[]) => {
  const isDate = (name: string) => definitions.some((one) => one.name === name && one.type === "date");
  return ranges.filter(({ start, end }) => isDate(start) && isDate(end));
};

interface DefinitionFieldsProps {
  definition: ParameterDefinition;
  error: string | undefined;
  onChange: (definition: ParameterDefinition) => void;
}

function DefinitionFields({ definition, error, onChange }: DefinitionFieldsProps) {
  const { displayName, type, description } = definition;
  return (
    <>
      <Group grow align="flex-start" preventGrowOverflow={false}>
        <TextInput
          label="Label"
          value={displayName}
          maxLength={200}
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
        <DefaultField definition={definition} error={error} onChange={onChange} />
      </Group>
      <TextInput
        mt="xs"
        label="Description"
        value={description}
        maxLength={2000}
        onChange={(event) => onChange({ ...definition, description: event.currentTarget.value })}
      />
    </>
  );
}
