import { z } from "zod";
import { Timestamp } from "./time.ts";

/** The steps that create the sample shop: its file, its objects, and the runs of its queries. */
export const sampleShopSteps = 3;

/** The sample shop of an organization: a database with queries, references and an automation to try. */
export const SampleShop = z.object({
  state: z
    .enum(["creating", "ready", "failed", "removing"])
    .describe("`failed`: create it again, which continues, or delete it"),
  stepsDone: z.int().describe(`Of ${sampleShopSteps}`),
  createdAt: Timestamp,
});
export type SampleShop = z.infer<typeof SampleShop>;
