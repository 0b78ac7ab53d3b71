import { Paper, Text, Title } from "@mantine/core";
import type { Outputs } from "@querybell/client";
import { chatHref, endpointHref, queryHref, shortUrl } from "../../format/addresses.ts";
import { HrefLink } from "../../ui/links.tsx";
import { Timestamp } from "../../ui/timestamp.tsx";
import { describeEndpoint } from "./describe-endpoint.ts";
import classes from "./home.module.css";

type Overview = Outputs["home"]["overview"];

interface Problem {
  key: string;
  href: string;
  title: string;
  detail: string;
  at?: string;
}

/** Problems: failed runs, and endpoints that fail, are disabled, or have held or retried deliveries. */
export function Attention({ overview }: { overview: Overview }) {
  const problems = toProblems(overview);
  return (
    <Paper withBorder p="lg" mb="lg" component="section" aria-labelledby="attention">
      <Title order={2} size="h4" mb="xs" id="attention">
        Needs attention
      </Title>
      {problems.length === 0 && (
        <Text c="dimmed" size="sm">
          Nothing at the moment.
        </Text>
      )}
      <ul className={classes.list}>
        {problems.map(({ key, href, title, detail, at }) => (
          <li key={key}>
            <HrefLink href={href} lineClamp={2}>
              {title}
            </HrefLink>
            <Text size="sm" lineClamp={2}>
              {detail}
            </Text>
            {at !== undefined && (
              <Text size="xs" c="dimmed">
                <Timestamp at={at} format="relative" />
              </Text>
            )}
          </li>
        ))}
      </ul>
    </Paper>
  );
}

const toProblems = ({ endpoints, failedAutomations, failedQueries }: Overview): Problem[] => [
  ...endpoints.map((endpoint) => ({
    key: endpoint.endpointId,
    href: endpointHref(endpoint.endpointId),
    title: shortUrl(endpoint.url),
    detail: describeEndpoint(endpoint),
  })),
  ...failedAutomations.map(({ automationId, name, shortId, reason, failedAt }) => ({
    key: automationId,
    href: chatHref(shortId),
    title: `${name} failed`,
    detail: reason,
    at: failedAt,
  })),
  ...failedQueries.map(({ queryId, title, reason, failedAt }) => ({
    key: queryId,
    href: queryHref(queryId),
    title: `${title} failed`,
    detail: reason,
    at: failedAt,
  })),
];
