import { Button, Paper, SimpleGrid, Text } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { getRouteApi } from "@tanstack/react-router";
import { Suspense, useState } from "react";
import { pluralize } from "../../format/pluralize.ts";
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

const NewDashboardDialog = lazyPart(
  async () => (await import("./new-dashboard-dialog.tsx")).NewDashboardDialog,
);

const route = getRouteApi("/app/dashboards");

/** The dashboards of the organization, in folders. */
export function DashboardsPage() {
  const navigate = route.useNavigate();
  const search = route.useSearch();
  const { isMember } = useMe();
  const [isCreating, setCreating] = useState(false);
  const create = () => setCreating(true);
  return (
    <>
      <PageHeader title="Dashboards" description="Charts, numbers and texts on one page.">
        {isMember && (
          <Button leftSection={<IconPlus size={16} />} onClick={create}>
            New dashboard
          </Button>
        )}
      </PageHeader>
      <LibraryPage
        kind={libraryKinds.dashboard}
        search={search}
        onChange={(changed) => void navigate({ search: changed, replace: true })}
        searchLabel="Search titles and descriptions"
        empty={
          <EmptyState
            title="No dashboards yet"
            description="A dashboard shows charts side by side, for every member to open."
          >
            {isMember && <Button onClick={create}>Make the first dashboard</Button>}
          </EmptyState>
        }
      >
        {(dashboards, selection) => (
          <SimpleGrid cols={{ base: 1, sm: 2, xl: 3 }}>
            {dashboards.map((dashboard) => (
              <Paper
                key={dashboard.id}
                withBorder
                p="md"
                component="article"
                draggable
                onDragStart={(event) => dragItems(event.dataTransfer, selection.draggedWith(dashboard))}
              >
                <div className={libraryClasses.itemHead}>
                  <SelectItem item={dashboard} selection={selection} />
                  <AnchorTo
                    to="/dashboards/$dashboardId"
                    params={{ dashboardId: dashboard.id }}
                    fw={600}
                    underline="hover"
                    className={libraryClasses.itemTitle ?? ""}
                  >
                    {dashboard.title}
                  </AnchorTo>
                  <FavouriteButton item={dashboard} />
                  <ItemMenu item={dashboard} />
                </div>
                <Text size="sm" c="dimmed" lineClamp={2}>
                  {dashboard.description}
                </Text>
                <Text size="sm" c="dimmed">
                  {pluralize(dashboard.charts, "chart")}, changed{" "}
                  <Timestamp at={dashboard.updatedAt} format="relative" />
                </Text>
              </Paper>
            ))}
          </SimpleGrid>
        )}
      </LibraryPage>
      <Suspense fallback={null}>
        {isCreating && (
          <NewDashboardDialog folderId={search.folder ?? null} onClose={() => setCreating(false)} />
        )}
      </Suspense>
    </>
  );
}
