import { Button, Paper, SimpleGrid, Text } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { getRouteApi } from "@tanstack/react-router";
import { Suspense, useState } from "react";
import { SmallChart } from "../../charts/small-chart.tsx";
import { dragItems } from "../../library/drag.ts";
import { FavouriteButton } from "../../library/favourite-button.tsx";
import { ItemMenu } from "../../library/item-menu.tsx";
import libraryClasses from "../../library/library.module.css";
import { libraryKinds } from "../../library/library-kinds.ts";
import { LibraryPage } from "../../library/library-page.tsx";
import { SelectItem } from "../../library/selection.tsx";
import { useMe } from "../../session/me.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { AnchorTo } from "../../ui/links.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Timestamp } from "../../ui/timestamp.tsx";

const NewChartDialog = lazyPart(async () => (await import("./new-chart-dialog.tsx")).NewChartDialog);

const route = getRouteApi("/app/charts");

/** The charts of the organization, in folders. The api calls them references. */
export function ChartsPage() {
  const navigate = route.useNavigate();
  const { isMember } = useMe();
  const [isCreating, setCreating] = useState(false);
  const create = () => setCreating(true);
  return (
    <>
      <PageHeader title="Charts" description="Charts and tables with a link each, for every member to open.">
        {isMember && (
          <Button leftSection={<IconPlus size={16} />} onClick={create}>
            New chart
          </Button>
        )}
      </PageHeader>
      <LibraryPage
        kind={libraryKinds.reference}
        search={route.useSearch()}
        onChange={(search) => void navigate({ search, replace: true })}
        searchLabel="Search titles and descriptions"
        empty={
          <EmptyState
            title="No charts yet"
            description="A chart shows the result of a query as a picture or a table, under a short link to share."
          >
            <Button onClick={create}>Make the first chart</Button>
          </EmptyState>
        }
      >
        {(charts, selection) => (
          <SimpleGrid cols={{ base: 1, sm: 2, xl: 3 }}>
            {charts.map((chart) => (
              <Paper
                key={chart.id}
                withBorder
                p="md"
                component="article"
                draggable
                onDragStart={(event) => dragItems(event.dataTransfer, selection.draggedWith(chart))}
              >
                <div className={libraryClasses.itemHead}>
                  <SelectItem item={chart} selection={selection} />
                  <AnchorTo
                    to="/q/$shortId"
                    params={{ shortId: chart.shortId }}
                    fw={600}
                    underline="hover"
                    className={libraryClasses.itemTitle ?? ""}
                  >
                    {chart.title}
                  </AnchorTo>
                  <FavouriteButton item={chart} />
                  <ItemMenu item={chart} />
                </div>
                <Text size="sm" c="dimmed" lineClamp={1} mb="xs">
                  {chart.description ?? <Timestamp at={chart.updatedAt} format="relative" />}
                </Text>
                <SmallChart shortId={chart.shortId} height={140} />
              </Paper>
            ))}
          </SimpleGrid>
        )}
      </LibraryPage>
      <Suspense fallback={null}>
        {isCreating && <NewChartDialog onClose={() => setCreating(false)} />}
      </Suspense>
    </>
  );
}
