import { Input, Popover, Skeleton } from "@mantine/core";
import type { DateRange } from "@querybell/domain";
import { IconCalendar } from "@tabler/icons-react";
import { Suspense, useState } from "react";
import { lazyPart } from "../ui/lazy-part.tsx";
import classes from "./calendar.module.css";

import { describeRange, type RangeTexts } from "./range-presets.ts";

const RangePicker = lazyPart(async () => (await import("./range-picker.tsx")).RangePicker);

interface RangeFieldProps {
  range: DateRange;
  /** What is set, or the defaults. */
  texts: RangeTexts;
  error: string | undefined;
  onChange: (texts: RangeTexts) => void;
  size: "xs" | "sm";
  path: string | undefined;
}

/** Two dates as one field, which shows the days that they mean. */
export function RangeField({ range, texts, error, onChange, size, path }: RangeFieldProps) {
  const [isOpen, setOpen] = useState(false);
  const label = range.displayName === "" ? `${range.start} to ${range.end}` : range.displayName;
  const words = describeRange(texts, range) || "Choose the days";
  return (
    <Input.Wrapper label={label} labelElement="div" error={error} size={size} className={classes.range ?? ""}>
      <Popover opened={isOpen} onChange={setOpen} position="bottom-start" trapFocus returnFocus>
        <Popover.Target>
          <Input
            component="button"
            type="button"
            pointer
            size={size}
            aria-label={`${label}: ${words}`}
            rightSection={<IconCalendar size={16} />}
            rightSectionPointerEvents="none"
            data-path={path}
            onClick={() => setOpen(!isOpen)}
          >
            <span className={classes.rangeButton}>{words}</span>
          </Input>
        </Popover.Target>
        <Popover.Dropdown aria-label={label}>
          <Suspense fallback={<Skeleton height={300} width={300} />}>
            <RangePicker
              range={range}
              texts={texts}
              onPick={(picked) => {
                onChange(picked);
                setOpen(false);
              }}
            />
          </Suspense>
        </Popover.Dropdown>
      </Popover>
    </Input.Wrapper>
  );
}
