import { DatabaseTable, ParameterValues } from "@querybell/domain";
import { z } from "zod";
import type { AgentTools } from "../agent.ts";
import { describeSchema } from "./describe-schema.ts";
import { recordCall } from "./record-call.ts";
import { runReference } from "./run-reference.ts";
import type { ToolWork } from "./tool-work.ts";

const ShortId = z.string().describe("The short id of a reference that the automation looks at");
const RunReference = z.object({ shortId: ShortId, parameterValues: ParameterValues });
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
export function createTools(work: ToolWork): AgentTools {
  return {
    list_references: {
      description: "The references that the automation looks at and that are still there.",
      input: z.record(z.string(), z.never()),
      call: (name) =>
        recordCall(
          work,
          { name, tool: "list_references", input: {} },
          { schema: Listed, compute: () => listReferences(work) },
        ),
    },
    run_query: {
      description:
        "Runs a reference's query, or joins the run that has equal values, and answers its result.",
      input: RunReference,
      call: (name, input) => runReference(work, { name, tool: "run_query", input: { ...input } }, input),
    },
    describe_schema: {
      description: "The tables and columns of the database on which a reference's query runs.",
      input: z.object({ shortId: ShortId }),
      call(name, input) {
        const compute = async () => (await describeSchema(work, input)).tables;
        return recordCall(work, { name, tool: "describe_schema", input }, { schema: Tables, compute });
      },
    },
  };
}

const findReferences = async ({ deps, run }: ToolWork) =>
  deps.db.prisma.queryReference.findMany({
    where: {
      id: { in: run.brief.references.map(({ id }) => id) },
      organizationId: run.organizationId,
      deletedAt: null,
    },
  });

async function listReferences(work: ToolWork) {
  const found = new Map((await findReferences(work)).map((row) => [row.id, row]));
  return work.run.brief.references.flatMap(({ id, parameterValues }) => {
    const row = found.get(id);
    return row
      ? [{ shortId: row.shortId, title: row.title, description: row.description, parameterValues }]
      : [];
  });
}
