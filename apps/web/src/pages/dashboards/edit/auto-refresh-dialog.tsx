import { NativeSelect, Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import { api, queryClient, trpc } from "../../../api.ts";
import { ActionForm } from "../../../ui/action-form.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { Timestamp } from "../../../ui/timestamp.tsx";
import { ScheduleField } from "../../automations/form/schedule-field.tsx";
import {
  fromSchedule,
  hasTime,
  type ScheduleValues,
  toSchedule,
} from "../../automations/form/schedule-presets.ts";
import type { Dashboard } from "../dashboard.ts";

interface AutoRefreshDialogProps {
  dashboard: Dashboard;
  onClose: () => void;
}

interface AutoRefreshValues {
  schedule: ScheduleValues;
  /** Seconds, or "" for never. */
  onOpen: string;
}

const ages = [
  { value: "", label: "Never" },
  { value: "300", label: "If it is older than 5 minutes" },
  { value: "900", label: "If it is older than 15 minutes" },
  { value: "3600", label: "If it is older than an hour" },
  { value: "21600", label: "If it is older than 6 hours" },
  { value: "86400", label: "If it is older than a day" },
];

/** When the dashboard is refreshed without somebody who asks for it. */
export function AutoRefreshDialog({ dashboard, onClose }: AutoRefreshDialogProps) {
  const { id, autoRefresh, nextRefreshAt, refreshFailure } = dashboard;
  const onOpen = autoRefresh.onOpenSeconds === null ? "" : String(autoRefresh.onOpenSeconds);
  const form = useForm<AutoRefreshValues>({
    initialValues: {
      schedule: fromSchedule(autoRefresh.schedule, Intl.DateTimeFormat().resolvedOptions().timeZone),
      onOpen,
    },
    validate: {
      schedule: {
        time: (time, { schedule }) => (hasTime(schedule) && time === "" ? "Give a time." : null),
      },
    },
  });
  const save = async (values: AutoRefreshValues) => {
    const onOpenSeconds = values.onOpen === "" ? null : Number(values.onOpen);
    const chosen = { schedule: toSchedule(values.schedule), onOpenSeconds };
    await api.dashboards.update.mutate({ id, autoRefresh: chosen });
    await queryClient.invalidateQueries(trpc.dashboards.get.queryFilter({ id }));
    onClose();
  };
  const isListed = ages.some(({ value }) => value === onOpen);
  return (
    <Dialog onClose={onClose} title="Refresh by itself" size="lg">
      {nextRefreshAt && (
        <Text size="sm" mb="sm">
          Next refresh: <Timestamp at={nextRefreshAt} />
        </Text>
      )}
      {refreshFailure !== null && (
        <Text size="sm" mb="sm" c="var(--qb-bad)">
          The last refresh by this schedule failed. {refreshFailure}
        </Text>
      )}
      <ActionForm form={form} submit={{ label: "Save", busy: "Saving…" }} onSubmit={save}>
        <ScheduleField
          form={form}
          legend="By a schedule"
          none={{ label: "Never", description: "It is refreshed when somebody presses Refresh." }}
        />
        <NativeSelect
          label="When somebody opens it"
          description="Nobody who opens a public link refreshes anything."
          mb="lg"
          data={
            isListed ? ages : [...ages, { value: onOpen, label: `If it is older than ${onOpen} seconds` }]
          }
          {...form.getInputProps("onOpen")}
        />
        <Text size="sm" c="dimmed" mb="md">
          Its schedule runs the charts with the rights of the person who saves this last, and the defaults of
          the filters.
        </Text>
      </ActionForm>
    </Dialog>
  );
}
