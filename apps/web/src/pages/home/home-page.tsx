import { Grid, Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { trpc } from "../../api.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { useMe } from "../../session/me.ts";
import { PageHeader } from "../../ui/page-header.tsx";
import { Attention } from "./attention.tsx";
import { FirstSteps } from "./first-steps.tsx";
import { RecentReferences } from "./recent-references.tsx";
import { Summaries } from "./summaries.tsx";

export function HomePage() {
  const { user, organization, isAdmin } = useMe();
  const { data, error, refetch } = useQuery(trpc.home.overview.queryOptions());
  const references = useQuery(trpc.references.list.queryOptions({ limit: 6 }));
  return (
    <>
      <PageHeader title={`Hello, ${user.name}`} description={`What is new in ${organization.name}.`} />
      {error && <ErrorNotice error={error} onRetry={refetch} />}
      {!data && !error && <Skeleton height={320} />}
      {data && (
        <>
          <FirstSteps overview={data} isAdmin={isAdmin} />
          <Grid gap="lg">
            <Grid.Col span={{ base: 12, md: 8 }}>
              <RecentReferences references={references.data?.items} error={references.error} />
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
