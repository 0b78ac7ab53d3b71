import { getQueryWithInputs } from "@querybell/core/queries";
import { createReference } from "@querybell/core/references";
import {
  AppError,
  CreateReference,
  inputMessages,
  type ParameterDefinition,
  ParameterValues,
  plainMargins,
  Visualization,
} from "@querybell/domain";
import { z } from "zod";
import { invalidInput } from "../../trpc/input-checks.ts";
import { defineTool } from "../tool.ts";

const createPermalinkTool = defineTool({
  name: "create_permalink",
  description:
    "Creates a permalink (a reference) to a query, which members of the organization open in the browser: a chart or a table. Given values become its defaults.",
  effect: "adds",
  access: "member",
  scopes: ["references:write", "queries:read"],
  input: CreateReference.pick({ queryId: true, title: true, description: true }).extend({
    values: ParameterValues.default({}).describe("By parameter name"),
    chart: z
      .strictObject({
        type: Visualization.shape.type,
        jsxConfig: Visualization.shape.jsxConfig
          .default("")
          .describe(
            'Only to choose columns yourself: <LineChart><XAxis dataKey="month" /><Line dataKey="total" /></LineChart>',
          ),
      })
      .optional()
      .describe("Without it, a table"),
  }),
  output: z.object({ shortId: z.string(), url: z.string() }),
  run: (call, { values, chart, ...content }) =>
    call.inSlot(async () => {
      const { deps } = call.context;
      const { inputs } = await getQueryWithInputs(deps, call.caller, { id: content.queryId });
      const parameters = Object.entries(values).map(([name, value]): ParameterDefinition => {
        const definition = inputs.definitions.find((one) => one.name === name);
        if (!definition) {
          throw new AppError(
            "invalid_parameter_value",
            `There is no parameter called ${name}. Leave it out.`,
          );
        }
        return { ...definition, defaultValue: Array.isArray(value) ? JSON.stringify(value) : String(value) };
      });
      const visualization = chart && { ...chart, marginConfig: plainMargins };
      const given = { ...content, parameters, visualization };
      const { data, error } = CreateReference.safeParse(given, inputMessages);
      if (error) throw invalidInput(error);
      const { shortId } = await createReference(deps, call.caller, data);
      const url = `${deps.deployment.publicUrl}/q/${shortId}`;
      return { headline: `Created ${url}`, content: { shortId, url } };
    }),
});

export const permalinkTools = [createPermalinkTool];
