import { Badge, Button, Fieldset, Group, Select, Stack, Text, TextInput } from "@mantine/core";
import type { Choices, DateRange, ParameterDefinition, ParameterInputs } from "@querybell/domain";
import { type ReactNode, useState } from "react";
import { DefaultField, NoParameters, typeLabels } from "../../../parameters/default-field.tsx";
import { ChoicesEditor } from "./choices-editor.tsx";
import { comparesBelow } from "./compares-below.ts";
import { RangesEditor } from "./ranges-editor.tsx";
import { suggestRange } from "./suggest-range.ts";

// The same list as in the domain package, whose schemas would make the page's script too large.
const kinds = [
  ...["string", "integer", "number", "boolean", "date", "range", "timestamp"],
  ...["string[]", "integer[]", "number[]"],
] as const satisfies readonly (ParameterDefinition["type"] | "range")[];

/** The type of a parameter, or that it is one of the two dates of a range. */
type Kind = (typeof kinds)[number];

const kindLabels: Record<Kind, string> = { ...typeLabels, range: "Date range" };

interface ParameterDefinitionsProps {
  /** Of the query whose parameters they are; undefined for a new one. */
  queryId: string | undefined;
  inputs: ParameterInputs;
  onChange: (inputs: ParameterInputs) => void;
  sql: string;
  /** The placeholders that are in the SQL; a definition of any other is marked. */
  placeholders: readonly string[];
  /** What does not fit, by path. */
  errors: Readonly<Record<string, string>>;
  /** If each can be removed, also those that are used. */
  onRemove?: (definition: ParameterDefinition) => void;
  /** More about each. */
  children?: (definition: ParameterDefinition) => ReactNode;
}

/** Edits the definitions of a query's parameters: type, default, label, description, choices and ranges. */
export function ParameterDefinitions(props: ParameterDefinitionsProps) {
  const { queryId, sql, inputs, onChange, placeholders, errors, onRemove, children } = props;
  const { definitions, choices, ranges } = inputs;
  /** The parameter that was made a date range and waits for the other one. */
  const [unpaired, setUnpaired] = useState<string>();
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
  const inRange = new Set(ranges.flatMap(({ start, end }) => [start, end]));
  // The days of a range are chosen in its calendar.
  const mayHaveChoices = ({ name, type }: ParameterDefinition) =>
    type !== "boolean" && (!inRange.has(name) || Object.hasOwn(choices, name));
  const partnersOf = (name: string) =>
    definitions.flatMap((one) => (one.name === name || inRange.has(one.name) ? [] : [one.name]));
  const addRange = (start: string, end: string) => {
    setUnpaired(undefined);
    const range = { displayName: "Period", start, end, includesEnd: !comparesBelow(sql, end) };
    const isOne = ({ name }: ParameterDefinition) => name === start || name === end;
    onChange({
      ...inputs,
      definitions: definitions.map((one) => (isOne(one) ? { ...one, type: "date" } : one)),
      ranges: [...ranges, range],
    });
  };
  const choose = (definition: ParameterDefinition, kind: Kind) => {
    const { name } = definition;
    setUnpaired(undefined);
    if (kind !== "range") {
      const others = ranges.filter(({ start, end }) => start !== name && end !== name);
      const changed = definitions.map((one) => (one.name === name ? { ...one, type: kind } : one));
      onChange({ definitions: changed, choices: withoutYesOrNo(choices, changed), ranges: others });
      return;
    }
    if (inRange.has(name)) return;
    const suggested = suggestRange(name, partnersOf(name));
    if (suggested) addRange(suggested.start, suggested.end);
    else setUnpaired(name);
  };
  return (
    <Stack gap="md">
      {definitions.map((definition, index) => {
        const { name, type } = definition;
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
              kind={inRange.has(name) || unpaired === name ? "range" : type}
              error={errors[`definitions.${index}.defaultValue`]}
              onKind={(kind) => choose(definition, kind)}
              onChange={change}
            />
            {unpaired === name && (
              <PartnerField
                partners={partnersOf(name)}
                // Of the two, the one that the SQL has first is the start.
                onChoose={(partner) =>
                  definitions.findIndex((one) => one.name === partner) > index
                    ? addRange(name, partner)
                    : addRange(partner, name)
                }
              />
            )}
            {mayHaveChoices(definition) && (
              <ChoicesEditor
                queryId={queryId}
                definition={definition}
                others={definitions.filter((one) => one !== definition).map((one) => one.name)}
                offered={Object.hasOwn(choices, name) ? choices[name] : undefined}
                errors={errors}
                onChange={(offered) => setChoices(name, offered)}
              />
            )}
            {children?.(definition)}
            {onRemove && (
              <Button
                mt="xs"
                variant="default"
                size="compact-sm"
                aria-label={`Remove ${name}`}
                onClick={() => onRemove(definition)}
              >
                Remove
              </Button>
            )}
          </Fieldset>
        );
      })}
      <RangesEditor inputs={inputs} errors={errors} onChange={onChange} />
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

interface PartnerFieldProps {
  partners: readonly string[];
  onChoose: (name: string) => void;
}

/** Asks for the other date of a range. */
const PartnerField = ({ partners, onChoose }: PartnerFieldProps) =>
  partners.length === 0 ? (
    <Text mt="xs" size="sm" role="status">
      A date range has two parameters. Write the other one into the SQL first, such as {"{{until}}"}.
    </Text>
  ) : (
    <Select
      mt="xs"
      label="Other date of the range"
      placeholder="Choose a parameter"
      data={[...partners]}
      value={null}
      onChange={(name) => name !== null && onChoose(name)}
    />
  );

interface DefinitionFieldsProps {
  definition: ParameterDefinition;
  kind: Kind;
  onKind: (kind: Kind) => void;
  error: string | undefined;
  onChange: (definition: ParameterDefinition) => void;
}

function DefinitionFields({ definition, kind, error, onKind, onChange }: DefinitionFieldsProps) {
  const { displayName, description } = definition;
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
          data={kinds.map((value) => ({ value, label: kindLabels[value] }))}
          value={kind}
          onChange={(value) => {
            const chosen = kinds.find((one) => one === value);
            if (chosen) onKind(chosen);
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
