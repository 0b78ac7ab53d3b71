import { Button, Group, Paper, SimpleGrid, Skeleton, Text } from "@mantine/core";
import { IconChartLine } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Suspense } from "react";
import { trpc } from "../../api.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import type { ValueTexts } from "../../parameters/parameter-values.ts";
import { toValueSearch } from "../../parameters/value-search.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { AnchorTo } from "../../ui/links.tsx";
import { ChartUses, QueryUses } from "./lineage.tsx";
import type { Query } from "./use-saving.ts";

const SmallChart = lazyPart(async () => (await import("../../charts/small-chart.tsx")).SmallChart);

interface QueryReferencesProps {
  query: Query;
  /** A new chart is made of their result. */
  values: ValueTexts;
}

/** The charts of a query, each with its own link. */
export function QueryReferences({ query, values }: QueryReferencesProps) {
  const references = useQuery(trpc.queries.references.queryOptions({ id: query.id }));
  const navigate = useNavigate();
  const create = () => navigate({ to: "/charts/new", search: { query: query.id, ...toValueSearch(values) } });
  const button = (
    <Button leftSection={<IconChartLine size={16} />} onClick={() => void create()}>
      New chart
    </Button>
  );
  if (references.error)
    return <ErrorNotice error={references.error} onRetry={() => void references.refetch()} />;
  if (!references.data) return <Skeleton height={200} />;
  if (references.data.length === 0) {
    return (
      <>
        <QueryUses queryId={query.id} />
        <EmptyState
          title="No charts yet"
          description="A chart shows this query's result under a short link that every member of your organization can open."
        >
          {button}
        </EmptyState>
      </>
    );
  }
  return (
    <>
      <QueryUses queryId={query.id} />
      <Group mb="md">{button}</Group>
      <SimpleGrid cols={{ base: 1, sm: 2, xl: 3 }}>
        {references.data.map(({ shortId, title, description }) => (
          <Paper key={shortId} withBorder p="md">
            <AnchorTo to="/q/$shortId" params={{ shortId }} fw={600}>
              {title}
            </AnchorTo>
            <Text size="sm" c="dimmed" lineClamp={1} mb="xs">
              {description ?? `/q/${shortId}`}
            </Text>
            <Suspense fallback={<Skeleton height={140} />}>
              <SmallChart shortId={shortId} height={140} />
            </Suspense>
            <ChartUses queryId={query.id} shortId={shortId} />
          </Paper>
        ))}
      </SimpleGrid>
    </>
  );
}
