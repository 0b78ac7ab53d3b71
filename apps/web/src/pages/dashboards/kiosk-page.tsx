import { Text, Title } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { useOnReconnect } from "../../frame/connection.ts";
import { LoadingFrame } from "../../frame/frames.tsx";
import type { ValueTexts } from "../../parameters/parameter-values.ts";
import { toValueSearch, valuesInSearch } from "../../parameters/value-search.ts";
import { AnchorTo } from "../../ui/links.tsx";
import classes from "./dashboard.module.css";
import { type Dashboard, inReadingOrder } from "./dashboard.ts";
import { dashboardOptions } from "./dashboard-options.ts";
import { Instants } from "./refresh-bar.tsx";
import { TileFrame } from "./tile-frame.tsx";
import { useLoadedCharts } from "./use-loaded-charts.ts";
import { useRefresh } from "./use-refresh.ts";

const route = getRouteApi("/app/dashboards/$dashboardId/kiosk");

/** How often it looks for a new version and new results. */
const pollEveryMs = 10_000;

/** A dashboard for a screen on the wall: it follows new versions and results, and goes on after a lost connection. */
export function KioskPage() {
  const { dashboardId: id } = route.useParams();
  const { rotate, refresh, ...search } = route.useSearch();
  const values = valuesInSearch(search);
  const { data, error, refetch } = useQuery({
    ...dashboardOptions(id, values),
    refetchInterval: pollEveryMs,
    refetchIntervalInBackground: true,
  });
  useOnReconnect(() => void refetch());
  if (!data) return error ? <ErrorNotice error={error} onRetry={refetch} /> : <LoadingFrame />;
  return <Shown dashboard={data} values={values} rotate={rotate} refresh={refresh} />;
}

interface ShownProps {
  dashboard: Dashboard;
  values: ValueTexts;
  rotate: number | undefined;
  refresh: number | undefined;
}

function Shown({ dashboard, values, rotate, refresh }: ShownProps) {
  const { loaded, retry, error } = useLoadedCharts(dashboard, values);
  const { start, isRefreshing } = useRefresh(dashboard, { values, isOfOtherValues: false });
  const [turn, setTurn] = useState(0);
  useEvery(rotate, () => setTurn((before) => before + 1));
  useEvery(refresh, () => {
    if (error) retry();
    if (!isRefreshing) void start();
  });
  useDocumentTitle(`${dashboard.title} · Querybell`);
  const { tabs } = dashboard.content;
  const tab = tabs[turn % tabs.length];
  return (
    <>
      <div className={classes.kiosk}>
        <Title order={1} size="h2">
          {dashboard.title}
          {tabs.length > 1 && `: ${tab?.title}`}
        </Title>
        <Text size="sm" c="dimmed" component="span">
          {loaded && <Instants {...loaded} />}
        </Text>
        <AnchorTo
          to="/dashboards/$dashboardId"
          params={{ dashboardId: dashboard.id }}
          search={toValueSearch(values)}
          size="sm"
          c="dimmed"
          onClick={() => void (document.fullscreenElement && document.exitFullscreen())}
        >
          Close
        </AnchorTo>
      </div>
      <div className={classes.grid}>
        {inReadingOrder(tab?.tiles ?? []).map((tile) => (
          <TileFrame
            key={tile.id}
            tile={tile}
            loaded={loaded}
            // Nobody opens a menu on a wall.
            {...(tile.kind === "chart" && { tools: <span /> })}
          />
        ))}
      </div>
    </>
  );
}

/** Calls the function each time that so many seconds have passed. */
function useEvery(seconds: number | undefined, callback: () => void): void {
  const latest = useRef(callback);
  latest.current = callback;
  useEffect(() => {
    if (seconds === undefined) return;
    const timer = setInterval(() => latest.current(), seconds * 1000);
    return () => clearInterval(timer);
  }, [seconds]);
}
