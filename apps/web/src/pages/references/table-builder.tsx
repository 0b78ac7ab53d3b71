import { Button, Fieldset, Group, MultiSelect, Select, Stack, Text } from "@mantine/core";
import type { ChartRows } from "@querybell/charts/chart-data";
import {
  type ColumnSettings,
  columnsOf,
  type PivotSettings,
  pivot,
  type TableSettings,
  type Total,
  totals,
} from "@querybell/charts/tables";
import { type DragEvent, useMemo } from "react";
import { readerFormats } from "../../results/value-formats.ts";
import { Choice } from "./builder-controls.tsx";
import classes from "./chart-editor.module.css";
import { ColumnFields } from "./column-fields.tsx";

interface TableBuilderProps {
  settings: TableSettings;
  rows: ChartRows;
  onChange: (settings: TableSettings) => void;
}

export const totalLabels: Record<Total, string> = {
  sum: "Sum",
  average: "Average",
  minimum: "Least",
  maximum: "Most",
  count: "Count",
};

const emptyPivot: PivotSettings = { rows: [], columns: null, values: null, aggregate: "sum" };

/** A form for a table: its columns, and a pivot table of them. */
export function TableBuilder({ settings, rows, onChange }: TableBuilderProps) {
  const names = useMemo(() => [...new Set(rows.fields.map(({ name }) => name))], [rows.fields]);
  const shown = useMemo(
    () => (settings.pivot ? pivot(rows, settings.pivot, readerFormats()).fields : rows.fields),
    [rows, settings.pivot],
  );
  const columns = columnsOf(settings, [...new Set(shown.map(({ name }) => name))]);
  const setColumns = (changed: ColumnSettings[]) => onChange({ ...settings, columns: changed });
  const chosen = settings.pivot ?? emptyPivot;
  const setPivot = (changed: Partial<PivotSettings>) => {
    const next = { ...chosen, ...changed };
    const isEmpty = next.rows.length === 0;
    onChange({
      columns: isEmpty === (settings.pivot === null) ? settings.columns : [],
      pivot: isEmpty ? null : next,
    });
  };
  return (
    <Stack gap="sm">
      <Fieldset legend="Pivot table" p="sm">
        <Stack gap="xs">
          <Text size="xs" c="dimmed">
            Drag columns to where they belong, or choose them there.
          </Text>
          <Group gap={4}>
            {names.map((name) => (
              <Button
                key={name}
                component="div"
                tabIndex={-1}
                size="compact-xs"
                variant="default"
                draggable
                onDragStart={(event: DragEvent) => event.dataTransfer.setData(columnType, name)}
              >
                {name}
              </Button>
            ))}
          </Group>
          <DropZone
            onDrop={(name) => setPivot({ rows: [...chosen.rows.filter((one) => one !== name), name] })}
          >
            <MultiSelect
              label="A row for each"
              placeholder={chosen.rows.length === 0 ? "No pivot table" : ""}
              data={names}
              value={chosen.rows}
              onChange={(value) => setPivot({ rows: value })}
            />
          </DropZone>
          <DropZone onDrop={(name) => setPivot({ columns: name })}>
            <Select
              label="A column for each"
              placeholder="Nothing"
              clearable
              data={names}
              value={chosen.columns}
              onChange={(value) => setPivot({ columns: value })}
              disabled={chosen.rows.length === 0}
            />
          </DropZone>
          <DropZone onDrop={(name) => setPivot({ values: name })}>
            <Select
              label="Values"
              placeholder="The number of rows"
              clearable
              data={names}
              value={chosen.values}
              onChange={(value) => setPivot({ values: value })}
              disabled={chosen.rows.length === 0}
            />
          </DropZone>
          {chosen.values !== null && chosen.rows.length > 0 && (
            <Choice
              label="Added up as"
              choices={totals.map((value) => ({ value, label: totalLabels[value] }))}
              value={chosen.aggregate}
              onChange={(aggregate) => setPivot({ aggregate })}
            />
          )}
        </Stack>
      </Fieldset>
      <Fieldset legend="Columns" p="sm">
        <ColumnFields columns={columns} fields={shown} onChange={setColumns} />
      </Fieldset>
    </Stack>
  );
}

const columnType = "application/x-querybell-column";

interface DropZoneProps {
  onDrop: (name: string) => void;
  children: React.ReactNode;
}

/** Takes a column that is dragged onto it. */
const DropZone = ({ onDrop, children }: DropZoneProps) => (
  // biome-ignore lint/a11y/noStaticElementInteractions: the field inside does the same by keyboard
  <div
    className={classes.drop}
    onDragOver={(event) => {
      if (event.dataTransfer.types.includes(columnType)) event.preventDefault();
    }}
    onDrop={(event) => {
      const name = event.dataTransfer.getData(columnType);
      if (name === "") return;
      event.preventDefault();
      onDrop(name);
    }}
  >
    {children}
  </div>
);
