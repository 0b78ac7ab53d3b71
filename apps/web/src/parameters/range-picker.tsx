import { Button, Text } from "@mantine/core";
import type { DateRange } from "@querybell/domain";
import { useState } from "react";
import classes from "./calendar.module.css";
import { Calendar } from "./calendar.tsx";
import { describeDay } from "./days.ts";

import {
  daysOfRange,
  describeRange,
  type RangeTexts,
  rangePresets,
  textsOfDays,
  textsOfPreset,
} from "./range-presets.ts";

interface RangePickerProps {
  range: DateRange;
  texts: RangeTexts;
  onPick: (texts: RangeTexts) => void;
}

/** What the field of a range opens: presets, each with its days, and a calendar for two days. */
export function RangePicker({ range, texts, onPick }: RangePickerProps) {
  const [first, setFirst] = useState<string>();
  const chosen = first === undefined ? daysOfRange(texts, range) : { first, last: first };
  const pickDay = (day: string) => {
    if (first === undefined) setFirst(day);
    else onPick(textsOfDays(first, day, range));
  };
  return (
    <div className={classes.picker}>
      <div className={classes.presets}>
        {rangePresets.map((preset) => {
          const picked = textsOfPreset(preset, range);
          const isChosen = picked.start === texts.start && picked.end === texts.end;
          return (
            <Button
              key={preset.label}
              variant={isChosen ? "light" : "subtle"}
              size="compact-sm"
              justify="flex-start"
              title={describeRange(picked, range)}
              onClick={() => onPick(picked)}
            >
              {preset.label}
            </Button>
          );
        })}
      </div>
      <div>
        <Calendar label={range.displayName} chosen={chosen} onPick={pickDay} />
        <Text size="xs" c="dimmed" mt="xs" role="status">
          {first === undefined
            ? "Choose the first day, then the last."
            : `From ${describeDay(first)}: choose the last day.`}
        </Text>
      </div>
    </div>
  );
}
