import { Button, Group, Menu, Skeleton, Text, Title, useComputedColorScheme } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { IconPencil, IconRefresh } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Suspense, useState } from "react";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { toFailure } from "../../errors/failure.ts";
import { NotFound } from "../../errors/not-found.tsx";
import { LoadingFrame } from "../../frame/frames.tsx";
import { PageActions } from "../../library/page-actions.tsx";
import type { ValueTexts } from "../../parameters/parameter-values.ts";
import { toValueSearch, valuesInSearch } from "../../parameters/value-search.ts";
import { earlyAnswer } from "../../results/request-results.ts";
import { useMe } from "../../session/me.ts";
import { CopyButton } from "../../ui/copyable.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { useRecordOpened } from "../home/use-record-opened.ts";
import classes from "./dashboard.module.css";
import type { Dashboard, Tab } from "./dashboard.ts";
import { DashboardGrid } from "./dashboard-grid.tsx";
import { dashboardOptions } from "./dashboard-options.ts";
import { RefreshBar } from "./refresh-bar.tsx";
import { useLoadedCharts } from "./use-loaded-charts.ts";
import { useRefresh } from "./use-refresh.ts";

const FilterBar = lazyPart(async () => (await import("./filter-bar.tsx")).FilterBar);
const ScreenDialog = lazyPart(async () => (await import("./screen-dialog.tsx")).ScreenDialog);
const DashboardEditor = lazyPart(async () => (await import("./edit/dashboard-editor.tsx")).DashboardEditor);

/** The first page of a window is drawn once, with its results, unless they take long. */
export const waitForEarlyResults = (): Promise<void> => earlyAnswer(300);

const route = getRouteApi("/app/dashboards/$dashboardId");

const scheduledPollMs = 60_000;

/** The page of a dashboard: to look at and, with `?edit=true`, to arrange. */
export function DashboardPage() {
  const { dashboardId: id } = route.useParams();
  const search = route.useSearch();
  // It is arranged with the defaults of its filters.
  const values = search.edit ? {} : valuesInSearch(search);
  const found = useQuery({
    ...dashboardOptions(id, values),
    placeholderData: keepPreviousData,
    // Shows what its schedule refreshes while it is open.
    refetchInterval: ({ state }) => (state.data?.nextRefreshAt && !search.edit ? scheduledPollMs : false),
  });
  const { error, refetch } = found;
  const dashboard = found.data?.id === id ? found.data : undefined;
  useRecordOpened("dashboard", dashboard?.id);
  if (!dashboard && error) {
    const { code } = toFailure(error);
    return code === "not_found" || code === "invalid_request" ? (
      <NotFound />
    ) : (
      <ErrorNotice error={error} onRetry={refetch} />
    );
  }
  if (!dashboard) return <LoadingFrame />;
  return <Shown dashboard={dashboard} values={values} isOfOtherValues={found.isPlaceholderData} />;
}

interface ShownProps {
  dashboard: Dashboard;
  /** Of its filters, as the address has them. */
  values: ValueTexts;
  /** Whether the dashboard is still that of the values before. */
  isOfOtherValues: boolean;
}

function Shown({ dashboard, values, isOfOtherValues }: ShownProps) {
  const { edit, tab: tabId } = route.useSearch();
  const navigate = route.useNavigate();
  const { isMember } = useMe();
  const [isOnScreen, setOnScreen] = useState(false);
  const { loaded, error, retry } = useLoadedCharts(dashboard, isOfOtherValues ? undefined : values);
  const refresh = useRefresh(dashboard, { values, isOfOtherValues });
  const mayEdit = isMember && dashboard.mayEdit;
  useDocumentTitle(`${dashboard.title} · Querybell`);
  const setEditing = (isEditing: boolean) =>
    void navigate({
      search: ({ tab }) => ({ ...(tab !== undefined && { tab }), ...(isEditing && { edit: true }) }),
    });
  const showValues = (chosen: ValueTexts) =>
    void navigate({
      search: ({ tab }) => ({ ...(tab !== undefined && { tab }), ...toValueSearch(chosen) }),
      resetScroll: false,
    });
  if (edit && mayEdit) {
    return (
      <Suspense fallback={<Skeleton height={400} />}>
        <DashboardEditor
          dashboard={dashboard}
          loaded={loaded}
          tabId={tabId}
          onTab={(tab) => void navigate({ search: { tab, edit: true }, replace: true })}
          onDone={() => setEditing(false)}
        />
      </Suspense>
    );
  }
  const { tabs, filters } = dashboard.content;
  const tab = tabs.find(({ id }) => id === tabId) ?? tabs[0];
  return (
    <>
      <div className={classes.heading}>
        <Title order={1} size="h2" className={classes.title ?? ""}>
          {dashboard.title}
        </Title>
        {dashboard.description !== null && (
          <Text c="dimmed" className={classes.description ?? ""}>
            {dashboard.description}
          </Text>
        )}
        {dashboard.charts.length > 0 && (
          <div className={classes.state}>
            <RefreshBar dashboard={dashboard} loaded={loaded} refresh={refresh} values={values} />
          </div>
        )}
        <Group gap="xs" className={classes.actions ?? ""}>
          {dashboard.charts.length > 0 && (
            <Button
              leftSection={<IconRefresh size={16} />}
              aria-disabled={refresh.isRefreshing}
              onClick={() => {
                if (!refresh.isRefreshing) void refresh.start();
              }}
            >
              Refresh
            </Button>
          )}
          <CopyButton value={location.href} what="the link" />
          {mayEdit && (
            <Button variant="default" leftSection={<IconPencil size={16} />} onClick={() => setEditing(true)}>
              Edit
            </Button>
          )}
          <PageActions kind="dashboard" id={dashboard.id} title={dashboard.title}>
            <Menu.Item onClick={() => setOnScreen(true)}>Show on a screen</Menu.Item>
            <Menu.Item onClick={() => window.print()}>Print, or save as PDF</Menu.Item>
            {tabs.some(({ tiles }) => tiles.length > 0) && <PictureItem id={dashboard.id} values={values} />}
          </PageActions>
        </Group>
      </div>
      {isOnScreen && (
        <Suspense fallback={null}>
          <ScreenDialog
            dashboardId={dashboard.id}
            hasTabs={tabs.length > 1}
            values={values}
            onClose={() => setOnScreen(false)}
          />
        </Suspense>
      )}
      {error ? <ErrorNotice error={error} onRetry={retry} /> : null}
      {filters.definitions.length > 0 && (
        <Suspense fallback={<Skeleton height={76} mb="md" />}>
          <FilterBar filters={filters} values={values} errors={dashboard.filterErrors} onShow={showValues} />
        </Suspense>
      )}
      {tabs.length > 1 && <TabBar tabs={tabs} current={tab?.id} values={values} />}
      {tab && tab.tiles.length > 0 ? (
        <DashboardGrid
          tiles={tab.tiles}
          loaded={loaded}
          filtering={{ values, filters, onShow: showValues, isRefreshing: refresh.isRefreshing }}
        />
      ) : (
        <EmptyState
          title="Nothing on it yet"
          description="A dashboard shows charts, numbers, tables and texts side by side."
        >
          {mayEdit && <Button onClick={() => setEditing(true)}>Add the first tile</Button>}
        </EmptyState>
      )}
    </>
  );
}

/** In a component of its own, which is drawn when the menu opens: the browser takes long to say its language and zone. */
function PictureItem({ id, values }: { id: string; values: ValueTexts }) {
  const scheme = useComputedColorScheme("light");
  const { locale, timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  const query = new URLSearchParams({ scheme, locale, timeZone, ...toValueSearch(values) });
  return (
    <Menu.Item component="a" href={`/api/dashboards/${id}/picture.png?${query}`} download>
      Download a picture
    </Menu.Item>
  );
}

interface TabBarProps {
  tabs: readonly Tab[];
  current: string | undefined;
  values: ValueTexts;
}

/** The tabs as links: each has its own address. */
const TabBar = ({ tabs, current, values }: TabBarProps) => (
  <nav className={classes.tabs} aria-label="Tabs of the dashboard">
    {tabs.map(({ id, title }) => (
      <Link
        key={id}
        from="/dashboards/$dashboardId"
        to="."
        search={{ tab: id, ...toValueSearch(values) }}
        activeOptions={{ exact: true, includeSearch: true }}
        className={classes.tab ?? ""}
        {...(id === current && { "aria-current": "page" as const })}
      >
        {title}
      </Link>
    ))}
  </nav>
);
