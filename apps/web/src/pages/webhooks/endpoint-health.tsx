import { SimpleGrid, Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { trpc } from "../../api.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { formatNumber, pluralize } from "../../format/pluralize.ts";
import { zoneOf } from "../../format/times.ts";
import { Section } from "../../ui/section.tsx";
import { Timestamp } from "../../ui/timestamp.tsx";
import { type Health, milliseconds } from "./delivery-labels.ts";
import classes from "./endpoint-health.module.css";

/** The deliveries of an endpoint in the last 24 hours. */
export function EndpointHealth({ endpointId: id }: { endpointId: string }) {
  const { data: health, error } = useQuery(
    trpc.webhookEndpoints.health.queryOptions({ id }, { refetchInterval: 5_000 }),
  );
  const ms = (value: number | null | undefined) =>
    value === null || value === undefined ? "–" : milliseconds(value);
  return (
    <Section title="Last 24 hours">
      {error && <ErrorNotice error={error} />}
      {health ? <HealthChart hours={health.hours} height={60} /> : <Skeleton height={40} />}
      <SimpleGrid cols={{ base: 2, sm: 4 }} mt="md">
        <Figure label="Attempts that succeeded">{count(health?.attempts.succeeded)}</Figure>
        <Figure label="Attempts that failed">{count(health?.attempts.failed)}</Figure>
        <Figure label="Median time">{ms(health?.medianMs)}</Figure>
        <Figure label="95 % within">{ms(health?.p95Ms)}</Figure>
      </SimpleGrid>
      {health?.lastFailure && (
        <Text size="sm" mt="md">
          Last failure <Timestamp at={health.lastFailure.at} format="relative" />:{" "}
          {health.lastFailure.sentence}
        </Text>
      )}
    </Section>
  );
}

const count = (value: number | undefined) => (value === undefined ? "–" : formatNumber(value));

const Figure = ({ label, children }: { label: string; children: ReactNode }) => (
  <div>
    <Text size="xs" c="dimmed">
      {label}
    </Text>
    <Text fz="lg" fw={600}>
      {children}
    </Text>
  </div>
);

interface HealthChartProps {
  hours: Health["hours"];
  height?: number;
}

const width = 240;
const gap = 2;

/** The attempts of the last 24 hours. One bar for each hour: successes below, failures on top. */
export function HealthChart({ hours, height = 40 }: HealthChartProps) {
  const most = Math.max(1, ...hours.map(({ succeeded, failed }) => succeeded + failed));
  const sum = (name: "succeeded" | "failed") => hours.reduce((total, hour) => total + hour[name], 0);
  const barWidth = width / hours.length - gap;
  // At least 2 units high, so that a single attempt among thousands is visible.
  const tall = (count: number) => (count === 0 ? 0 : Math.max(2, (count / most) * (height - 2)));
  const words = `Attempts of the last 24 hours by the hour: ${sum("succeeded")} succeeded, ${sum("failed")} failed.`;
  return (
    <svg
      className={classes.chart}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={words}
    >
      <title>{words}</title>
      <line x1={0} x2={width} y1={height - 0.5} y2={height - 0.5} className={classes.ground} />
      {hours.map(({ from, succeeded, failed }, hour) => {
        const x = hour * (barWidth + gap) + gap / 2;
        const good = tall(succeeded);
        const bad = tall(failed);
        return (
          <g key={from}>
            <title>{hourText(from, succeeded, failed)}</title>
            {/* The whole height shows the hour's numbers on hover. */}
            <rect x={x} y={0} width={barWidth} height={height} fill="transparent" />
            <rect x={x} y={height - good} width={barWidth} height={good} className={classes.good} />
            <rect x={x} y={height - good - bad} width={barWidth} height={bad} className={classes.bad} />
          </g>
        );
      })}
    </svg>
  );
}

const time = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });

const hourText = (from: string, succeeded: number, failed: number): string =>
  `${time.format(new Date(from))} ${zoneOf(new Date(from))}: ${pluralize(succeeded, "success", "successes")}, ${pluralize(failed, "failure")}`;
