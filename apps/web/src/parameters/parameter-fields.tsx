import { Group, Select, Skeleton, TextInput } from "@mantine/core";
import type { Choices, ParameterDefinition, ParameterInputs } from "@querybell/domain";
import { type KeyboardEvent, Suspense, useState } from "react";
import { isEnter } from "../shortcuts/is-enter.ts";
import { lazyPart } from "../ui/lazy-part.tsx";
import classes from "./calendar.module.css";
import { DateField } from "./date-field.tsx";
import { labelOf, type ValueTexts, withText, yesAndNo } from "./parameter-values.ts";
import { RangeField } from "./range-field.tsx";
import { rangeTexts } from "./range-presets.ts";
import { findTextErrors } from "./value-errors.ts";

const ChoiceField = lazyPart(async () => (await import("./choice-field.tsx")).ChoiceField);

interface ParameterFieldsProps {
  inputs: ParameterInputs;
  values: ValueTexts;
  onChange: (values: ValueTexts) => void;
  /** What is wrong, by the parameter's name. */
  errors?: Readonly<Record<string, string>>;
  onSubmit?: (() => void) | undefined;
  /** Where the values are in a form that looks for its fields by `data-path`. */
  path?: string;
  /** Small, without descriptions. */
  isCompact?: boolean;
}

/**
 * A field for each parameter, and one for each range of dates. An empty one takes the default, which it shows. A text that
 * does not fit is marked at once, but one that is being typed only when its field is left.
 */
export function ParameterFields(props: ParameterFieldsProps) {
  const { inputs, values, onChange, errors = {}, onSubmit, path, isCompact = false } = props;
  const { definitions, choices, ranges } = inputs;
  const [typedName, setTypedName] = useState<string>();
  const set = (name: string, text: string) => onChange(withText(values, { name, text, choices }));
  const found = findTextErrors(inputs, values);
  const errorOf = (name: string) => (name === typedName ? undefined : found[name]) ?? errors[name];
  const byName = new Map(definitions.map((definition) => [definition.name, definition]));
  const grouped = new Set(ranges.flatMap(({ start, end }) => [start, end]));
  const size = isCompact ? "xs" : "sm";
  const pathOf = (name: string) => (path === undefined ? undefined : `${path}.${name}`);
  return (
    <Group gap="sm" align="flex-start">
      {definitions.map((definition) => {
        const { name } = definition;
        const range = ranges.find((one) => one.start === name);
        if (range) {
          return (
            <RangeField
              key={name}
              range={range}
              texts={rangeTexts(range, values, (one) => byName.get(one)?.defaultValue)}
              error={errorOf(range.start) ?? errorOf(range.end)}
              size={size}
              path={pathOf(name)}
              onChange={({ start, end }) => {
                const started = withText(values, { name: range.start, text: start, choices });
                onChange(withText(started, { name: range.end, text: end, choices }));
              }}
            />
          );
        }
        if (grouped.has(name)) return null;
        return (
          <ParameterField
            key={name}
            definition={definition}
            offered={Object.hasOwn(choices, name) ? choices[name] : undefined}
            inputs={inputs}
            values={values}
            error={errorOf(name)}
            onText={(text) => set(name, text)}
            onTyping={(isTyping) => setTypedName(isTyping ? name : undefined)}
            onSubmit={onSubmit}
            path={pathOf(name)}
            isCompact={isCompact}
          />
        );
      })}
    </Group>
  );
}

const hints: Partial<Record<ParameterDefinition["type"], string>> = {
  date: "2026-01-31 or today-7d",
  timestamp: "2026-01-31T12:00:00Z",
  "string[]": "values, with commas",
  "integer[]": "numbers, with commas",
  "number[]": "numbers, with commas",
};

interface ParameterFieldProps {
  definition: ParameterDefinition;
  offered: Choices | undefined;
  inputs: ParameterInputs;
  values: ValueTexts;
  error: string | undefined;
  onText: (text: string) => void;
  /** Called when a key is pressed in the field, and when it is left. */
  onTyping: (isTyping: boolean) => void;
  onSubmit: (() => void) | undefined;
  path: string | undefined;
  isCompact: boolean;
}

function ParameterField(props: ParameterFieldProps) {
  const { definition, offered, inputs, values, error, onText, onTyping, onSubmit, path, isCompact } = props;
  const { name, type, defaultValue, description } = definition;
  const label = labelOf(definition);
  const text = values[name] ?? "";
  const common = {
    label,
    description: description === "" || isCompact ? null : description,
    title: description,
    error: error ?? null,
    size: isCompact ? "xs" : "sm",
    className: classes.field ?? "",
    "data-path": path,
  } as const;
  const placeholder = defaultValue === undefined ? (hints[type] ?? "") : defaultValue;
  if (type === "boolean") {
    const shown = yesAndNo.find(({ value }) => value === defaultValue)?.label ?? placeholder;
    return (
      <Select
        {...common}
        data={yesAndNo}
        placeholder={shown}
        value={text === "" ? null : text}
        onChange={(value) => onText(value ?? "")}
        clearable
      />
    );
  }
  if (offered) {
    return (
      <Suspense fallback={<Skeleton height={isCompact ? 50 : 58} className={classes.field ?? ""} />}>
        <ChoiceField
          {...common}
          offered={offered}
          isList={type.endsWith("[]")}
          inputs={inputs}
          values={values}
          text={text}
          placeholder={defaultValue ?? "Choose"}
          onText={onText}
          onEnter={onSubmit}
        />
      </Suspense>
    );
  }
  const typed = {
    ...common,
    placeholder,
    onBlur: () => onTyping(false),
    onKeyDown: (event: KeyboardEvent) => {
      if (!isEnter(event)) return;
      onTyping(false);
      onSubmit?.();
    },
    onInput: () => onTyping(true),
  };
  if (type === "date" || type === "timestamp") {
    return <DateField {...typed} type={type} text={text} defaultText={defaultValue} onText={onText} />;
  }
  return (
    <TextInput
      {...typed}
      inputMode={type === "integer" || type === "number" ? "decimal" : "text"}
      value={text}
      onChange={(event) => onText(event.currentTarget.value)}
    />
  );
}
