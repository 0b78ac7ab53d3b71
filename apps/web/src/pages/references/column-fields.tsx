import { ActionIcon, Group, Select, Stack, Switch, Text } from "@mantine/core";
import { isNumeric } from "@querybell/charts/chart-data";
import { type ColumnSettings, columnWidthLimits, totals } from "@querybell/charts/tables";
import { IconArrowDown, IconArrowUp, IconChevronDown, IconChevronRight } from "@tabler/icons-react";
import { useState } from "react";
import type { GridField } from "../../results/cell-text.ts";
import { FormatSelect, OptionalNumber, OptionalText, SettingGroup } from "./builder-controls.tsx";
import classes from "./chart-editor.module.css";
import { totalLabels } from "./table-builder.tsx";

interface ColumnFieldsProps {
  columns: readonly ColumnSettings[];
  fields: readonly GridField[];
  onChange: (columns: ColumnSettings[]) => void;
}

const dragType = "application/x-querybell-order";

/** The columns of a table: their order, and how each is shown. */
export function ColumnFields({ columns, fields, onChange }: ColumnFieldsProps) {
  const [opened, setOpened] = useState<string>();
  const replace = (at: number, changed: Partial<ColumnSettings>) =>
    onChange(columns.map((one, index) => (index === at ? { ...one, ...changed } : one)));
  const move = (from: number, to: number) => {
    const moved = columns[from];
    if (!moved || to < 0 || to >= columns.length) return;
    const others = columns.filter((_, index) => index !== from);
    onChange([...others.slice(0, to), moved, ...others.slice(to)]);
  };
  return (
    <Stack gap={4}>
      {columns.map((column, index) => {
        const field = fields.find(({ name: own }) => own === column.column);
        const heading = field?.heading ?? column.column;
        const isOpen = opened === column.column;
        return (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset would need a legend, which its name is already
          <div
            key={column.column}
            role="group"
            aria-label={heading}
            className={classes.column}
            draggable
            onDragStart={(event) => event.dataTransfer.setData(dragType, String(index))}
            onDragOver={(event) => {
              if (event.dataTransfer.types.includes(dragType)) event.preventDefault();
            }}
            onDrop={(event) => {
              const from = event.dataTransfer.getData(dragType);
              if (from === "") return;
              event.preventDefault();
              move(Number(from), index);
            }}
          >
            <Group gap={4} wrap="nowrap">
              <ActionIcon
                variant="subtle"
                aria-label={isOpen ? `Less about ${heading}` : `More about ${heading}`}
                aria-expanded={isOpen}
                onClick={() => setOpened(isOpen ? undefined : column.column)}
              >
                {isOpen ? <IconChevronDown size={14} /> : <IconChevronRight size={14} />}
              </ActionIcon>
              <Text size="sm" flex={1} truncate {...(column.isHidden && { c: "dimmed" })}>
                {column.title ?? heading}
              </Text>
              <ActionIcon
                variant="subtle"
                aria-label={`Move ${heading} to the left`}
                disabled={index === 0}
                onClick={() => move(index, index - 1)}
              >
                <IconArrowUp size={14} />
              </ActionIcon>
              <ActionIcon
                variant="subtle"
                aria-label={`Move ${heading} to the right`}
                disabled={index === columns.length - 1}
                onClick={() => move(index, index + 1)}
              >
                <IconArrowDown size={14} />
              </ActionIcon>
              <Switch
                size="xs"
                aria-label={`Show ${heading}`}
                checked={!column.isHidden}
                onChange={(event) => replace(index, { isHidden: !event.currentTarget.checked })}
              />
            </Group>
            {isOpen && (
              <ColumnLookFields
                column={column}
                heading={heading}
                isNumber={field !== undefined && isNumeric(field.type)}
                onChange={(changed) => replace(index, changed)}
              />
            )}
          </div>
        );
      })}
    </Stack>
  );
}

interface ColumnLookFieldsProps {
  column: ColumnSettings;
  /** What stands there without another choice. */
  heading: string;
  isNumber: boolean;
  onChange: (changed: Partial<ColumnSettings>) => void;
}

const ColumnLookFields = ({ column, heading, isNumber, onChange }: ColumnLookFieldsProps) => (
  <Stack gap="xs" p="xs">
    <OptionalText
      label="Heading"
      placeholder={heading}
      value={column.title}
      onChange={(title) => onChange({ title })}
    />
    <FormatSelect label="Values as" value={column.format} onChange={(format) => onChange({ format })} />
    {isNumber && (
      <OptionalNumber
        label="Decimals"
        value={column.decimals}
        onChange={(decimals) => onChange({ decimals })}
        limits={{ min: 0, max: 20, allowDecimal: false }}
      />
    )}
    <SettingGroup>
      <Select
        label="Total"
        placeholder="None"
        clearable
        data={totals
          .filter((value) => isNumber || value === "count")
          .map((value) => ({ value, label: totalLabels[value] }))}
        value={column.total}
        onChange={(value) => onChange({ total: totals.find((one) => one === value) ?? null })}
      />
      {isNumber && (
        <Select
          label="Colour"
          placeholder="None"
          clearable
          data={[
            { value: "scale", label: "By size" },
            { value: "bars", label: "Bars" },
          ]}
          value={column.color}
          onChange={(value) => onChange({ color: value === "scale" || value === "bars" ? value : null })}
        />
      )}
    </SettingGroup>
    <OptionalNumber
      label="Width in pixels"
      value={column.width}
      onChange={(width) => onChange({ width })}
      limits={{ ...columnWidthLimits, allowDecimal: false }}
    />
    <OptionalText
      label="Link"
      placeholder="https://example.com/orders/{value}"
      value={column.link}
      onChange={(link) => onChange({ link })}
    />
    <Switch
      label="Stays at the left"
      checked={column.isPinned}
      onChange={(event) => onChange({ isPinned: event.currentTarget.checked })}
    />
  </Stack>
);
