import { Select, Stack } from "@mantine/core";
import { type ChartRows, numericColumns } from "@querybell/charts/chart-data";
import { type ChartSettings, type ChartType, chartTypes, hasMeaning } from "@querybell/charts/settings";
import type { TableSettings } from "@querybell/charts/tables";
import { AxisFields } from "./axis-fields.tsx";
import { FormatSelect, OptionalNumber, SettingGroup } from "./builder-controls.tsx";
import { LookFields } from "./look-fields.tsx";
import { SeriesFields, SplitSelect } from "./series-fields.tsx";
import { SplitColors } from "./split-colors.tsx";
import { TableBuilder } from "./table-builder.tsx";

interface ChartBuilderProps {
  settings: ChartSettings;
  rows: ChartRows;
  onChange: (settings: ChartSettings) => void;
  onTypeChange: (type: ChartType) => void;
  table: TableSettings;
  onTableChange: (table: TableSettings) => void;
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
export function ChartBuilder({
  settings,
  rows,
  onChange,
  onTypeChange,
  table,
  onTableChange,
}: ChartBuilderProps) {
  const { fields } = rows;
  const has = (setting: keyof ChartSettings) => hasMeaning(settings, setting);
  const set = (changed: Partial<ChartSettings>) => onChange({ ...settings, ...changed });
  const names = [...new Set(fields.map(({ name }) => name))];
  const isNumber = settings.type === "number";
  return (
    <Stack gap="sm">
      <Select
        label="Type"
        allowDeselect={false}
        data={chartTypes.map((value) => ({ value, label: typeLabels[value] }))}
        value={settings.type}
        onChange={(value) => {
          const type = chartTypes.find((one) => one === value);
          if (type) onTypeChange(type);
        }}
      />
      {settings.type === "table" && <TableBuilder settings={table} rows={rows} onChange={onTableChange} />}
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
          settings={settings}
          columns={numericColumns(fields)}
          onChange={(series) => set({ series })}
        />
      )}
      {has("splitBy") && <SplitSelect settings={settings} columns={names} onChange={onChange} />}
      {has("splitColors") && <SplitColors settings={settings} rows={rows} onChange={set} />}
      {isNumber && (
        <>
          <FormatSelect
            label="Values as"
            value={settings.valueFormat}
            onChange={(valueFormat) => set({ valueFormat })}
          />
          <SettingGroup>
            <Select
              label="Latest by"
              placeholder="The first row"
              clearable
              data={fields
                .filter(({ type }) => type === "date" || type === "timestamp")
                .map(({ name }) => name)}
              value={settings.over}
              onChange={(over) => set({ over })}
            />
            <Select
              label="Compared with"
              placeholder={settings.over === null ? "Nothing" : "The row before"}
              clearable
              data={numericColumns(fields)}
              value={settings.compareTo}
              onChange={(compareTo) => set({ compareTo })}
            />
          </SettingGroup>
          <OptionalNumber
            label="Decimals"
            value={settings.decimals}
            onChange={(decimals) => set({ decimals })}
            limits={{ min: 0, max: 20, allowDecimal: false }}
          />
        </>
      )}
      <LookFields settings={settings} onChange={set} />
      <AxisFields settings={settings} onChange={set} />
    </Stack>
  );
}
