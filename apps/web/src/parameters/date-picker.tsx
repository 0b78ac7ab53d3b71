import { Button, Group, TextInput } from "@mantine/core";
import { useState } from "react";
import classes from "./calendar.module.css";
import { Calendar } from "./calendar.tsx";
import { describeDay, isRelative, resolveDay } from "./days.ts";

const relativeDays = [
  { text: "today", label: "Today" },
  { text: "yesterday", label: "Yesterday" },
  { text: "today-7d", label: "7 days ago" },
  { text: "today-30d", label: "30 days ago" },
  { text: "week_start", label: "Start of this week" },
  { text: "month_start", label: "Start of this month" },
  { text: "month_start-1m", label: "Start of the previous month" },
  { text: "quarter_start", label: "Start of this quarter" },
  { text: "year_start", label: "Start of this year" },
];

const relativeTimes = [
  { text: "now", label: "Now" },
  { text: "now-1h", label: "An hour ago" },
  { text: "now-24h", label: "24 hours ago" },
];

interface DatePickerProps {
  label: string;
  type: "date" | "timestamp";
  text: string;
  onPick: (text: string) => void;
}

/** What a button opens beside the field of a date: days that move with the day of the run, and a calendar. */
export function DatePicker({ label, type, text, onPick }: DatePickerProps) {
  const isTime = type === "timestamp";
  const [time, setTime] = useState(timeOf(text));
  const day = resolveDay(isTime && !isRelative(text) ? text.slice(0, 10) : text);
  const pick = (picked: string) => onPick(isTime ? `${picked}T${time}:00Z` : picked);
  return (
    <div className={classes.picker}>
      <div className={classes.presets}>
        {[...(isTime ? relativeTimes : []), ...relativeDays].map((relative) => (
          <Button
            key={relative.text}
            variant={relative.text === text ? "light" : "subtle"}
            size="compact-sm"
            justify="space-between"
            rightSection={
              isTime ? undefined : (
                <span className={classes.resolved}>{describeDay(resolveDay(relative.text) ?? "")}</span>
              )
            }
            onClick={() => onPick(relative.text)}
          >
            {relative.label}
          </Button>
        ))}
      </div>
      <div>
        {isTime && (
          <Group gap="xs" mb="xs">
            <TextInput
              type="time"
              size="xs"
              label="Time (UTC)"
              value={time}
              onChange={(event) => setTime(event.currentTarget.value || "00:00")}
            />
          </Group>
        )}
        <Calendar
          label={label}
          chosen={day === undefined ? undefined : { first: day, last: day }}
          onPick={pick}
        />
      </div>
    </div>
  );
}

const timeOf = (text: string): string => /T(\d{2}:\d{2})/.exec(text)?.[1] ?? "00:00";
