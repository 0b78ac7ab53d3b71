import { Group, Select, Stack, Switch, TextInput } from "@mantine/core";
import type { Field } from "@querybell/domain";
import { numericColumns } from "../../charts/chart-data.ts";
import { type ChartSettings, type ChartType, chartTypes, settingsOf } from "../../charts/chart-settings.ts";
import { defaultSettings, withSplit } from "../../charts/suggest-settings.ts";
import { formatLabels, isValueFormat, valueFormats } from "../../results/value-formats.ts";
import { NumberField } from "../../ui/number-field.tsx";
import { SeriesFields, SplitSelect } from "./series-fields.tsx";

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
    // Keeps the settings that fit both types, and suggests the others.
    const fresh = defaultSettings(type, fields);
    const keepsColumns =
      settings.series.length > 0 &&
      settingsOf[type].includes("series") &&
      type !== "scatter" &&
      settings.type !== "scatter";
    const series = fresh.series.length === 1 ? settings.series.slice(0, 1) : settings.series;
    if (!keepsColumns) return onChange(fresh);
    const category = fresh.category === null ? null : (settings.category ?? fresh.category);
    const kept = { ...fresh, series, category };
    const splitBy = settingsOf[type].includes("splitBy") ? settings.splitBy : null;
    onChange(splitBy === null ? kept : withSplit(kept, splitBy));
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
          isSingle={settings.type === "pie" || settings.type === "number" || settings.splitBy !== null}
          hasColor={settings.type !== "number" && settings.type !== "pie" && settings.splitBy === null}
          onChange={(series) => set({ series })}
        />
      )}
      {has("splitBy") && <SplitSelect settings={settings} columns={names} onChange={onChange} />}
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
            label="Horizontal bars"
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
        {has("labels") && (
          <Toggle label="Labels" value={settings.labels} onChange={(labels) => set({ labels })} />
        )}
      </Group>
      {has("valueFormat") && (
        <FormatSelect
          label="Values as"
          value={settings.valueFormat}
          onChange={(valueFormat) => set({ valueFormat })}
        />
      )}
      {has("compareTo") && (
        <Group grow gap="xs">
          <Select
            label="Compared with"
            placeholder="Nothing"
            clearable
            data={numericColumns(fields)}
            value={settings.compareTo}
            onChange={(compareTo) => set({ compareTo })}
          />
          <OptionalNumber
            label="Decimals"
            value={settings.decimals}
            onChange={(decimals) => set({ decimals })}
            limits={{ min: 0, max: 20, allowDecimal: false }}
          />
        </Group>
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
        <Group grow gap="xs" align="flex-start">
          <OptionalNumber
            label="Values from"
            value={settings.minimum}
            onChange={(minimum) => set({ minimum })}
          />
          <OptionalNumber
            label="Values to"
            value={settings.maximum}
            onChange={(maximum) => set({ maximum })}
            error={isEmptyRange(settings) && "Must be greater than “Values from”."}
          />
        </Group>
      )}
    </Stack>
  );
}

const isEmptyRange = ({ minimum, maximum }: ChartSettings) =>
  minimum !== null && maximum !== null && maximum <= minimum;

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

interface OptionalNumberProps extends ControlProps<number | null> {
  limits?: { min: number; max: number; allowDecimal: boolean };
  error?: string | false;
}

const OptionalNumber = ({ label, value, onChange, limits, error }: OptionalNumberProps) => (
  <NumberField
    label={label}
    placeholder="Automatic"
    value={value}
    onChange={onChange}
    error={error}
    {...limits}
  />
);
