import { Fieldset, Group, List, NativeSelect, Select, Skeleton, Text, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { trpc } from "../../../api.ts";
import { toFailure } from "../../../errors/failure.ts";
import { hasTime, type ScheduleValues, toSchedule } from "./schedule-presets.ts";

const presets = [
  { value: "hourly", label: "Every hour" },
  { value: "daily", label: "Every day" },
  { value: "weekdays", label: "From Monday to Friday" },
  { value: "weekly", label: "Every week" },
  { value: "monthly", label: "Every month" },
  { value: "cron", label: "As a cron expression" },
];

const weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"].map(
  (label, value) => ({ value: String(value), label }),
);
const daysOfMonth = Array.from({ length: 31 }, (_, day) => String(day + 1));
// Chromium's list has no UTC; those of Firefox and Safari do.
const timeZones = [...new Set(["UTC", ...Intl.supportedValuesOf("timeZone")])];

interface ScheduleFieldProps<Values> {
  form: UseFormReturnType<Values>;
  legend: string;
  /** What it means to have no schedule: the choice, and a sentence. */
  none: { label: string; description: string };
}

/** The schedule, with a preview of its next times. */
export function ScheduleField<Values extends { schedule: ScheduleValues }>({
  form,
  legend,
  none,
}: ScheduleFieldProps<Values>) {
  const { preset, timeZone } = form.values.schedule;
  const zones = timeZones.includes(timeZone) ? timeZones : [timeZone, ...timeZones];
  return (
    <Fieldset legend={legend} mb="lg">
      <Group align="flex-start" gap="md">
        <NativeSelect
          label="How often"
          data={[{ value: "none", label: none.label }, ...presets]}
          {...form.getInputProps("schedule.preset")}
        />
        {preset === "weekly" && (
          <NativeSelect label="On" data={weekdays} {...form.getInputProps("schedule.weekday")} />
        )}
        {preset === "monthly" && (
          <NativeSelect
            label="On day"
            description="A month without it is skipped"
            inputWrapperOrder={["label", "input", "description", "error"]}
            data={daysOfMonth}
            {...form.getInputProps("schedule.dayOfMonth")}
          />
        )}
        {hasTime(form.values.schedule) && (
          <TextInput
            type="time"
            label={preset === "hourly" ? "At minute of" : "At"}
            required
            withAsterisk={false}
            {...form.getInputProps("schedule.time")}
          />
        )}
        {preset === "cron" && (
          <TextInput
            label="Cron expression"
            description="Minute, hour, day, month, weekday: 0 9 * * mon-fri"
            inputWrapperOrder={["label", "input", "description", "error"]}
            ff="monospace"
            {...form.getInputProps("schedule.cron")}
          />
        )}
        {preset !== "none" && (
          <Select
            label="Time zone"
            data={zones}
            searchable
            allowDeselect={false}
            nothingFoundMessage="No such zone. Give an IANA name like Europe/Prague."
            maxDropdownHeight={260}
            limit={100}
            {...form.getInputProps("schedule.timeZone")}
          />
        )}
      </Group>
      <NextTimes values={form.values.schedule} none={none.description} />
    </Fieldset>
  );
}

function NextTimes({ values: typed, none }: { values: ScheduleValues; none: string }) {
  const [values] = useDebouncedValue(typed, 250);
  const isTimeMissing = hasTime(values) && values.time === "";
  const schedule = toSchedule(values);
  const { data, error } = useQuery(
    trpc.automations.previewSchedule.queryOptions(
      { schedule: schedule ?? { cron: "", timeZone: "" } },
      { enabled: schedule !== null && !isTimeMissing, placeholderData: keepPreviousData, retry: false },
    ),
  );
  if (!schedule) {
    return (
      <Text size="sm" c="dimmed" mt="sm">
        {none}
      </Text>
    );
  }
  if (isTimeMissing) return null;
  if (error) {
    const { message, fields } = toFailure(error);
    const [sentence = message] = Object.values(fields);
    return (
      <Text size="sm" c="var(--qb-bad)" mt="sm" role="alert">
        {sentence}
      </Text>
    );
  }
  return (
    <div aria-live="polite">
      <Text size="sm" mt="sm" fw={600}>
        The next times
      </Text>
      {data ? (
        <List size="sm">
          {data.nextTimes.map((time) => (
            <List.Item key={time}>{inZone(time, schedule.timeZone)}</List.Item>
          ))}
        </List>
      ) : (
        <Skeleton height={64} width={260} />
      )}
    </div>
  );
}

/** In the time zone of the schedule. */
const inZone = (at: string, timeZone: string): string =>
  new Intl.DateTimeFormat(undefined, {
    weekday: "long",
    day: "numeric",
    month: "long",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    timeZoneName: "short",
    timeZone,
  }).format(new Date(at));
