import { SimpleGrid, Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { trpc } from "../../api.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { formatNumber } from "../../format/pluralize.ts";
import { Section } from "../../ui/section.tsx";
import { Timestamp } from "../../ui/timestamp.tsx";
import { milliseconds } from "./delivery-labels.ts";
import { HealthChart } from "./health-chart.tsx";

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
