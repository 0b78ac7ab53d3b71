import { Paper, Text, Title } from "@mantine/core";
import type { Outputs } from "@querybell/client";
import { chatHref } from "../../format/addresses.ts";
import { UncheckedTag } from "../../runs/unchecked-tag.tsx";
import { HrefLink } from "../../ui/href-link.tsx";
import { Timestamp } from "../../ui/timestamp.tsx";
import classes from "./home.module.css";

/** The latest summaries of automations. */
export const Summaries = ({ summaries }: { summaries: Outputs["home"]["overview"]["summaries"] }) => (
  <Paper withBorder p="lg" component="section" aria-labelledby="summaries">
    <Title order={2} size="h4" mb="xs" id="summaries">
      Latest summaries
    </Title>
    {summaries.length === 0 && (
      <Text c="dimmed" size="sm">
        Automations write here what they found. None has so far.
      </Text>
    )}
    <ul className={classes.list}>
      {summaries.map(({ shortId, automationName, agent, summary, completedAt }) => (
        <li key={shortId}>
          <HrefLink href={chatHref(shortId)}>{automationName}</HrefLink> <UncheckedTag agent={agent} />
          <Text size="sm" lineClamp={3}>
            {summary}
          </Text>
          <Text size="xs" c="dimmed">
            <Timestamp at={completedAt} format="relative" />
          </Text>
        </li>
      ))}
    </ul>
  </Paper>
);
