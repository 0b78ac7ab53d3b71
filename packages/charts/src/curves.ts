export interface Point {
  x: number;
  y: number;
}

export type Curve = "linear" | "monotone" | "step" | "stepBefore" | "stepAfter";

export const toCurve = (type: unknown): Curve => {
  if (type === "monotone" || type === "monotoneX" || type === "natural" || type === "basis")
    return "monotone";
  return type === "step" || type === "stepBefore" || type === "stepAfter" ? type : "linear";
};

/** A coordinate with as many digits as can be seen. */
export const coordinate = (value: number): string => String(Math.round(value * 100) / 100);

const at = ({ x, y }: Point): string => `${coordinate(x)},${coordinate(y)}`;

/** The path through some points. `isUpright`: the values run along x, as in a chart of horizontal bars. */
export function curvePath(points: readonly Point[], curve: Curve, start: "M" | "L" = "M"): string {
  const [first, ...rest] = points;
  if (!first) return "";
  const begin = `${start}${at(first)}`;
  switch (curve) {
    case "linear":
      return begin + rest.map((point) => `L${at(point)}`).join("");
    case "monotone":
      return begin + monotone(points);
    default:
      return begin + rest.map((point, index) => stepTo(points[index] ?? first, point, curve)).join("");
  }
}

function stepTo(from: Point, to: Point, curve: "step" | "stepBefore" | "stepAfter"): string {
  const middle = curve === "step" ? (from.x + to.x) / 2 : curve === "stepBefore" ? from.x : to.x;
  return `H${coordinate(middle)}V${coordinate(to.y)}H${coordinate(to.x)}`;
}

/** Cubic curves that never pass beyond the values of their ends (Fritsch and Carlson, as in d3's monotoneX). */
function monotone(points: readonly Point[]): string {
  const tangents = points.map((point, index) => tangentAt(points, index, point));
  let path = "";
  for (let index = 1; index < points.length; index++) {
    const [from, to] = [points[index - 1], points[index]];
    if (!from || !to) continue;
    const third = (to.x - from.x) / 3;
    const one = { x: from.x + third, y: from.y + third * (tangents[index - 1] ?? 0) };
    const other = { x: to.x - third, y: to.y - third * (tangents[index] ?? 0) };
    path += `C${at(one)} ${at(other)} ${at(to)}`;
  }
  return path;
}

function tangentAt(points: readonly Point[], index: number, point: Point): number {
  const [before, after] = [points[index - 1], points[index + 1]];
  const slope = (from: Point, to: Point) => (to.x === from.x ? 0 : (to.y - from.y) / (to.x - from.x));
  if (!before || !after) {
    const [from, to] = before ? [before, point] : [point, after ?? point];
    const inner = slope(from, to);
    const [further, own] = before ? [points[index - 2], from] : [points[index + 2], to];
    if (!further || !own) return inner;
    const neighbour = before
      ? tangentAt(points, index - 1, before)
      : after
        ? tangentAt(points, index + 1, after)
        : 0;
    return (3 * inner - neighbour) / 2;
  }
  const [left, right] = [slope(before, point), slope(point, after)];
  const [h0, h1] = [point.x - before.x, after.x - point.x];
  const middle = (left * h1 + right * h0) / (h0 + h1 || 1);
  return (
    (Math.sign(left) + Math.sign(right)) *
      Math.min(Math.abs(left), Math.abs(right), 0.5 * Math.abs(middle)) || 0
  );
}

/** At most four points for each pixel: the first, the smallest, the largest and the last. Looks the same. */
export function thinOut(points: readonly Point[], width: number): readonly Point[] {
  if (points.length <= width * 4) return points;
  const kept: Point[] = [];
  let from = 0;
  while (from < points.length) {
    const column = Math.floor(points[from]?.x ?? 0);
    let to = from;
    let [low, high] = [from, from];
    while (to < points.length && Math.floor(points[to]?.x ?? 0) === column) {
      if ((points[to]?.y ?? 0) < (points[low]?.y ?? 0)) low = to;
      if ((points[to]?.y ?? 0) > (points[high]?.y ?? 0)) high = to;
      to++;
    }
    for (const index of [...new Set([from, low, high, to - 1])].toSorted((a, b) => a - b)) {
      const point = points[index];
      if (point) kept.push(point);
    }
    from = to;
  }
  return kept;
}
