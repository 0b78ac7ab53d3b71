import { z } from "zod";

export const EmbeddedFileName = z
  .string()
  .regex(
    /^[A-Za-z0-9_][A-Za-z0-9_.-]*\.duckdb$/,
    "must be the name of a file that ends in .duckdb, without a path",
  );

/** A file in the folder of embedded databases, which the operator has put there for this organization. */
export const DuckdbSettings = z.strictObject({
  file: EmbeddedFileName.max(50).meta({
    description: "The name of a file that the operator has put into the folder of embedded databases",
    examples: ["shop.duckdb"],
  }),
});

const engine = z.literal("duckdb");
const given = z.strictObject({ engine, settings: DuckdbSettings });

export const duckdbConnection = {
  engine: engine.value,
  given,
  changed: given,
  shown: z.object({ engine, settings: DuckdbSettings }),
};
