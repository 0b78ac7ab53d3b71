import { ActionIcon, Menu, Tooltip, VisuallyHidden } from "@mantine/core";
import { IconDots, IconGripVertical } from "@tabler/icons-react";
import { type KeyboardEvent, useRef, useState } from "react";
import classes from "../dashboard.module.css";
import { inReadingOrder, type Tab, type Tile } from "../dashboard.ts";
import { TileFrame, tileName, useIsPhone } from "../tile-frame.tsx";
import type { LoadedCharts } from "../use-loaded-charts.ts";
import { moveTile, removeTile, resizeTile } from "./arrange.ts";
import { useHolding } from "./use-holding.ts";

interface EditGridProps {
  tab: Tab;
  /** The other tabs, to which a tile can be moved. */
  otherTabs: readonly Tab[];
  loaded: LoadedCharts | undefined;
  onChange: (tiles: Tile[]) => void;
  onEditText: (tile: Extract<Tile, { kind: "text" }>) => void;
  onEditClick: (tile: Extract<Tile, { kind: "chart" }>) => void;
  onMoveToTab: (tile: Tile, tab: Tab) => void;
}

const directions = { ArrowUp: "up", ArrowDown: "down", ArrowLeft: "left", ArrowRight: "right" } as const;
const isArrow = (key: string): key is keyof typeof directions => key in directions;

/** The tiles of a tab, to arrange: by dragging and, from the handle of a tile, with the arrow keys. */
export function EditGrid(props: EditGridProps) {
  const { tab, otherTabs, loaded, onChange, onEditText, onEditClick, onMoveToTab } = props;
  const grid = useRef<HTMLDivElement>(null);
  const isPhone = useIsPhone();
  const [said, setSaid] = useState("");
  const { held, handlers } = useHolding({ grid, tiles: tab.tiles, onChange });
  const tiles = held?.tiles ?? tab.tiles;
  const onKeyDown = (event: KeyboardEvent, tile: Tile) => {
    if (event.key === "Delete") return onChange(removeTile(tab.tiles, tile.id));
    if (!isArrow(event.key)) return;
    event.preventDefault();
    const step = event.shiftKey ? resizeTile : moveTile;
    const changed = step(tab.tiles, tile, directions[event.key]);
    onChange(changed);
    const now = changed.find(({ id }) => id === tile.id) ?? tile;
    setSaid(`Column ${now.x + 1}, row ${now.y + 1}, ${now.w} wide, ${now.h} high.`);
  };
  const setShows = (tile: Tile, shows: "chart" | "table") =>
    onChange(tab.tiles.map((one) => (one.id === tile.id && one.kind === "chart" ? { ...one, shows } : one)));
  return (
    <>
      <VisuallyHidden role="status">{said}</VisuallyHidden>
      <div className={classes.grid} ref={grid} data-holding={held ? "" : undefined}>
        {inReadingOrder(tiles).map((tile) => {
          const name = tileName(tile, loaded);
          return (
            <TileFrame
              key={tile.id}
              tile={tile}
              loaded={loaded}
              data-editing=""
              data-held={held?.id === tile.id ? "" : undefined}
              tools={
                <span>
                  <Tooltip label="Drag it, or move it with the arrow keys; with Shift they resize it">
                    <ActionIcon
                      variant="subtle"
                      color="gray"
                      className={classes.handle ?? ""}
                      aria-label={`Move ${name}`}
                      onKeyDown={(event) => onKeyDown(event, tile)}
                      {...(isPhone ? {} : handlers(tile, false))}
                    >
                      <IconGripVertical size={16} />
                    </ActionIcon>
                  </Tooltip>
                  <Menu position="bottom-end">
                    <Menu.Target>
                      <ActionIcon variant="subtle" color="gray" aria-label={`Change ${name}`}>
                        <IconDots size={16} />
                      </ActionIcon>
                    </Menu.Target>
                    <Menu.Dropdown>
                      {tile.kind === "text" && (
                        <Menu.Item onClick={() => onEditText(tile)}>Edit the text</Menu.Item>
                      )}
                      {tile.kind === "chart" && (
                        <Menu.Item onClick={() => setShows(tile, tile.shows === "table" ? "chart" : "table")}>
                          {tile.shows === "table" ? "Show the chart" : "Show its rows as a table"}
                        </Menu.Item>
                      )}
                      {tile.kind === "chart" && tile.shows === "chart" && (
                        <Menu.Item onClick={() => onEditClick(tile)}>What a click does</Menu.Item>
                      )}
                      {otherTabs.map((other) => (
                        <Menu.Item key={other.id} onClick={() => onMoveToTab(tile, other)}>
                          {`Move to “${other.title}”`}
                        </Menu.Item>
                      ))}
                      <Menu.Item
                        color="var(--qb-bad)"
                        onClick={() => onChange(removeTile(tab.tiles, tile.id))}
                      >
                        Remove
                      </Menu.Item>
                    </Menu.Dropdown>
                  </Menu>
                </span>
              }
              corner={!isPhone && <span className={classes.resize} aria-hidden {...handlers(tile, true)} />}
            />
          );
        })}
      </div>
    </>
  );
}
