import { ActionIcon, Group, Textarea, TextInput, Tooltip } from "@mantine/core";
import { IconCheck, IconPencil, IconX } from "@tabler/icons-react";
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { toFailure } from "../errors/failure.ts";
import { isComposing, isEnter } from "../shortcuts/is-enter.ts";

interface InlineTextProps {
  value: string;
  /** What is edited: "title". */
  what: string;
  onSave: (value: string) => Promise<unknown>;
  /** How the text is rendered while it is not edited. */
  children: ReactNode;
  isLong?: boolean;
  placeholder?: string;
}

/** A text that is edited in place: Enter saves, Escape discards the change. */
export function InlineText({ value, what, onSave, children, isLong = false, placeholder }: InlineTextProps) {
  const [typed, setTyped] = useState<string>();
  const [error, setError] = useState<string>();
  const button = useRef<HTMLButtonElement>(null);
  const wasEditing = useRef(false);
  // The focused field is removed, so the focus moves to the element that replaces it.
  useEffect(() => {
    if (typed === undefined && wasEditing.current) button.current?.focus();
    wasEditing.current = typed !== undefined;
  }, [typed]);
  if (typed === undefined) {
    return (
      <Group gap={4} wrap="nowrap" align="flex-start">
        {children}
        <Tooltip label={`Edit the ${what}`}>
          <ActionIcon
            ref={button}
            variant="subtle"
            color="gray"
            aria-label={`Edit the ${what}`}
            onClick={() => setTyped(value)}
          >
            <IconPencil size={16} />
          </ActionIcon>
        </Tooltip>
      </Group>
    );
  }
  const leave = () => {
    setTyped(undefined);
    setError(undefined);
  };
  const save = async () => {
    if (typed === value) return leave();
    try {
      await onSave(typed);
      leave();
    } catch (failure) {
      const { message, fields } = toFailure(failure);
      setError(Object.values(fields)[0] ?? message);
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape" && !isComposing(event)) leave();
    if (isEnter(event) && (!isLong || event.ctrlKey || event.metaKey)) void save();
  };
  const field = {
    "aria-label": `The ${what}`,
    value: typed,
    placeholder: placeholder ?? "",
    error,
    autoFocus: true,
    // In a dialog, Escape leaves the field and not the dialog.
    "data-mantine-stop-propagation": true,
    onKeyDown,
    style: { flex: 1, maxWidth: "40rem" },
  };
  return (
    <Group gap={4} wrap="nowrap" align="flex-start" w="100%">
      {isLong ? (
        <Textarea {...field} autosize minRows={2} onChange={(event) => setTyped(event.currentTarget.value)} />
      ) : (
        <TextInput {...field} onChange={(event) => setTyped(event.currentTarget.value)} />
      )}
      <ActionIcon variant="light" size="lg" aria-label={`Save the ${what}`} onClick={() => void save()}>
        <IconCheck size={16} />
      </ActionIcon>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        aria-label={`Leave the ${what} as it was`}
        onClick={leave}
      >
        <IconX size={16} />
      </ActionIcon>
    </Group>
  );
}
