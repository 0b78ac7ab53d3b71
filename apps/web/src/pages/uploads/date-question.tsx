import { Radio, Stack } from "@mantine/core";
import type { Outputs } from "@querybell/client";
import type { DateOrder } from "./import-file.tsx";

interface DateQuestionProps {
  /** The columns whose dates can be read in both orders. */
  columns: Outputs["uploads"]["preview"]["ambiguousDates"];
  order: DateOrder | undefined;
  onOrder: (order: DateOrder) => void;
}

/** Asks whether the day or the month comes first, where no value of a column tells it. */
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
