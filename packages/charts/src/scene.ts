import { inDark } from "./palette.ts";
import type { FontWeight } from "./text-width.ts";

/** What a chart looks like: marks and texts at their places, independent of who draws them. */
export interface Scene {
  width: number;
  height: number;
  nodes: SceneNode[];
  /** A sentence for those who cannot see it. */
  description: string;
  /** What the reader should know about the data, in sentences. */
  notes: string[];
  /** The points that can be looked at: categories, points of a scatter chart or slices. */
  pointCount: number;
  /** The point nearest to a position. */
  nearest(x: number, y: number): number | undefined;
  /** What is shown about a point. */
  point(index: number): ScenePoint | undefined;
  /** The drawn data as a table. */
  table(): SceneTable;
}

export type SceneNode = PathNode | TextNode | CircleNode | ClipNode | MoveNode;

/** What a node is, for style sheets and tests. */
type Part =
  | "grid"
  | "axis"
  | "bar"
  | "line"
  | "area"
  | "point"
  | "slice"
  | "label"
  | "reference"
  | "legend"
  | "title";

interface Look {
  part: Part;
  fill?: string | undefined;
  fillOpacity?: number | undefined;
  stroke?: string | undefined;
  strokeWidth?: number | undefined;
  strokeDasharray?: string | undefined;
  opacity?: number | undefined;
  lineCap?: "round" | undefined;
}

export interface PathNode extends Look {
  kind: "path";
  d: string;
}

export interface CircleNode extends Look {
  kind: "circle";
  x: number;
  y: number;
  r: number;
}

/** What is drawn at another place. */
interface MoveNode {
  kind: "move";
  x: number;
  y: number;
  nodes: SceneNode[];
}

/** What is drawn within a rectangle only. */
export interface ClipNode {
  kind: "clip";
  x: number;
  y: number;
  width: number;
  height: number;
  nodes: SceneNode[];
}

export interface TextNode {
  kind: "text";
  part: Part;
  x: number;
  /** The baseline. */
  y: number;
  text: string;
  size: number;
  fill: string;
  anchor: "start" | "middle" | "end";
  weight?: FontWeight | undefined;
  /** In degrees, around its place. */
  rotate?: number | undefined;
  /** The colour behind the letters, where they stand on marks. */
  halo?: string | undefined;
}

export interface ScenePoint {
  title: string;
  /** The category as the data has it. Undefined without one, and for several that are added up. */
  category: string | undefined;
  rows: { name: string; color: string | undefined; text: string }[];
  total: string | undefined;
  /** Where the tooltip points to. */
  x: number;
  y: number;
  /** The band or line behind the point. */
  cursor: { x: number; y: number; width: number; height: number } | undefined;
  /** The marks of the point. */
  dots: { x: number; y: number; color: string }[];
}

export interface SceneTable {
  headings: string[];
  rows: string[][];
  /** How many rows are left out. */
  more: number;
}

/** The colours of a scheme: values for files, or CSS variables for the page. */
export interface ChartTheme {
  text: string;
  dimmed: string;
  grid: string;
  axis: string;
  background: string;
  /** What a colour of the chart is in this scheme. */
  mark(color: string): string;
}

/** As in colors.css of the web app. */
export const lightTheme: ChartTheme = {
  text: "#1d2233",
  dimmed: "#565b6b",
  grid: "#dfdacd",
  axis: "#8b8778",
  background: "#ffffff",
  mark: (color) => color,
};

export const darkTheme: ChartTheme = {
  text: "#eceae4",
  dimmed: "#a9adba",
  grid: "#333849",
  axis: "#767c90",
  background: "#1a1d28",
  mark: inDark,
};

export const emptyScene = (size: { width: number; height: number }, theme: ChartTheme): Scene => ({
  ...size,
  nodes: [
    {
      kind: "text",
      part: "label",
      x: size.width / 2,
      y: size.height / 2,
      text: "No data to draw",
      size: 13,
      fill: theme.dimmed,
      anchor: "middle",
    },
  ],
  description: "No data to draw.",
  notes: [],
  pointCount: 0,
  nearest: () => undefined,
  point: () => undefined,
  table: () => ({ headings: [], rows: [], more: 0 }),
});
