import { ActionIcon, Popover, Skeleton, TextInput, type TextInputProps } from "@mantine/core";
import { IconCalendar } from "@tabler/icons-react";
import { Suspense, useState } from "react";
import { lazyPart } from "../ui/lazy-part.tsx";
import { describeDay, isRelative, resolveDay } from "./days.ts";

const DatePicker = lazyPart(async () => (await import("./date-picker.tsx")).DatePicker);

interface DateFieldProps extends Omit<TextInputProps, "onChange" | "label" | "type" | "value"> {
  label: string;
  type: "date" | "timestamp";
  text: string;
  defaultText: string | undefined;
  onText: (text: string) => void;
}

/** A date or a time, typed or picked. A relative one says which day it is now. */
export function DateField({ label, type, text, defaultText, onText, ...props }: DateFieldProps) {
  const [isOpen, setOpen] = useState(false);
  const used = text === "" ? (defaultText ?? "") : text;
  const day = type === "date" && isRelative(used) ? resolveDay(used) : undefined;
  return (
    <TextInput
      {...props}
      label={label}
      value={text}
      onChange={(event) => onText(event.currentTarget.value)}
      description={day === undefined ? props.description : `Now: ${describeDay(day)}`}
      inputWrapperOrder={["label", "input", "description", "error"]}
      rightSection={
        <Popover opened={isOpen} onChange={setOpen} position="bottom-end" trapFocus returnFocus>
          <Popover.Target>
            <ActionIcon
              variant="subtle"
              color="gray"
              size="sm"
              aria-label={`Choose a day for ${label}`}
              aria-expanded={isOpen}
              onClick={() => setOpen(!isOpen)}
            >
              <IconCalendar size={16} />
            </ActionIcon>
          </Popover.Target>
          <Popover.Dropdown aria-label={label}>
            <Suspense fallback={<Skeleton height={300} width={300} />}>
              <DatePicker
                label={label}
                type={type}
                text={used}
                onPick={(picked) => {
                  onText(picked);
                  setOpen(false);
                }}
              />
            </Suspense>
          </Popover.Dropdown>
        </Popover>
      }
    />
  );
}
