import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import { durationText } from "../../format/duration.ts";
import { formatNumber } from "../../format/pluralize.ts";
import { useMemberName } from "../../session/use-member-name.ts";
import { AnchorTo } from "../../ui/links.tsx";
import { type Automation, NextRun } from "./automation-card.tsx";
import classes from "./automation-details.module.css";
import { scheduleText } from "./schedule-text.ts";

const agents = {
  digest: "Digest, in Querybell; it does not follow the instruction",
  model: "Model, checked by Querybell",
  external: "External, a program of yours, not checked",
};

/** The settings of an automation. */
export function AutomationDetails({ automation }: { automation: Automation }) {
  const nameOf = useMemberName();
  return (
    <dl className={classes.facts}>
      <Detail term="Schedule">{scheduleText(automation)}</Detail>
      <Detail term="Next run">
        <NextRun automation={automation} />
      </Detail>
      <Detail term="Looks at">
        <ul>
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
