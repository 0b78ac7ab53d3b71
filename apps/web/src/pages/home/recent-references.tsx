import { Paper, SimpleGrid, Skeleton, Text, Title } from "@mantine/core";
import type { Outputs } from "@querybell/client";
import { Suspense } from "react";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { referenceHref } from "../../format/addresses.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { HrefLink } from "../../ui/href-link.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { Timestamp } from "../../ui/timestamp.tsx";

const chartHeight = 140;
// The charts are loaded after the first paint.
const SmallChart = lazyPart(async () => (await import("../../charts/small-chart.tsx")).SmallChart);

interface RecentReferencesProps {
  references: Outputs["references"]["list"]["items"] | undefined;
  error: unknown;
}

/** The newest references, each with its chart. */
export const RecentReferences = ({ references, error }: RecentReferencesProps) => (
  <section aria-labelledby="references">
    <Title order={2} size="h4" mb="sm" id="references">
      Recent references
    </Title>
    {Boolean(error) && <ErrorNotice error={error} />}
    {!references && !error && <Skeleton height={180} />}
    {references?.length === 0 && (
      <EmptyState
        title="Nothing is shared yet"
        description="A reference shows the result of a query as a chart or a table, under a permalink to share."
      />
    )}
    <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md">
      {references?.map(({ shortId, title, updatedAt }) => (
        <Paper key={shortId} withBorder p="md">
          <HrefLink href={referenceHref(shortId)} fw={600}>
            {title}
          </HrefLink>
          <Text size="xs" c="dimmed">
            Changed <Timestamp at={updatedAt} format="relative" />
          </Text>
          <Suspense fallback={<Skeleton height={chartHeight} />}>
            <SmallChart shortId={shortId} height={chartHeight} />
          </Suspense>
        </Paper>
      ))}
    </SimpleGrid>
  </section>
);
