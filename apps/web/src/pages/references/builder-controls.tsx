import { Group, Select, Switch, TextInput } from "@mantine/core";
import { formatLabels, isValueFormat, type ValueFormat, valueFormats } from "@querybell/charts/formats";
import type { ReactNode } from "react";
import { NumberField } from "../../ui/number-field.tsx";

interface ControlProps<Value> {
  label: string;
  value: Value;
  onChange: (value: Value) => void;
}

export const Toggle = ({ label, value, onChange }: ControlProps<boolean>) => (
  <Switch label={label} checked={value} onChange={(event) => onChange(event.currentTarget.checked)} />
);

export const FormatSelect = ({ label, value, onChange }: ControlProps<ValueFormat>) => (
  <Select
    label={label}
    allowDeselect={false}
    data={valueFormats.map((format) => ({ value: format, label: formatLabels[format] }))}
    value={value}
    onChange={(chosen) => isValueFormat(chosen) && onChange(chosen)}
  />
);

interface OptionalNumberProps extends ControlProps<number | null> {
  limits?: { min: number; max: number; allowDecimal: boolean };
  placeholder?: string;
  error?: string | false;
}

export const OptionalNumber = ({ limits, placeholder = "Automatic", ...rest }: OptionalNumberProps) => (
  <NumberField placeholder={placeholder} {...rest} {...limits} />
);

interface OptionalTextProps extends ControlProps<string | null> {
  placeholder?: string;
}

export const OptionalText = ({ value, onChange, ...rest }: OptionalTextProps) => (
  <TextInput
    value={value ?? ""}
    onChange={(event) => onChange(event.currentTarget.value || null)}
    {...rest}
  />
);

interface ChoiceProps<Value extends string> {
  label: string;
  choices: readonly { value: Value; label: string }[];
  value: Value;
  onChange: (value: Value) => void;
}

export const Choice = <Value extends string>({ label, choices, value, onChange }: ChoiceProps<Value>) => (
  <Select
    label={label}
    allowDeselect={false}
    data={[...choices]}
    value={value}
    onChange={(chosen) => {
      const found = choices.find((choice) => choice.value === chosen);
      if (found) onChange(found.value);
    }}
  />
);

/** Two fields beside each other. */
export const SettingGroup = ({ children }: { children: ReactNode }) => (
  <Group grow gap="xs" align="flex-start">
    {children}
  </Group>
);
