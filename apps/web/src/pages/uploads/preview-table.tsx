import { Radio, Select, Stack, Table, Text } from "@mantine/core";
import type { Outputs } from "@querybell/client";
import { columnTypes } from "@querybell/domain/upload-formats";
import { Scrollable } from "../../ui/scrollable.tsx";
import type { ChosenType, ChosenTypes, DateOrder } from "./import-file.tsx";
import classes from "./preview-table.module.css";

interface PreviewTableProps {
  preview: Outputs["uploads"]["preview"];
  types: ChosenTypes;
  /** Null: the guessed type. */
  onType: (column: string, type: ChosenType | null) => void;
}

/** The first rows of a file, with a choice of types above each column. */
export function PreviewTable({ preview: { columns, rows }, types, onType }: PreviewTableProps) {
  return (
    <Scrollable className={classes.scroll} label="First rows of the file">
      <Table withRowBorders striped="even" verticalSpacing={4}>
        <Table.Thead>
          <Table.Tr>
            {columns.map(({ name, type }) => (
              <Table.Th key={name}>
                <Text size="sm" fw={600}>
                  {name}
                </Text>
                <Select
                  size="xs"
                  miw="7.5rem"
                  aria-label={`Type of ${name}`}
                  data={optionsFor(types.has(name) ? undefined : type)}
                  value={types.get(name) ?? type}
                  onChange={(chosen) => onType(name, columnTypes.find((one) => one === chosen) ?? null)}
                  allowDeselect={false}
                />
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row, number) => (
            <Table.Tr key={String(number)}>
              {columns.map(({ name }, index) => (
                <Table.Td key={name} className={classes.cell}>
                  {row[index] ?? (
                    <Text span c="dimmed" size="sm">
                      NULL
                    </Text>
                  )}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Scrollable>
  );
}

/** The types to choose from, and the guessed one if it is another. */
const optionsFor = (guessed: string | undefined): string[] =>
  guessed === undefined || columnTypes.some((type) => type === guessed)
    ? [...columnTypes]
    : [guessed, ...columnTypes];

interface DateQuestionProps {
  /** The columns whose dates can be read in both orders. */
  columns: Outputs["uploads"]["preview"]["ambiguousDates"];
  order: DateOrder | undefined;
  onOrder: (order: DateOrder) => void;
}

/** Asks whether the day or the month comes first, if no value of a column shows it. */
export function DateQuestion({ columns, order, onOrder }: DateQuestionProps) {
  const [first] = columns;
  if (!first) return null;
  const names = columns.map(({ column }) => column).join(", ");
  return (
    <Radio.Group
      mt="md"
      label={`How are the dates in ${names} written?`}
      description={`No value tells. ${first.written} can be read in two ways.`}
      value={order ?? ""}
      onChange={(value) => onOrder(value === "dmy" ? "dmy" : "mdy")}
    >
      <Stack gap="xs" mt="xs">
        <Radio value="dmy" label={`The day first: ${first.written} is ${first.dmy}`} />
        <Radio value="mdy" label={`The month first: ${first.written} is ${first.mdy}`} />
      </Stack>
    </Radio.Group>
  );
}
