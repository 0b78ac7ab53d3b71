import { ActionIcon, Button, ColorInput, Fieldset, Group, Select, Stack, TextInput } from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import type { ChartSettings, SeriesSettings } from "../../charts/chart-settings.ts";
import { colorAt, palette } from "../../charts/palette.ts";
import { withSplit } from "../../charts/suggest-settings.ts";

interface SeriesFieldsProps {
  series: readonly SeriesSettings[];
  columns: readonly string[];
  isSingle: boolean;
  hasColor: boolean;
  onChange: (series: SeriesSettings[]) => void;
}

/** The columns that a chart draws, each with its name and colour. */
export function SeriesFields({ series, columns, isSingle, hasColor, onChange }: SeriesFieldsProps) {
  const replace = (at: number, changed: Partial<SeriesSettings>) =>
    onChange(series.map((one, index) => (index === at ? { ...one, ...changed } : one)));
  const free = columns.find((column) => !series.some((one) => one.column === column));
  return (
    <Fieldset legend={isSingle ? "Value" : "Series"} p="sm">
      <Stack gap="xs">
        {series.map(({ column, label, color }, index) => (
          <Group key={index} gap="xs" wrap="nowrap" align="flex-end">
            <Select
              label="Column"
              size="xs"
              allowDeselect={false}
              data={[...new Set([...columns, column])].filter((name) => name !== "")}
              value={column}
              onChange={(value) => value !== null && replace(index, { column: value })}
              style={{ flex: 1 }}
            />
            {!isSingle && (
              <TextInput
                label="Name"
                size="xs"
                placeholder={column}
                value={label ?? ""}
                onChange={(event) => replace(index, { label: event.currentTarget.value || null })}
                style={{ flex: 1 }}
              />
            )}
            {hasColor && (
              <ColorInput
                label="Colour"
                size="xs"
                w={96}
                withEyeDropper={false}
                swatches={[...palette]}
                value={color ?? colorAt(index)}
                onChange={(value) => replace(index, { color: value === colorAt(index) ? null : value })}
              />
            )}
            {!isSingle && (
              <ActionIcon
                variant="subtle"
                aria-label={`Remove ${column}`}
                onClick={() => onChange(series.filter((_, other) => other !== index))}
              >
                <IconTrash size={16} />
              </ActionIcon>
            )}
          </Group>
        ))}
        {(!isSingle || series.length === 0) && free !== undefined && (
          <Button
            size="compact-sm"
            variant="subtle"
            leftSection={<IconPlus size={14} />}
            onClick={() => onChange([...series, { column: free, label: null, color: null }])}
          >
            Add a column
          </Button>
        )}
      </Stack>
    </Fieldset>
  );
}

interface SplitSelectProps {
  settings: ChartSettings;
  columns: readonly string[];
  onChange: (settings: ChartSettings) => void;
}

/** Chooses the column that gives a chart one series for each of its values. */
export function SplitSelect({ settings, columns, onChange }: SplitSelectProps) {
  const { category, series, splitBy } = settings;
  const isSingle = series.length === 1;
  const used = [category, ...series.map(({ column }) => column)];
  const free = columns.filter((column) => !used.includes(column));
  return (
    <Select
      label="Split by"
      description={
        isSingle
          ? "One series for each value of a column"
          : "Only a chart with one series can be split. Remove the others first."
      }
      placeholder="Not split"
      clearable
      searchable
      disabled={!isSingle}
      data={[...new Set([...free, ...(splitBy === null ? [] : [splitBy])])]}
      value={splitBy}
      onChange={(column) =>
        onChange(column === null ? { ...settings, splitBy: null } : withSplit(settings, column))
      }
    />
  );
}
