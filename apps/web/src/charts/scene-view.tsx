import {
  attributesOf,
  chartFont,
  clipAttributes,
  type Scene,
  type SceneNode,
  type ScenePoint,
} from "@querybell/charts";
import {
  type CSSProperties,
  type KeyboardEvent,
  type MouseEvent,
  memo,
  type PointerEvent,
  type ReactElement,
  useDeferredValue,
  useState,
} from "react";
import classes from "./chart.module.css";

interface SceneViewProps {
  scene: Scene;
  isSmall: boolean;
  /** Called with the category of a point that is clicked, or chosen with Enter. */
  onPick?: ((category: string) => void) | undefined;
}

/** A chart on the page: the pointer and the arrow keys show what a point stands for, and a table has all points. */
export function SceneView({ scene, isSmall, onPick }: SceneViewProps) {
  const [active, setActive] = useState<{ index: number; isSpoken: boolean }>();
  const point = active && scene.point(active.index);
  // The picture is painted first.
  const hasTable = useDeferredValue(!isSmall, false);
  const onPointer = (event: PointerEvent<SVGSVGElement>) => {
    const { left, top } = event.currentTarget.getBoundingClientRect();
    const index = scene.nearest(event.clientX - left, event.clientY - top);
    if (index !== active?.index) setActive(index === undefined ? undefined : { index, isSpoken: false });
  };
  const pick = (index: number | undefined) => {
    const category = index === undefined ? undefined : scene.point(index)?.category;
    if (category !== undefined) onPick?.(category);
  };
  const onClick = ({ clientX, clientY, currentTarget }: MouseEvent<SVGSVGElement>) => {
    const { left, top } = currentTarget.getBoundingClientRect();
    pick(scene.nearest(clientX - left, clientY - top));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter") pick(active?.index);
    const index = moveTo(event.key, active?.index, scene.pointCount);
    if (event.key === "Escape") setActive(undefined);
    if (index === undefined) return;
    event.preventDefault();
    setActive({ index, isSpoken: true });
  };
  const { width, height } = scene;
  return (
    <>
      <svg
        data-chart
        className={classes.drawing}
        width={width}
        height={height}
        viewBox={`0 0 ${width} ${height}`}
        fontFamily={chartFont}
        role={isSmall || scene.pointCount === 0 ? "img" : "application"}
        aria-label={scene.description}
        tabIndex={isSmall || scene.pointCount === 0 ? undefined : 0}
        aria-keyshortcuts={keysOf(scene, onPick)}
        data-pickable={onPick && point?.category !== undefined ? "" : undefined}
        onClick={onPick && onClick}
        onPointerMove={onPointer}
        onPointerDown={onPointer}
        onPointerLeave={() => setActive(undefined)}
        onKeyDown={onKeyDown}
        onBlur={() => setActive(undefined)}
      >
        {point?.cursor && <rect {...point.cursor} className={classes.cursor} />}
        <Nodes nodes={scene.nodes} />
        {point?.dots.map(({ x, y, color }, index) => (
          <circle key={index} cx={x} cy={y} r={4.5} fill={color} className={classes.dot} />
        ))}
      </svg>
      {point && <PointTooltip point={point} width={width} height={height} />}
      <div role="status" className={classes.hidden}>
        {active?.isSpoken && point && spokenText(point)}
      </div>
      {hasTable && <TableBehind scene={scene} />}
    </>
  );
}

const keysOf = ({ pointCount }: Scene, onPick: SceneViewProps["onPick"]): string | undefined =>
  pointCount === 0 ? undefined : `ArrowLeft ArrowRight Home End${onPick ? " Enter" : ""}`;

function moveTo(key: string, from: number | undefined, count: number): number | undefined {
  if (count === 0) return undefined;
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[key];
  if (step !== undefined) return from === undefined ? 0 : Math.min(count - 1, Math.max(0, from + step));
  return key === "Home" ? 0 : key === "End" ? count - 1 : undefined;
}

const spokenText = ({ title, rows, total }: ScenePoint): string =>
  [
    title,
    ...rows.map(({ name, text }) => `${name} ${text}`),
    ...(total === undefined ? [] : [`Total ${total}`]),
  ].join(", ");

const Nodes = memo(({ nodes }: { nodes: readonly SceneNode[] }) => nodes.map(drawNode));

/** Elements and not components: a chart has hundreds. */
function drawNode(node: SceneNode, key: number): ReactElement {
  switch (node.kind) {
    case "clip":
      return (
        // biome-ignore lint/a11y/noSvgWithoutTitle: a part of the chart, which has a name
        <svg key={key} {...clipAttributes(node)}>
          {node.nodes.map(drawNode)}
        </svg>
      );
    case "move":
      return (
        <g key={key} transform={`translate(${node.x} ${node.y})`}>
          {node.nodes.map(drawNode)}
        </g>
      );
    case "text":
      return (
        <text key={key} data-part={node.part} {...toProps(attributesOf(node))}>
          {node.text}
        </text>
      );
    case "circle":
      return <circle key={key} data-part={node.part} {...toProps(attributesOf(node))} />;
    case "path":
      return <path key={key} data-part={node.part} {...toProps(attributesOf(node))} />;
  }
}

type Attributes = Record<string, string | undefined>;

const propNames = new Map<string, string>();

/** The names of SVG as React has them: `strokeWidth`. */
function toProps(attributes: Attributes): Attributes {
  const props: Attributes = {};
  for (const name of Object.keys(attributes)) props[toPropName(name)] = attributes[name];
  return props;
}

function toPropName(name: string): string {
  const known = propNames.get(name);
  if (known !== undefined) return known;
  const propName = name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
  propNames.set(name, propName);
  return propName;
}

interface PointTooltipProps {
  point: ScenePoint;
  width: number;
  height: number;
}

/** Many series would make it longer than the page. */
const maxRows = 12;

function PointTooltip({ point, width, height }: PointTooltipProps) {
  const { title, rows, total, x, y } = point;
  const shown = rows.slice(0, maxRows);
  return (
    <div
      aria-hidden
      className={classes.tooltip}
      style={{
        top: Math.min(y, height * 0.6),
        ...placeBeside(x, width),
      }}
    >
      <div className={classes.tooltipTitle}>{title}</div>
      {shown.map(({ name, color, text }, index) => (
        <div key={index} className={classes.tooltipRow}>
          <svg width={8} height={8} aria-hidden>
            {color !== undefined && <circle cx={4} cy={4} r={4} fill={color} />}
          </svg>
          <span>{name}</span>
          <span className={classes.tooltipValue}>{text}</span>
        </div>
      ))}
      {rows.length > maxRows && <div>and {rows.length - maxRows} more</div>}
      {total !== undefined && (
        <div className={`${classes.tooltipRow} ${classes.tooltipTotal}`}>
          <svg width={8} height={8} aria-hidden />
          <span>Total</span>
          <span className={classes.tooltipValue}>{total}</span>
        </div>
      )}
    </div>
  );
}

/** A phone has no room beside the point: there it moves along with it, from edge to edge. */
function placeBeside(x: number, width: number): CSSProperties {
  const share = Math.round((x / width) * 100);
  if (width < narrow) return { left: `${share}%`, width: "max-content", transform: `translateX(-${share}%)` };
  return x > width / 2 ? { right: width - x + 12 } : { left: x + 12 };
}

const narrow = 480;

/** For those who cannot see the chart. */
const TableBehind = memo(({ scene }: { scene: Scene }) => {
  const { headings, rows, more } = scene.table();
  if (rows.length === 0) return null;
  return (
    <div className={classes.hidden}>
      <table>
        <caption>
          {scene.description}
          {more > 0 && ` ${more} more rows are not in this table.`}
        </caption>
        <thead>
          <tr>
            {headings.map((heading, index) => (
              <th key={index} scope="col">
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, index) => (
            <tr key={index}>
              {cells.map((cell, column) => (
                <td key={column}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
});
