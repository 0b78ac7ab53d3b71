import { MultiSelect, type MultiSelectProps, Select, type SelectProps } from "@mantine/core";
import type { Choices, ParameterInputs } from "@querybell/domain";
import { useState } from "react";
import { isEnter } from "../shortcuts/is-enter.ts";
import { toItems, toListText, type ValueTexts } from "./parameter-values.ts";
import { type Choice, useChoices } from "./use-choices.ts";

type Common = Pick<SelectProps & MultiSelectProps, "label" | "title" | "error" | "size" | "className">;

interface ChoiceFieldProps extends Common {
  offered: Choices;
  isList: boolean;
  inputs: ParameterInputs;
  values: ValueTexts;
  text: string;
  placeholder: string;
  description: string | null;
  onText: (text: string) => void;
  onEnter: (() => void) | undefined;
  "data-path": string | undefined;
}

/** A value, or several of them, among choices that are searched by typing. */
export function ChoiceField(props: ChoiceFieldProps) {
  const { offered, isList, inputs, values, text, onText, onEnter, placeholder, ...common } = props;
  const [isOpen, setOpen] = useState(false);
  const { items, isComplete, note, isLoading } = useChoices(offered, {
    inputs,
    values,
    isWanted: isOpen || text !== "",
  });
  const chosen = isList ? toItems(text) : text === "" ? [] : [text];
  // A value of a link or of an earlier list stays visible.
  const unlisted = chosen.filter((value) => !items.some((item) => item.value === value));
  const data = [...items, ...[...new Set(unlisted)].map((value) => ({ value, label: value }))];
  const mark = isComplete && unlisted.length > 0 ? notAmong(unlisted) : undefined;
  const shared = {
    ...common,
    ...(mark && { description: mark, descriptionProps: { c: "var(--qb-bad)", role: "status" } }),
    inputWrapperOrder: ["label" as const, "input" as const, "description" as const, "error" as const],
    data: distinctLabels(data),
    searchable: true,
    clearable: true,
    limit: 200,
    maxDropdownHeight: 260,
    nothingFoundMessage: note ?? "No choice has these words",
    placeholder: chosen.length === 0 ? labelsOf(placeholder, items, isList) : "",
    "aria-busy": isLoading,
    onDropdownOpen: () => setOpen(true),
    onDropdownClose: () => setOpen(false),
    onKeyDown: (event: React.KeyboardEvent) => {
      if (isEnter(event) && !isOpen) onEnter?.();
    },
  };
  return isList ? (
    <MultiSelect
      {...shared}
      value={[...new Set(chosen)]}
      onChange={(picked) => onText(picked.length === 0 ? "" : toListText(picked))}
    />
  ) : (
    <Select {...shared} value={text === "" ? null : text} onChange={(picked) => onText(picked ?? "")} />
  );
}

/** A run takes such a value too: a choice may have been removed since somebody made the link. */
const notAmong = (values: readonly string[]): string =>
  `${values.map((value) => `“${value}”`).join(", ")} ${values.length === 1 ? "is" : "are"} not among the choices.`;

/** The default as its choices are called. */
const labelsOf = (text: string, items: readonly Choice[], isList: boolean): string =>
  (isList ? toItems(text) : [text])
    .map((value) => items.find((item) => item.value === value)?.label ?? value)
    .join(", ");

/** Two choices with one label are told apart by their values. */
function distinctLabels(items: readonly Choice[]) {
  const counts = new Map<string, number>();
  for (const { label } of items) counts.set(label, (counts.get(label) ?? 0) + 1);
  return items.map(({ value, label }) => ({
    value,
    label: (counts.get(label) ?? 0) > 1 && label !== value ? `${label} (${value})` : label,
  }));
}
