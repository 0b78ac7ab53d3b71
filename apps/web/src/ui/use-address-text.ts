import { useDebouncedCallback } from "@mantine/hooks";
import { useEffect, useRef, useState } from "react";

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
