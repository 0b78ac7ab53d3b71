import { z } from "zod";

export const VisualizationType = z.enum(["table", "line", "bar", "area", "pie", "scatter", "number"]);
export type VisualizationType = z.infer<typeof VisualizationType>;

const Margin = z.number().min(0).max(1000);

export const Visualization = z.strictObject({
  type: VisualizationType,
  /** JSX of allowed chart elements with literal props; read as data, never evaluated. */
  jsxConfig: z
    .string()
    .max(20_000, "must have at most 20000 characters")
    .meta({ examples: ['<LineChart><Line dataKey="total" /></LineChart>'] }),
  marginConfig: z.strictObject({ top: Margin, right: Margin, bottom: Margin, left: Margin }),
});
export type Visualization = z.infer<typeof Visualization>;
