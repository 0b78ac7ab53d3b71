import { ActionIcon, Button, ColorInput, Fieldset, Group, Select, Stack, TextInput } from "@mantine/core";
import {
  type ChartSettings,
  colorAt,
  isLying,
  isMarkType,
  type MarkType,
  markOf,
  markTypes,
  palette,
  plainSeries,
  type SeriesSettings,
  withSplit,
} from "@querybell/charts/settings";
import { IconPlus, IconTrash } from "@tabler/icons-react";

interface SeriesFieldsProps {
  settings: ChartSettings;
  columns: readonly string[];
  onChange: (series: SeriesSettings[]) => void;
}

const markLabels: Record<MarkType, string> = { line: "Line", bar: "Bars", area: "Area" };

/** The columns that a chart draws, each with its name and colour, how it is drawn, and its axis. */
export function SeriesFields({ settings, columns, onChange }: SeriesFieldsProps) {
  const { type, series } = settings;
  const isSingle = type === "pie" || type === "number" || settings.splitBy !== null;
  const isCombined = isMarkType(type) && !isSingle && series.length > 1;
  const replace = (at: number, changed: Partial<SeriesSettings>) =>
    onChange(series.map((one, index) => (index === at ? { ...one, ...changed } : one)));
  const free = columns.find((column) => !series.some((one) => one.column === column));
  return (
    <Fieldset legend={isSingle ? "Value" : "Series"} p="sm">
      <Stack gap="sm">
        {series.map((one, index) => (
          <Stack key={index} gap={4}>
            <Group gap="xs" wrap="nowrap" align="flex-end">
              <Select
                label="Column"
                size="xs"
                allowDeselect={false}
                data={[...new Set([...columns, one.column])].filter((name) => name !== "")}
                value={one.column}
                onChange={(value) => value !== null && replace(index, { column: value })}
                flex={1}
              />
              {(!isSingle || type === "number") && (
                <TextInput
                  label="Name"
                  size="xs"
                  placeholder={one.column}
                  value={one.label ?? ""}
                  onChange={(event) => replace(index, { label: event.currentTarget.value || null })}
                  flex={1}
                />
              )}
              {!isSingle && (
                <ColorInput
                  label="Colour"
                  size="xs"
                  w={96}
                  withEyeDropper={false}
                  swatches={[...palette]}
                  value={one.color ?? colorAt(index)}
                  onChange={(value) => replace(index, { color: value === colorAt(index) ? null : value })}
                />
              )}
              {!isSingle && (
                <ActionIcon
                  variant="subtle"
                  aria-label={`Remove ${one.column}`}
                  onClick={() => onChange(series.filter((_, other) => other !== index))}
                >
                  <IconTrash size={16} />
                </ActionIcon>
              )}
            </Group>
            {isCombined && (
              <Group gap="xs" grow>
                <Select
                  aria-label={`How ${one.column} is drawn`}
                  size="xs"
                  allowDeselect={false}
                  data={markTypes.map((value) => ({ value, label: markLabels[value] }))}
                  value={markOf(settings, one)}
                  onChange={(value) =>
                    isMarkType(value) && replace(index, { mark: value === type ? null : value })
                  }
                />
                {!isLying(settings) && (
                  <Select
                    aria-label={`Axis of ${one.column}`}
                    size="xs"
                    allowDeselect={false}
                    data={[
                      { value: "left", label: "Left axis" },
                      { value: "right", label: "Right axis" },
                    ]}
                    value={one.axis}
                    onChange={(value) => replace(index, { axis: value === "right" ? "right" : "left" })}
                  />
                )}
              </Group>
            )}
          </Stack>
        ))}
        {(!isSingle || series.length === 0) && free !== undefined && (
          <Button
            size="compact-sm"
            variant="subtle"
            leftSection={<IconPlus size={14} />}
            onClick={() => onChange([...series, plainSeries(free)])}
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
