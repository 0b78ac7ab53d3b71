import {
  ActionIcon,
  Button,
  ColorInput,
  Fieldset,
  Group,
  NumberInput,
  Select,
  Stack,
  Switch,
  TextInput,
} from "@mantine/core";
import type { Field } from "@querybell/domain";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import { numericColumns } from "../../charts/chart-data.ts";
import {
  type ChartSettings,
  type ChartType,
  chartTypes,
  type SeriesSettings,
  settingsOf,
} from "../../charts/chart-settings.ts";
import { colorAt, palette } from "../../charts/palette.ts";
import { forType } from "../../charts/suggest-settings.ts";
import { formatLabels, isValueFormat, valueFormats } from "../../results/value-formats.ts";

interface ChartBuilderProps {
  settings: ChartSettings;
  fields: readonly Field[];
  onChange: (settings: ChartSettings) => void;
}

const typeLabels: Record<ChartType, string> = {
  line: "Lines",
  bar: "Bars",
  area: "Areas",
  scatter: "Points",
  pie: "Pie",
  number: "One number",
  table: "Table",
};

/** A form for a chart. Every change is drawn at once. */
export function ChartBuilder({ settings, fields, onChange }: ChartBuilderProps) {
  const has = (setting: keyof ChartSettings) => settingsOf[settings.type].includes(setting);
  const set = (changed: Partial<ChartSettings>) => onChange({ ...settings, ...changed });
  const names = [...new Set(fields.map(({ name }) => name))];
  const choose = (value: string | null) => {
    const type = chartTypes.find((one) => one === value);
    if (!type) return;
    // What fits both types stays; the rest is chosen anew.
    const fresh = forType(type, fields);
    const keepsColumns =
      settings.series.length > 0 &&
      settingsOf[type].includes("series") &&
      type !== "scatter" &&
      settings.type !== "scatter";
    const series = fresh.series.length === 1 ? settings.series.slice(0, 1) : settings.series;
    onChange(
      keepsColumns
        ? {
            ...fresh,
            series,
            category: fresh.category === null ? null : (settings.category ?? fresh.category),
          }
        : fresh,
    );
  };
  return (
    <Stack gap="sm">
      <Select
        label="Type"
        allowDeselect={false}
        data={chartTypes.map((value) => ({ value, label: typeLabels[value] }))}
        value={settings.type}
        onChange={choose}
      />
      {has("category") && (
        <Select
          label={
            settings.type === "pie" ? "Names from" : settings.type === "scatter" ? "Across" : "Along the axis"
          }
          allowDeselect={false}
          searchable
          data={names}
          value={settings.category}
          onChange={(category) => set({ category })}
        />
      )}
      {has("series") && (
        <SeriesFields
          series={settings.series}
          columns={numericColumns(fields)}
          isSingle={settings.type === "pie" || settings.type === "number"}
          hasColor={settings.type !== "number" && settings.type !== "pie"}
          onChange={(series) => set({ series })}
        />
      )}
      {has("stacking") && (
        <Select
          label="Stacking"
          allowDeselect={false}
          data={[
            { value: "none", label: "Beside each other" },
            { value: "stacked", label: "Stacked" },
            { value: "percent", label: "Stacked to 100 %" },
          ]}
          value={settings.stacking}
          onChange={(value) => set({ stacking: value === "stacked" || value === "percent" ? value : "none" })}
        />
      )}
      <Group gap="lg">
        {has("horizontal") && (
          <Toggle
            label="Lying bars"
            value={settings.horizontal}
            onChange={(horizontal) => set({ horizontal })}
          />
        )}
        {has("smooth") && (
          <Toggle label="Smooth" value={settings.smooth} onChange={(smooth) => set({ smooth })} />
        )}
        {has("dots") && <Toggle label="Dots" value={settings.dots} onChange={(dots) => set({ dots })} />}
        {has("grid") && <Toggle label="Grid" value={settings.grid} onChange={(grid) => set({ grid })} />}
        {has("legend") && (
          <Toggle label="Legend" value={settings.legend} onChange={(legend) => set({ legend })} />
        )}
      </Group>
      {has("valueFormat") && (
        <FormatSelect
          label="Values as"
          value={settings.valueFormat}
          onChange={(valueFormat) => set({ valueFormat })}
        />
      )}
      {has("categoryFormat") && (
        <FormatSelect
          label="Axis as"
          value={settings.categoryFormat}
          onChange={(categoryFormat) => set({ categoryFormat })}
        />
      )}
      {has("valueLabel") && (
        <Group grow gap="xs">
          <TextInput
            label="Title of the axis"
            value={settings.categoryLabel ?? ""}
            onChange={(event) => set({ categoryLabel: event.currentTarget.value || null })}
          />
          <TextInput
            label="Title of the values"
            value={settings.valueLabel ?? ""}
            onChange={(event) => set({ valueLabel: event.currentTarget.value || null })}
          />
        </Group>
      )}
      {has("minimum") && (
        <Group grow gap="xs">
          <Limit label="Values from" value={settings.minimum} onChange={(minimum) => set({ minimum })} />
          <Limit label="Values to" value={settings.maximum} onChange={(maximum) => set({ maximum })} />
        </Group>
      )}
    </Stack>
  );
}

interface SeriesFieldsProps {
  series: readonly SeriesSettings[];
  columns: readonly string[];
  isSingle: boolean;
  hasColor: boolean;
  onChange: (series: SeriesSettings[]) => void;
}

function SeriesFields({ series, columns, isSingle, hasColor, onChange }: SeriesFieldsProps) {
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
                onClick={() => onChange(series.filter((_, at) => at !== index))}
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

interface ControlProps<Value> {
  label: string;
  value: Value;
  onChange: (value: Value) => void;
}

const Toggle = ({ label, value, onChange }: ControlProps<boolean>) => (
  <Switch label={label} checked={value} onChange={(event) => onChange(event.currentTarget.checked)} />
);

const FormatSelect = ({ label, value, onChange }: ControlProps<ChartSettings["valueFormat"]>) => (
  <Select
    label={label}
    allowDeselect={false}
    data={valueFormats.map((format) => ({ value: format, label: formatLabels[format] }))}
    value={value}
    onChange={(chosen) => isValueFormat(chosen) && onChange(chosen)}
  />
);

const Limit = ({ label, value, onChange }: ControlProps<number | null>) => (
  <NumberInput
    label={label}
    placeholder="Automatic"
    value={value ?? ""}
    onChange={(next) => onChange(typeof next === "number" ? next : null)}
  />
);
