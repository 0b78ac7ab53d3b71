import { coordinate } from "./curves.ts";
import type { CircleNode, ClipNode, PathNode, Scene, SceneNode, TextNode } from "./scene.ts";

/** The font of charts, and what stands in where it is missing. */
export const chartFont = "Inter, system-ui, sans-serif";

const escapes: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Without the characters that XML does not allow. */
const escapeXml = (text: string): string =>
  text
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what XML does not allow
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu, "\ufffd")
    .replace(/[&<>"']/g, (letter) => escapes[letter] ?? letter);

type Attributes = Record<string, string | undefined>;

/** Numbers with as many digits as can be seen. */
const rounded = (attributes: Record<string, string | number | undefined>): Attributes =>
  Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [
      name,
      typeof value === "number" ? coordinate(value) : value,
    ]),
  );

const write = (attributes: Attributes): string =>
  Object.entries(attributes)
    .flatMap(([name, value]) => (value === undefined ? [] : [` ${name}="${escapeXml(value)}"`]))
    .join("");

/** The attributes of a node, under their names in SVG. */
export function attributesOf(node: PathNode | CircleNode | TextNode): Attributes {
  if (node.kind === "text") {
    return rounded({
      x: node.x,
      y: node.y,
      "font-size": node.size,
      fill: node.fill,
      "text-anchor": node.anchor,
      "font-weight": node.weight,
      transform:
        node.rotate === undefined
          ? undefined
          : `rotate(${node.rotate} ${coordinate(node.x)} ${coordinate(node.y)})`,
      ...(node.halo !== undefined && {
        stroke: node.halo,
        "stroke-width": 3,
        "stroke-linejoin": "round",
        "paint-order": "stroke",
      }),
    });
  }
  return rounded({
    ...(node.kind === "path" ? { d: node.d } : { cx: node.x, cy: node.y, r: node.r }),
    fill: node.fill ?? "none",
    "fill-opacity": node.fillOpacity,
    stroke: node.stroke,
    "stroke-width": node.strokeWidth,
    "stroke-dasharray": node.strokeDasharray,
    "stroke-linecap": node.lineCap,
    "stroke-linejoin": node.lineCap,
    opacity: node.opacity,
  });
}

/** The attributes of a nested `svg`, which clips what is in it. Lines at its edge are not cut in half. */
export function clipAttributes({ x, y, width, height }: ClipNode): Attributes {
  const box = {
    x: x - clipMargin,
    y: y - clipMargin,
    width: width + 2 * clipMargin,
    height: height + 2 * clipMargin,
  };
  return rounded({ ...box, viewBox: [box.x, box.y, box.width, box.height].map(coordinate).join(" ") });
}

const clipMargin = 3;

function toElement(node: SceneNode): string {
  if (node.kind === "clip")
    return `<svg${write(clipAttributes(node))}>${node.nodes.map(toElement).join("\n")}</svg>`;
  if (node.kind === "move")
    return `<g transform="translate(${node.x} ${node.y})">${node.nodes.map(toElement).join("\n")}</g>`;
  if (node.kind === "text") return `<text${write(attributesOf(node))}>${escapeXml(node.text)}</text>`;
  return `<${node.kind}${write(attributesOf(node))}/>`;
}

/** A scene as the text of an SVG file. Without style attributes, scripts and references. */
export function toSvg(
  { width, height, nodes, description }: Pick<Scene, "width" | "height" | "nodes" | "description">,
  background: string,
): string {
  const size = write(rounded({ width, height, viewBox: `0 0 ${width} ${height}` }));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg"${size} font-family="${chartFont}" role="img">`,
    `<title>${escapeXml(description)}</title>`,
    `<rect width="100%" height="100%" fill="${escapeXml(background)}"/>`,
    ...nodes.map(toElement),
    "</svg>",
  ].join("\n");
}
