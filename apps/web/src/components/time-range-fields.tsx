import { TextInput } from "@mantine/core";
import { fromLocalInput, toLocalInput } from "./local-time.ts";

interface TimeRange {
  from?: string | undefined;
  until?: string | undefined;
}

interface TimeRangeFieldsProps {
  className?: string;
  value: TimeRange;
  onChange: (changed: TimeRange) => void;
}

/** The fields of a filter by time, in the reader's time zone. */
export const TimeRangeFields = ({
  className = "",
  value: { from, until },
  onChange,
}: TimeRangeFieldsProps) => (
  <>
    <TextInput
      label="From (your time)"
      type="datetime-local"
      className={className}
      value={from ? toLocalInput(from) : ""}
      onChange={({ currentTarget }) => onChange({ from: fromLocalInput(currentTarget.value) })}
    />
    <TextInput
      label="Until (your time)"
      type="datetime-local"
      className={className}
      value={until ? toLocalInput(until) : ""}
      onChange={({ currentTarget }) => onChange({ until: fromLocalInput(currentTarget.value) })}
    />
  </>
);
