import { TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useEffect, useRef, useState } from "react";
import { fromLocalInput, readerZone, toLocalInput } from "../format/times.ts";

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
      label={`From (${readerZone()})`}
      className={className}
      value={from}
      onChange={(time) => onChange({ from: time })}
    />
    <TimeField
      label={`Until (${readerZone()})`}
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

const pauseMs = 300;

/**
 * The text of a field whose value is in the address. A field bound to the address itself would lose keys, because
 * navigation takes a moment. The address follows when typing pauses; the field follows when the address changes otherwise.
 */
export function useAddressText(
  value: string,
  onChange: (text: string) => unknown,
): [text: string, setText: (text: string) => void] {
  const [text, setText] = useState(value);
  const sent = useRef(value);
  const send = useDebouncedCallback((typed: string) => {
    sent.current = typed;
    onChange(typed);
  }, pauseMs);
  useEffect(() => {
    if (value === sent.current) return;
    sent.current = value;
    send.cancel();
    setText(value);
  }, [value, send]);
  const type = (typed: string) => {
    setText(typed);
    send(typed);
  };
  return [text, type];
}
