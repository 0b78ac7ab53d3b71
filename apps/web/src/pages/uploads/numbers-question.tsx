import { Radio, Stack, Text } from "@mantine/core";
import type { Outputs } from "@querybell/client";
import { numberForms } from "@querybell/domain/upload-formats";
import { useEffect, useState } from "react";
import { keepFocus } from "../../ui/keep-focus.ts";
import type { NumberForms } from "./preview-table.tsx";

interface NumbersQuestionProps {
  preview: Outputs["uploads"]["preview"];
  column: string;
  /** Whether the column can be read as text. */
  mayBeText: boolean;
  /** Whether the file is being read as it was just chosen. */
  isReading: boolean;
  /** Null: as text. */
  onNumbers: (form: NumberForms[string] | null) => void;
}

const asText = "text";

/** Asks how the numbers of a column are written that are not written as it was remembered or chosen. */
export function NumbersQuestion(props: NumbersQuestionProps) {
  const { preview, column, mayBeText, isReading, onNumbers } = props;
  const { numberReadings } = preview;
  const [chosen, setChosen] = useState("");
  // The answer that had the focus goes with the question.
  useEffect(() => () => void keepFocus(), []);
  const tried = preview.reading.numbers?.[column];
  if (numberReadings.length === 0 && !mayBeText) {
    return (
      <Text mb="md">
        No way to write numbers fits all values of the column {column}. Correct the file and upload it again.
      </Text>
    );
  }
  return (
    <Radio.Group<string>
      mb="md"
      label={`How are the numbers in the column ${column} written?`}
      description={`They were expected like ${tried}, and not all of them are.`}
      value={isReading ? chosen : ""}
      onChange={(value) => {
        setChosen(value);
        onNumbers(numberForms.find((form) => form === value) ?? null);
      }}
    >
      <Stack mt="xs" gap="xs">
        {numberReadings.map(({ form, written, read }) => (
          <Radio key={form} value={form} label={`Like ${form}: ${written} is ${read}`} />
        ))}
        {mayBeText && <Radio value={asText} label="They are text: keep them as they are written" />}
      </Stack>
    </Radio.Group>
  );
}
