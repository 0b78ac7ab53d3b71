import { Group, Paper, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { trpc } from "../../api.ts";
import { ErrorFrame, LoadingFrame } from "../../frame/frames.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Tag } from "../../ui/tag.tsx";
import { AutomationActions } from "./automation-actions.tsx";
import { NextRun } from "./automation-card.tsx";
import { AutomationDetails } from "./automation-details.tsx";
import classes from "./automation-page.module.css";
import { RunList } from "./run-list.tsx";
import { scheduleText } from "./schedule-text.ts";

const route = getRouteApi("/app/automations/$automationId");

/** One automation: its settings and its runs. */
export function AutomationPage() {
  const { automationId: id } = route.useParams();
  const { data, error, refetch } = useQuery(
    trpc.automations.get.queryOptions({ id }, { refetchInterval: 30_000 }),
  );
  if (error && !data) return <ErrorFrame error={error} reset={refetch} />;
  if (!data) return <LoadingFrame />;
  return (
    <>
      <PageHeader
        title={data.name}
        description={
          <>
            <span className={classes.instruction}>{data.instruction}</span>
            <Group gap="xs" component="span" mt={4}>
              {!data.enabled && <Tag>Paused</Tag>}
              <span>{scheduleText(data)}.</span>
              {data.nextRunAt && (
                <span>
                  Next: <NextRun automation={data} />
                </span>
              )}
            </Group>
          </>
        }
      >
        <AutomationActions automation={data} />
      </PageHeader>
      <div className={classes.columns}>
        <section aria-labelledby="runs">
          <Title order={2} size="h4" id="runs" mb="sm">
            Runs
          </Title>
          <RunList automationId={id} />
        </section>
        <Paper component="section" withBorder p="md" aria-labelledby="about">
          <Title order={2} size="h5" id="about" mb="sm">
            About it
          </Title>
          <AutomationDetails automation={data} />
          {data.lastSkippedAt && (
            <Text size="sm" c="dimmed" mt="sm">
              A scheduled time was skipped: it was still busy then.
            </Text>
          )}
        </Paper>
      </div>
    </>
  );
}
