import { Group, Paper, Text } from "@mantine/core";
import type { Outputs } from "@querybell/client";
import { describeSchedule } from "@querybell/domain";
import { dragItems } from "../../library/drag.ts";
import { FavouriteButton } from "../../library/favourite-button.tsx";
import { ItemMenu } from "../../library/item-menu.tsx";
import type { ItemOf } from "../../library/items.ts";
import { SelectItem, type Selection } from "../../library/selection.tsx";
import { failureText, isUnfinished, RunState, UncheckedTag } from "../../runs/run-state.tsx";
import { AnchorTo } from "../../ui/links.tsx";
import { Tag } from "../../ui/tag.tsx";
import { Timestamp } from "../../ui/timestamp.tsx";
import classes from "./automation-card.module.css";
import { ConditionTag } from "./condition-tag.tsx";

export type Automation = Outputs["automations"]["get"];

interface AutomationCardProps {
  automation: ItemOf<"automation">;
  selection: Selection;
}

/** One automation in the list: its name, its schedule and its latest run. */
export const AutomationCard = ({ automation, selection }: AutomationCardProps) => (
  <Paper
    component="li"
    withBorder
    p="md"
    className={classes.card}
    draggable
    onDragStart={(event) => dragItems(event.dataTransfer, selection.draggedWith(automation))}
  >
    <div>
      <Group gap="xs">
        <SelectItem item={automation} selection={selection} />
        <AnchorTo
          to="/automations/$automationId"
          params={{ automationId: automation.id }}
          underline="hover"
          fw={600}
          c="var(--mantine-color-text)"
        >
          {automation.title}
        </AnchorTo>
        {!automation.enabled && <Tag>Paused</Tag>}
        {automation.conditionStatus && <ConditionTag status={automation.conditionStatus} />}
      </Group>
      <Text size="sm" c="dimmed">
        {scheduleText(automation)}
      </Text>
    </div>
    <Text size="sm" className={classes.next}>
      {automation.nextRunAt && "Next "}
      <NextRun automation={automation} />
    </Text>
    <LastOutcome automation={automation} />
    <Group gap={4} wrap="nowrap">
      <FavouriteButton item={automation} />
      <ItemMenu item={automation} />
    </Group>
  </Paper>
);

type NextRunProps = { automation: Pick<Automation, "enabled" | "schedule" | "nextRunAt"> };

export function NextRun({ automation: { enabled, schedule, nextRunAt } }: NextRunProps) {
  if (nextRunAt) return <Timestamp at={nextRunAt} />;
  if (!enabled) return "Paused: nothing starts it";
  return schedule ? "No next time" : "Runs when somebody starts it";
}

function LastOutcome({ automation: { latestRun, latestEndedRun } }: Pick<AutomationCardProps, "automation">) {
  const goesOn = latestRun && isUnfinished(latestRun) ? latestRun : undefined;
  const shown = goesOn ?? latestEndedRun;
  if (!shown) {
    return (
      <Text size="sm" c="dimmed" className={classes.outcome}>
        It has not run yet.
      </Text>
    );
  }
  const words =
    latestEndedRun?.summary ?? (latestEndedRun?.failure ? failureText(latestEndedRun.failure) : null);
  return (
    <div className={classes.outcome}>
      <Group gap="xs">
        <RunState run={shown} />
        {latestEndedRun?.summary != null && <UncheckedTag agent={latestEndedRun.agent} />}
        <AnchorTo to="/chats/$shortId" params={{ shortId: shown.shortId }} size="sm">
          <Timestamp at={shown.completedAt ?? shown.runAt} format="relative" />
        </AnchorTo>
      </Group>
      {words !== null && (
        <Text size="sm" lineClamp={2} mt={4} c="dimmed">
          {words}
        </Text>
      )}
    </div>
  );
}

interface Scheduled {
  schedule: { cron: string; timeZone: string } | null;
}

/** "Every day at 09:00 in Europe/Berlin", or the cron text of a schedule that cannot be described briefly. */
export function scheduleText({ schedule }: Scheduled): string {
  if (!schedule) return "On demand";
  const words = describeSchedule(schedule) ?? `${schedule.cron} in ${schedule.timeZone}`;
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}
