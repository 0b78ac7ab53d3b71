import { Grid, Paper, SimpleGrid, Skeleton, Text, Title } from "@mantine/core";
import type { Outputs } from "@querybell/client";
import { IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Suspense } from "react";
import { trpc } from "../../api.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { chatHref, referenceHref } from "../../format/addresses.ts";
import { UncheckedTag } from "../../runs/run-state.tsx";
import { useMe } from "../../session/me.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { ButtonTo, HrefLink } from "../../ui/links.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Timestamp } from "../../ui/timestamp.tsx";
import { SampleShopOffer } from "../sample-shop/sample-shop-offer.tsx";
import { Attention } from "./attention.tsx";
import { FirstSteps } from "./first-steps.tsx";
import classes from "./home.module.css";
import { Favourites, RecentItems } from "./item-lists.tsx";

export function HomePage() {
  const { user, organization, isAdmin, isMember, hidesFirstSteps } = useMe();
  const { data, error, refetch } = useQuery(trpc.home.overview.queryOptions());
  const references = useQuery(trpc.references.list.queryOptions({ limit: 6 }));
  return (
    <>
      <PageHeader title={`Hello, ${user.name}`} description={`What is new in ${organization.name}.`}>
        {isMember && (
          <ButtonTo to="/queries/new" leftSection={<IconPlus size={16} />}>
            New query
          </ButtonTo>
        )}
      </PageHeader>
      {error && <ErrorNotice error={error} onRetry={refetch} />}
      {!data && !error && <Skeleton height={320} />}
      {data && (
        <>
          {isMember && !hidesFirstSteps && <FirstSteps overview={data} isAdmin={isAdmin} />}
          <SampleShopOffer isAdmin={isAdmin} hasDatabase={data.firstSteps.database} />
          <Grid gap="lg">
            <Grid.Col span={{ base: 12, md: 8 }}>
              <Favourites />
              <RecentItems items={data.recent} />
              <NewestCharts references={references.data?.items} error={references.error} />
            </Grid.Col>
            <Grid.Col span={{ base: 12, md: 4 }}>
              <Attention overview={data} />
              <Summaries summaries={data.summaries} />
            </Grid.Col>
          </Grid>
        </>
      )}
    </>
  );
}

/** The latest summaries of automations. */
const Summaries = ({ summaries }: { summaries: Outputs["home"]["overview"]["summaries"] }) => (
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

const chartHeight = 140;
// The charts are loaded after the first paint.
const SmallChart = lazyPart(async () => (await import("../../charts/small-chart.tsx")).SmallChart);

interface NewestChartsProps {
  references: Outputs["references"]["list"]["items"] | undefined;
  error: unknown;
}

/** The newest references, each with its chart. In the product they are called charts. */
const NewestCharts = ({ references, error }: NewestChartsProps) => (
  <section aria-labelledby="references">
    <Title order={2} size="h4" mb="sm" id="references">
      Newest charts
    </Title>
    {Boolean(error) && <ErrorNotice error={error} />}
    {!references && !error && <Skeleton height={180} />}
    {references?.length === 0 && (
      <EmptyState
        title="Nothing is shared yet"
        description="A chart shows the result of a query as a picture or a table, under a link to share."
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
