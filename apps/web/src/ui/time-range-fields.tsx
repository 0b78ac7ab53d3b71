import { TextInput } from "@mantine/core";
import { fromLocalInput, toLocalInput } from "../format/local-time.ts";
import { useAddressText } from "./use-address-text.ts";

interface TimeRange {
  from?: string | undefined;
  until?: string | undefined;
}

interface TimeRangeFieldsProps {
  className?: string;
  /** As it is in the address. */
  value: TimeRange;
  onChange: (changed: TimeRange) => void;
}

/** The fields of a filter by time, in the reader's time zone. */
export const TimeRangeFields = ({ className, value: { from, until }, onChange }: TimeRangeFieldsProps) => (
  <>
    <TimeField
      label="From (your time)"
      className={className}
      value={from}
      onChange={(time) => onChange({ from: time })}
    />
    <TimeField
      label="Until (your time)"
      className={className}
      value={until}
      onChange={(time) => onChange({ until: time })}
    />
  </>
);

interface TimeFieldProps {
  label: string;
  className: string | undefined;
  value: string | undefined;
  onChange: (time: string | undefined) => void;
}

function TimeField({ label, className = "", value, onChange }: TimeFieldProps) {
  const [text, setText] = useAddressText(value ? toLocalInput(value) : "", (typed) =>
    onChange(fromLocalInput(typed)),
  );
  return (
    <TextInput
      label={label}
      type="datetime-local"
      max="9999-12-31T23:59"
      className={className}
      value={text}
      onChange={({ currentTarget }) => setText(currentTarget.value)}
    />
  );
}
