import { ActionIcon, UnstyledButton } from "@mantine/core";
import { IconChevronLeft, IconChevronRight } from "@tabler/icons-react";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import classes from "./calendar.module.css";
import {
  addDays,
  addMonths,
  describeFully,
  describeMonth,
  resolveDay,
  weekday,
  weekdays,
  weeksOf,
} from "./days.ts";

interface CalendarProps {
  label: string;
  /** The chosen day, or the first and the last of a range. */
  chosen: { first: string; last: string } | undefined;
  onPick: (day: string) => void;
}

/** The days of one month. The arrow keys move by days and weeks, Page Up and Page Down by months. */
export function Calendar({ label, chosen, onPick }: CalendarProps) {
  const today = resolveDay("today") ?? "";
  const [focused, setFocused] = useState(chosen?.last ?? today);
  const movesFocus = useRef(false);
  const table = useRef<HTMLTableElement>(null);
  useEffect(() => {
    if (!movesFocus.current) return;
    movesFocus.current = false;
    table.current?.querySelector<HTMLElement>(`[data-day="${focused}"]`)?.focus();
  }, [focused]);

  const onKeyDown = (event: KeyboardEvent) => {
    const next = dayAfterKey(focused, event.key);
    if (next === undefined) return;
    event.preventDefault();
    movesFocus.current = true;
    setFocused(next);
  };
  return (
    <div>
      <div className={classes.head}>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label="Show the previous month"
          onClick={() => setFocused((day) => addMonths(day, -1))}
        >
          <IconChevronLeft size={16} />
        </ActionIcon>
        <span className={classes.month} aria-live="polite">
          {describeMonth(focused)}
        </span>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label="Show the next month"
          onClick={() => setFocused((day) => addMonths(day, 1))}
        >
          <IconChevronRight size={16} />
        </ActionIcon>
      </div>
      <table ref={table} className={classes.grid} aria-label={label} onKeyDown={onKeyDown}>
        <thead>
          <tr>
            {weekdays().map(({ short, long }) => (
              <th key={long} scope="col" abbr={long}>
                {short}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeksOf(focused).map((week, index) => (
            <tr key={week.find(Boolean) ?? index}>
              {week.map((day, column) =>
                day === undefined ? (
                  <td key={column} />
                ) : (
                  <td key={day} className={isBetween(day, chosen) ? classes.between : undefined}>
                    <UnstyledButton
                      className={classes.day ?? ""}
                      data-day={day}
                      aria-label={describeFully(day)}
                      aria-pressed={day === chosen?.first || day === chosen?.last}
                      aria-current={day === today ? "date" : undefined}
                      tabIndex={day === focused ? 0 : -1}
                      onClick={() => {
                        setFocused(day);
                        onPick(day);
                      }}
                    >
                      {Number(day.slice(8))}
                    </UnstyledButton>
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const isBetween = (day: string, chosen: CalendarProps["chosen"]): boolean =>
  chosen !== undefined && chosen.first <= day && day <= chosen.last;

function dayAfterKey(day: string, key: string): string | undefined {
  switch (key) {
    case "ArrowLeft":
      return addDays(day, -1);
    case "ArrowRight":
      return addDays(day, 1);
    case "ArrowUp":
      return addDays(day, -7);
    case "ArrowDown":
      return addDays(day, 7);
    case "Home":
      return addDays(day, -weekday(day));
    case "End":
      return addDays(day, 6 - weekday(day));
    case "PageUp":
      return addMonths(day, -1);
    case "PageDown":
      return addMonths(day, 1);
    default:
      return undefined;
  }
}
