import { DatabaseTable, ParameterValues } from "@querybell/domain";
import { z } from "zod";
import type { AgentTools } from "../agent.ts";
import { describeSchema } from "./describe-schema.ts";
import { runReference, withOwnersRights } from "./run-reference.ts";
import { recordCall, type ToolWork } from "./tool-call.ts";

const Listed = z.array(
  z.object({
    shortId: z.string(),
    title: z.string(),
    description: z.string().nullable(),
    parameterValues: ParameterValues,
  }),
);
const Tables = z.array(DatabaseTable);

/** Creates the tools of one run. They can access only the references of its automation. */
export const createTools = (work: ToolWork): AgentTools => ({
  list_references: {
    call(name) {
      const compute = () => listReferences(work);
      return recordCall(work, { name, tool: "list_references", input: {} }, { schema: Listed, compute });
    },
  },
  run_query: {
    call: (name, input) => runReference(work, { name, tool: "run_query", input: { ...input } }, input),
  },
  describe_schema: {
    call(name, input) {
      const compute = async () => (await describeSchema(work, input)).tables;
      return recordCall(work, { name, tool: "describe_schema", input }, { schema: Tables, compute });
    },
  },
});

/** The references of the automation that still exist. */
async function listReferences({ deps, run }: ToolWork) {
  const { references } = run.brief;
  const rows = await withOwnersRights({ deps, run }, () =>
    deps.db.prisma.queryReference.findMany({
      where: {
        id: { in: references.map(({ id }) => id) },
        organizationId: run.organizationId,
        deletedAt: null,
      },
    }),
  );
  const found = new Map(rows.map((row) => [row.id, row]));
  return references.flatMap(({ id, parameterValues }) => {
    const row = found.get(id);
    return row
      ? [{ shortId: row.shortId, title: row.title, description: row.description, parameterValues }]
      : [];
  });
}
