import { NumberInput, type NumberInputProps } from "@mantine/core";
import { useState } from "react";

interface NumberFieldProps extends Omit<NumberInputProps, "value" | "onChange" | "onBlur"> {
  value: number | null;
  /** Null while the field is empty or has no number yet. */
  onChange: (value: number | null) => void;
}

/**
 * A field for a number. Keeps the typed text also while it is not a number: "", "-" or "1." before its
 * decimals.
 */
export function NumberField({ value, onChange, ...rest }: NumberFieldProps) {
  const [typed, setTyped] = useState<string | number>();
  const isTyping = typed !== undefined && [value, null].includes(toNumber(typed));
  return (
    <NumberInput
      value={isTyping ? typed : (value ?? "")}
      onChange={(next) => {
        setTyped(next);
        onChange(toNumber(next));
      }}
      onBlur={() => setTyped(undefined)}
      {...rest}
    />
  );
}

const toNumber = (typed: string | number): number | null =>
  typed === "" || Number.isNaN(Number(typed)) ? null : Number(typed);
