import { Button, Group, Text, Title } from "@mantine/core";
import {
  IconArrowBackUp,
  IconArrowForwardUp,
  IconClock,
  IconFilter,
  IconHistory,
  IconPlus,
  IconTypography,
} from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { Suspense, useEffect, useState } from "react";
import { api, showChange, trpc } from "../../../api.ts";
import { toFailure } from "../../../errors/failure.ts";
import { isShortcut } from "../../../shortcuts/shortcuts.ts";
import { InlineText } from "../../../ui/inline-text.tsx";
import { lazyPart } from "../../../ui/lazy-part.tsx";
import classes from "../dashboard.module.css";
import type { Dashboard, Tab, Tile } from "../dashboard.ts";
import type { LoadedCharts } from "../use-loaded-charts.ts";
import { addTile, removeTile, usualSize } from "./arrange.ts";
import { EditGrid } from "./edit-grid.tsx";
import { EditTabs } from "./edit-tabs.tsx";
import { useEditing } from "./use-editing.ts";

const AddChartDialog = lazyPart(async () => (await import("./add-chart-dialog.tsx")).AddChartDialog);
const TextDialog = lazyPart(async () => (await import("./text-dialog.tsx")).TextDialog);
const ConflictDialog = lazyPart(async () => (await import("./conflict-dialog.tsx")).ConflictDialog);
const FiltersDialog = lazyPart(async () => (await import("./filters-dialog.tsx")).FiltersDialog);
const AutoRefreshDialog = lazyPart(async () => (await import("./auto-refresh-dialog.tsx")).AutoRefreshDialog);
const ClickDialog = lazyPart(async () => (await import("./click-dialog.tsx")).ClickDialog);
const VersionsDialog = lazyPart(async () => (await import("./versions-dialog.tsx")).VersionsDialog);

interface DashboardEditorProps {
  dashboard: Dashboard;
  loaded: LoadedCharts | undefined;
  tabId: string | undefined;
  onTab: (id: string) => void;
  onDone: () => void;
}

type TextTile = Extract<Tile, { kind: "text" }>;
type ChartTile = Extract<Tile, { kind: "chart" }>;
type Dialog =
  | { kind: "chart" | "versions" | "filters" | "autoRefresh" }
  | { kind: "text"; tile: TextTile | undefined }
  | { kind: "click"; tile: ChartTile };

const newTileId = () => crypto.randomUUID().slice(0, 8);

/** Arranges a dashboard. Every change is saved, and can be undone. */
export function DashboardEditor({ dashboard, loaded, tabId, onTab, onDone }: DashboardEditorProps) {
  const queries = useQueryClient();
  const editing = useEditing(dashboard);
  const [dialog, setDialog] = useState<Dialog>();
  const { tabs, filters } = editing.content;
  const tab = tabs.find(({ id }) => id === tabId) ?? tabs[0];
  const setTabs = (changed: Tab[]) => editing.change({ tabs: changed, filters });
  const setTiles = (tiles: Tile[]) =>
    setTabs(tabs.map((one) => (one.id === tab?.id ? { ...one, tiles } : one)));
  const close = () => setDialog(undefined);
  const add = (tile: Tile) => tab && setTiles(addTile(tab.tiles, tile));
  const saveText = (text: string) => {
    if (dialog?.kind !== "text" || !tab) return;
    const { tile } = dialog;
    if (tile) setTiles(tab.tiles.map((one) => (one.id === tile.id ? { ...tile, text } : one)));
    else add({ id: newTileId(), kind: "text", text, x: 0, y: 0, ...usualSize("text") });
  };
  const moveToTab = (tile: Tile, target: Tab) =>
    setTabs(
      tabs.map((one) => {
        if (one.id === target.id) return { ...one, tiles: addTile(one.tiles, tile) };
        return one.id === tab?.id ? { ...one, tiles: removeTile(one.tiles, tile.id) } : one;
      }),
    );
  const saveHead = async (changed: { title?: string; description?: string | null }) => {
    const { title, description } = await api.dashboards.update.mutate({ id: dashboard.id, ...changed });
    showChange(
      trpc.dashboards.get.queryKey({ id: dashboard.id }),
      (before) => before && { ...before, title, description },
    );
    void queries.invalidateQueries(trpc.library.pathFilter());
  };
  useUndoKeys(editing.undo, editing.redo);
  const done = async () => {
    await editing.save();
    onDone();
  };
  if (!tab) return null;
  return (
    <>
      <div className={classes.heading}>
        <div className={classes.title}>
          <InlineText value={dashboard.title} what="title" onSave={(title) => saveHead({ title })}>
            <Title order={1} size="h2">
              {dashboard.title}
            </Title>
          </InlineText>
        </div>
        <div className={classes.description}>
          <InlineText
            value={dashboard.description ?? ""}
            what="description"
            placeholder="What it shows, and for whom"
            isLong
            onSave={(text) => saveHead({ description: text.trim() === "" ? null : text })}
          >
            <Text c="dimmed">{dashboard.description ?? "No description"}</Text>
          </InlineText>
        </div>
        <Group gap="xs" className={classes.actions ?? ""}>
          <Button onClick={() => void done()}>Done</Button>
        </Group>
      </div>
      <div className={classes.toolbar}>
        <Button
          variant="default"
          size="xs"
          leftSection={<IconPlus size={14} />}
          onClick={() => setDialog({ kind: "chart" })}
        >
          Add a chart
        </Button>
        <Button
          variant="default"
          size="xs"
          leftSection={<IconTypography size={14} />}
          onClick={() => setDialog({ kind: "text", tile: undefined })}
        >
          Add a text
        </Button>
        <Button
          variant="default"
          size="xs"
          leftSection={<IconFilter size={14} />}
          onClick={() => setDialog({ kind: "filters" })}
        >
          Filters
        </Button>
        <Button
          variant="default"
          size="xs"
          leftSection={<IconClock size={14} />}
          onClick={() => setDialog({ kind: "autoRefresh" })}
        >
          Refresh by itself
        </Button>
        <Button
          variant="default"
          size="xs"
          leftSection={<IconArrowBackUp size={14} />}
          aria-disabled={!editing.undo}
          onClick={editing.undo}
        >
          Undo
        </Button>
        <Button
          variant="default"
          size="xs"
          leftSection={<IconArrowForwardUp size={14} />}
          aria-disabled={!editing.redo}
          onClick={editing.redo}
        >
          Redo
        </Button>
        <Button
          variant="default"
          size="xs"
          leftSection={<IconHistory size={14} />}
          onClick={() => setDialog({ kind: "versions" })}
        >
          Versions
        </Button>
        <SaveState {...editing} />
      </div>
      <EditTabs tabs={tabs} current={tab.id} onSelect={onTab} onChange={setTabs} />
      {tab.tiles.length === 0 && (
        <Text c="dimmed" my="lg">
          This tab is empty. Add a chart or a text.
        </Text>
      )}
      <EditGrid
        tab={tab}
        otherTabs={tabs.filter(({ id }) => id !== tab.id)}
        loaded={loaded}
        onChange={setTiles}
        onEditText={(tile) => setDialog({ kind: "text", tile })}
        onEditClick={(tile) => setDialog({ kind: "click", tile })}
        onMoveToTab={moveToTab}
      />
      <Suspense fallback={null}>
        {dialog?.kind === "chart" && (
          <AddChartDialog
            onClose={close}
            onAdd={({ id, size }) =>
              add({
                id: newTileId(),
                kind: "chart",
                referenceId: id,
                shows: "chart",
                x: 0,
                y: 0,
                ...usualSize(size),
              })
            }
          />
        )}
        {dialog?.kind === "text" && (
          <TextDialog text={dialog.tile?.text ?? ""} onClose={close} onSave={saveText} />
        )}
        {dialog?.kind === "filters" && (
          <FiltersDialog
            content={editing.content}
            charts={dashboard.charts}
            onClose={close}
            onSave={editing.change}
          />
        )}
        {dialog?.kind === "click" && (
          <ClickDialog
            tile={dialog.tile}
            chart={dashboard.charts.find(({ referenceId }) => referenceId === dialog.tile.referenceId)}
            filters={filters}
            onClose={close}
            onSave={(tile) => setTiles(tab.tiles.map((one) => (one.id === tile.id ? tile : one)))}
          />
        )}
        {dialog?.kind === "autoRefresh" && <AutoRefreshDialog dashboard={dashboard} onClose={close} />}
        {dialog?.kind === "versions" && (
          <VersionsDialog id={dashboard.id} onClose={close} onBringBack={editing.change} />
        )}
        {editing.state === "conflict" && (
          <ConflictDialog id={dashboard.id} onTakeTheirs={editing.takeTheirs} onKeepMine={editing.keepMine} />
        )}
      </Suspense>
    </>
  );
}

/** Says whether everything is saved. */
function SaveState({ state, isUnsaved, save }: ReturnType<typeof useEditing>) {
  if (state instanceof Error) {
    return (
      <Group gap="xs" role="alert">
        <Text size="sm" c="var(--qb-bad)">
          Not saved: {toFailure(state).message}
        </Text>
        <Button size="compact-sm" variant="default" onClick={() => void save()}>
          Try again
        </Button>
      </Group>
    );
  }
  return (
    <Text size="sm" c="dimmed" role="status">
      {state === "saved" && !isUnsaved ? "All changes are saved." : "Saving…"}
    </Text>
  );
}

/** Ctrl+Z and Ctrl+Shift+Z, before the same keys of the whole page. In a field they are the field's. */
function useUndoKeys(undo: (() => void) | undefined, redo: (() => void) | undefined): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const action = isShortcut(event, "undoChange")
        ? undo
        : isShortcut(event, "redoChange")
          ? redo
          : undefined;
      const isField = event.target instanceof HTMLElement && event.target.matches("input, textarea, select");
      if (!action || isField) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      action();
    };
    document.addEventListener("keydown", onKeyDown, { capture: true });
    return () => document.removeEventListener("keydown", onKeyDown, { capture: true });
  }, [undo, redo]);
}
