import { Radio, SimpleGrid, Stack, Text } from "@mantine/core";
import type { Outputs } from "@querybell/client";
import type { DateOrder } from "./import-file.tsx";

type AmbiguousDates = Outputs["uploads"]["preview"]["ambiguousDates"];

interface DateQuestionProps {
  /** The columns whose dates can be read in both orders. */
  columns: AmbiguousDates;
  order: DateOrder | undefined;
  /** Whether the order is that of the table. */
  isRemembered: boolean;
  onOrder: (order: DateOrder) => void;
}

/** Asks whether the day or the month comes first, if no value of a column shows it. */
export function DateQuestion({ columns, order, isRemembered, onOrder }: DateQuestionProps) {
  if (columns.length === 0) return null;
  const names = columns.map(({ column }) => column).join(", ");
  return (
    <Radio.Group
      mt="md"
      label={`How are the dates in ${names} written?`}
      description={
        isRemembered
          ? "No value tells. They are read as in the files of this table before."
          : "No value tells. They can be read in two ways."
      }
      value={order ?? ""}
      onChange={(value) => onOrder(value === "dmy" ? "dmy" : "mdy")}
    >
      <SimpleGrid cols={{ base: 1, xs: 2 }} mt="xs" maw="40rem">
        <DateReading order="dmy" label="The day first" columns={columns} />
        <DateReading order="mdy" label="The month first" columns={columns} />
      </SimpleGrid>
    </Radio.Group>
  );
}

interface DateReadingProps {
  order: DateOrder;
  label: string;
  columns: AmbiguousDates;
}

/** One of the two readings, with a date of each column. */
function DateReading({ order, label, columns: [first, ...others] }: DateReadingProps) {
  if (!first) return null;
  return (
    <Stack gap={4}>
      <Radio value={order} label={`${label}: ${first.written} is ${first[order]}`} />
      {others.map((date) => (
        <Text key={date.column} size="sm" c="dimmed" pl="1.75rem">
          {date.column}: {date.written} is {date[order]}
        </Text>
      ))}
    </Stack>
  );
}
