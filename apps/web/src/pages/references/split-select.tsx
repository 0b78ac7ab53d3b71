import { Select } from "@mantine/core";
import type { ChartSettings } from "../../charts/chart-settings.ts";
import { withSplit } from "../../charts/suggest-settings.ts";

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
