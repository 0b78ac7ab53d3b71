import type { SVGProps } from "react";

interface BarShapeProps extends Pick<SVGProps<SVGPathElement>, "fill" | "stroke" | "opacity"> {
  x?: number | null;
  y?: number | null;
  width?: number | null;
  height?: number | null;
  fillOpacity?: number | string;
  strokeWidth?: number | string;
  strokeDasharray?: number | string;
}

/** A bar without rounded corners. Recharts' own measures the length of each outline, to animate it. */
export function barShape({ x, y, width, height, ...props }: BarShapeProps) {
  if (!isNumber(x) || !isNumber(y) || !width || !height) return null;
  return (
    <path
      className="recharts-rectangle"
      d={`M ${x},${y} h ${width} v ${height} h ${-width} Z`}
      fill={props.fill}
      fillOpacity={props.fillOpacity}
      stroke={props.stroke}
      strokeWidth={props.strokeWidth}
      strokeDasharray={props.strokeDasharray}
      opacity={props.opacity}
    />
  );
}

interface DotProps {
  cx?: number | null;
  cy?: number | null;
  index: number;
  points: readonly { y?: number | null }[];
  stroke?: string;
}

/** A dot for a value between two gaps, where there is no line to draw. */
export function loneDot({ cx, cy, index, points, stroke }: DotProps) {
  const isAlone = !isNumber(points[index - 1]?.y) && !isNumber(points[index + 1]?.y);
  if (!isAlone || !isNumber(cx) || !isNumber(cy)) return null;
  return <circle className="recharts-dot" cx={cx} cy={cy} r={3} fill={stroke} />;
}

const isNumber = (value: unknown): value is number => Number.isFinite(value);
