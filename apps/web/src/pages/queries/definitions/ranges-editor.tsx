import { ActionIcon, Fieldset, Group, Select, Stack, TextInput } from "@mantine/core";
import type { DateRange, ParameterInputs } from "@querybell/domain";
import { IconTrash } from "@tabler/icons-react";
import { RangeField } from "../../../parameters/range-field.tsx";
import { rangeTexts } from "../../../parameters/range-presets.ts";

interface RangesEditorProps {
  inputs: ParameterInputs;
  errors: Readonly<Record<string, string>>;
  onChange: (inputs: ParameterInputs) => void;
}

/** Pairs of dates that are shown as one range, with presets. */
export function RangesEditor({ inputs, errors, onChange }: RangesEditorProps) {
  const { definitions, ranges } = inputs;
  const used = new Set(ranges.flatMap(({ start, end }) => [start, end]));
  const free = definitions.flatMap(({ name, type }) => (type === "date" && !used.has(name) ? [name] : []));
  const set = (changed: DateRange[]) => onChange({ ...inputs, ranges: changed });
  const replace = (index: number, range: DateRange) =>
    set(ranges.map((one, at) => (at === index ? range : one)));
  return (
    <Stack gap="sm">
      {ranges.map((range, index) => (
        <Fieldset key={range.start} legend={`Date range from {{${range.start}}} to {{${range.end}}}`}>
          <Group align="flex-start">
            <TextInput
              label="Label"
              value={range.displayName}
              maxLength={200}
              error={errors[`ranges.${index}`] ?? null}
              onChange={(event) => replace(index, { ...range, displayName: event.currentTarget.value })}
            />
            <Select
              label="First day"
              w="10rem"
              allowDeselect={false}
              data={[range.start, range.end, ...free]}
              value={range.start}
              onChange={(name) => name && replace(index, withStart(range, name))}
            />
            <Select
              label="End"
              w="10rem"
              allowDeselect={false}
              data={[range.start, range.end, ...free]}
              value={range.end}
              onChange={(name) => name && replace(index, withEnd(range, name))}
            />
            <Select
              label="The end is"
              w="15rem"
              allowDeselect={false}
              data={[
                { value: "last", label: `the last day: <= {{${range.end}}}` },
                { value: "next", label: `the day after: < {{${range.end}}}` },
              ]}
              value={range.includesEnd ? "last" : "next"}
              onChange={(value) => replace(index, { ...range, includesEnd: value === "last" })}
            />
            <RangeField
              range={{ ...range, displayName: "Default" }}
              texts={rangeTexts(
                range,
                {},
                (name) => definitions.find((one) => one.name === name)?.defaultValue,
              )}
              error={undefined}
              size="sm"
              path={undefined}
              onChange={(texts) =>
                onChange({
                  ...inputs,
                  definitions: definitions.map((one) => {
                    if (one.name === range.start) return { ...one, defaultValue: texts.start };
                    return one.name === range.end ? { ...one, defaultValue: texts.end } : one;
                  }),
                })
              }
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={`Remove the range ${range.displayName}`}
              onClick={() => set(ranges.filter((one) => one !== range))}
            >
              <IconTrash size={16} />
            </ActionIcon>
          </Group>
        </Fieldset>
      ))}
    </Stack>
  );
}

/** The two parameters change places if the other one is chosen. */
const withStart = (range: DateRange, start: string): DateRange =>
  start === range.end ? { ...range, start, end: range.start } : { ...range, start };
const withEnd = (range: DateRange, end: string): DateRange =>
  end === range.start ? { ...range, end, start: range.end } : { ...range, end };
