import { z } from "zod";
import { Text } from "./text.ts";

const VisualizationType = z.enum(["table", "line", "bar", "area", "pie", "scatter", "number"]);

const Margin = z.number().min(0).max(1000);

export const Visualization = z.strictObject({
  type: VisualizationType,
  jsxConfig: Text.max(20_000, "must have at most 20000 characters").meta({
    description: "JSX of allowed chart elements with literal props; read as data, never evaluated",
    examples: ['<LineChart><Line dataKey="total" /></LineChart>'],
  }),
  marginConfig: z
    .strictObject({ top: Margin, right: Margin, bottom: Margin, left: Margin })
    .describe("Pixels around the chart"),
});
export type Visualization = z.infer<typeof Visualization>;
