import { Group, Paper, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { trpc } from "../../api.ts";
import { formatNumber, pluralize } from "../../format/pluralize.ts";
import { durationText } from "../../format/times.ts";
import { ErrorFrame, LoadingFrame } from "../../frame/frames.tsx";
import { useMemberName } from "../../session/me.ts";
import { AnchorTo } from "../../ui/links.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Tag } from "../../ui/tag.tsx";
import { destinationEvents, destinationLabels } from "../destinations/destination-labels.ts";
import { useRecordOpened } from "../home/use-record-opened.ts";
import { AutomationActions } from "./automation-actions.tsx";
import { type Automation, NextRun, scheduleText } from "./automation-card.tsx";
import classes from "./automation-page.module.css";
import { ConditionPanel } from "./condition-panel.tsx";
import { LatestRecipients } from "./latest-recipients.tsx";
import { RunList } from "./run-list.tsx";

const route = getRouteApi("/app/automations/$automationId");

/** One automation: its settings and its runs. */
export function AutomationPage() {
  const { automationId: id } = route.useParams();
  const { data, error, refetch } = useQuery(
    trpc.automations.get.queryOptions({ id }, { refetchInterval: 30_000 }),
  );
  useRecordOpened("automation", data?.id);
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
          {data.conditionState && <ConditionPanel automation={data} state={data.conditionState} />}
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

const agents = {
  digest: "Digest, in Querybell; it does not follow the instruction",
  model: "Model, checked by Querybell",
  external: "External, a program of yours, not checked",
};

/** The settings of an automation. */
function AutomationDetails({ automation }: { automation: Automation }) {
  const nameOf = useMemberName();
  return (
    <dl className={classes.facts}>
      <Detail term="Schedule">{scheduleText(automation)}</Detail>
      <Detail term="Next run">
        <NextRun automation={automation} />
      </Detail>
      <Detail term="Looks at">
        <ul>
          {automation.dashboard && (
            <li>
              {automation.dashboard.isDeleted ? (
                <s>{automation.dashboard.title}</s>
              ) : (
                <AnchorTo to="/dashboards/$dashboardId" params={{ dashboardId: automation.dashboard.id }}>
                  {automation.dashboard.title}
                </AnchorTo>
              )}
              {automation.dashboard.isDeleted ? " (deleted: every run fails)" : ", a dashboard"}
            </li>
          )}
          {automation.references.map(({ shortId, title, parameterValues, isDeleted }, index) => (
            <li key={index}>
              {isDeleted ? (
                <s>{title}</s>
              ) : (
                <AnchorTo to="/q/$shortId" params={{ shortId }}>
                  {title}
                </AnchorTo>
              )}
              {isDeleted && " (deleted: every run fails)"}
              <Values values={parameterValues} />
            </li>
          ))}
        </ul>
      </Detail>
      <Detail term="Speaks">{automation.condition ? "If its condition holds" : "After each run"}</Detail>
      <Detail term="Agent">{agents[automation.agent]}</Detail>
      {automation.agent === "model" && (
        <Detail term="Budget of a run">
          {formatNumber(automation.budget.steps)} steps, {formatNumber(automation.budget.tokens)} tokens
        </Detail>
      )}
      {automation.agent === "model" && (
        <Detail term="SQL of the model's own">{automation.allowsSql ? "Allowed" : "Not allowed"}</Detail>
      )}
      <Detail term="Time limit">{durationText(automation.timeLimitSeconds * 1000)}</Detail>
      <Detail term="While a run goes on">
        {automation.whenBusy === "queue" ? "The next one waits" : "No other one starts"}
      </Detail>
      <Detail term="Tells">
        {automation.subscribers.length === 0 ? (
          "Nobody"
        ) : (
          <ul>
            {automation.subscribers.map((subscriber) => (
              <li key={subscriber.userId}>
                {nameOf(subscriber.userId)}
                <Text size="sm" c="dimmed" span display="block">
                  {waysOf(subscriber)}
                </Text>
              </li>
            ))}
          </ul>
        )}
      </Detail>
      <Detail term="Sends messages to">
        {automation.destinations.length === 0 ? (
          "No destination"
        ) : (
          <ul>
            {automation.destinations.map(({ destinationId, kind, name, state, events, csv }) => (
              <li key={destinationId}>
                {destinationLabels[kind]}: {name}
                {state === "disabled" && " (disabled: messages are held)"}
                <Text size="sm" c="dimmed" span display="block">
                  {[
                    ...events.map((event) => destinationEvents[event]),
                    ...(csv ? ["with CSV files"] : []),
                  ].join(", ")}
                </Text>
              </li>
            ))}
          </ul>
        )}
      </Detail>
      {automation.recipients && (
        <Detail term="Each person their rows">
          Rows of{" "}
          {automation.references.find(({ shortId }) => shortId === automation.recipients?.shortId)?.title ??
            "a chart"}{" "}
          by the column {automation.recipients.column}, at most{" "}
          {pluralize(automation.recipients.maxMessages, "message")} in a run
          {automation.latestEndedRun && <LatestRecipients runId={automation.latestEndedRun.id} />}
        </Detail>
      )}
      <Detail term="Created by">{nameOf(automation.createdBy)}</Detail>
    </dl>
  );
}

const Detail = ({ term, children }: { term: string; children: ReactNode }) => (
  <div>
    <dt>{term}</dt>
    <dd>{children}</dd>
  </div>
);

const Values = ({ values }: { values: Automation["references"][number]["parameterValues"] }) =>
  Object.entries(values).map(([name, value]) => (
    <Text key={name} size="sm" c="dimmed" span display="block">
      {name}: {Array.isArray(value) ? value.join(", ") : String(value)}
    </Text>
  ));

function waysOf({ inApp, byMail, onFailure, onSummary }: Automation["subscribers"][number]): string {
  const of = [onFailure && "failures", onSummary && "summaries"].filter(Boolean).join(" and ");
  const by = [inApp && "in the app", byMail && "by mail"].filter(Boolean).join(" and ");
  return `of ${of}, ${by}`;
}
