import { ParameterDefinition, ResultPreview } from "@querybell/domain";
import { findOpenPlaceholders } from "@querybell/statements/tokenizer";
import { z } from "zod";
import { toPlain } from "../../../plain-text.ts";
import { withOwnersRights } from "../tools/run-reference.ts";
import { type ToolWork, toQueryStepName } from "../tools/tool-call.ts";

export const DescribedReferences = z.array(
  z.object({
    shortId: z.string(),
    title: z.string(),
    description: z.string().nullable(),
    parameters: z.array(z.object({ name: z.string(), type: z.string(), value: z.string().nullable() })),
    /** Null before the automation has run it for the first time. */
    columns: z.array(z.object({ name: z.string(), type: z.string() })).nullable(),
    /** Where SQL that the model writes may run. Only if the automation allows it. */
    database: z.object({ name: z.string(), engine: z.string() }).optional(),
  }),
);
type DescribedReferences = z.infer<typeof DescribedReferences>;

const Definitions = z.array(ParameterDefinition);
const Fields = ResultPreview.pick({ fields: true });
const maxShown = 40;

/** The references of the automation that still exist, with their parameters, and their columns as last seen. */
export async function describeReferences({ deps, run }: ToolWork): Promise<DescribedReferences> {
  const { references } = run.brief;
  const rows = await withOwnersRights({ deps, run }, () =>
    deps.db.prisma.queryReference.findMany({
      where: {
        id: { in: references.map(({ id }) => id) },
        organizationId: run.organizationId,
        deletedAt: null,
      },
      include: {
        query: {
          select: {
            sql: true,
            parameters: { select: { definitions: true } },
            database: { select: { name: true, engine: true } },
          },
        },
      },
    }),
  );
  const found = new Map(rows.map((row) => [row.id, row]));
  const columns = await readColumns({ deps, run }, references.map(toQueryStepName));
  return references.flatMap((reference) => {
    const row = found.get(reference.id);
    if (!row) return [];
    const { database } = row.query ?? {};
    const definitions = definitionsOf(row);
    return [
      {
        shortId: row.shortId,
        title: toPlain(row.title, 200),
        description: row.description === null ? null : toPlain(row.description, 1_000),
        parameters: definitions.slice(0, maxShown).map(({ name, type, defaultValue }) => {
          const value = reference.parameterValues[name] ?? defaultValue ?? null;
          return {
            name: toPlain(name, 100),
            type,
            value: value === null ? null : toPlain(JSON.stringify(value), 200),
          };
        }),
        columns: columns.get(toQueryStepName(reference)) ?? null,
        ...(run.brief.allowsSql &&
          database && { database: { name: toPlain(database.name, 200), engine: database.engine } }),
      },
    ];
  });
}

interface Defining {
  parameters: unknown;
  query: { sql: string; parameters: { definitions: unknown } | null } | null;
}

/** The definitions of the reference, then those of its query for its other placeholders. */
function definitionsOf({ parameters, query }: Defining): ParameterDefinition[] {
  const own = Definitions.safeParse(parameters).data ?? [];
  const ofQuery = Definitions.safeParse(query?.parameters?.definitions).data ?? [];
  const names = findOpenPlaceholders(query?.sql ?? "");
  const isInherited = ({ name }: ParameterDefinition) =>
    names.includes(name) && !own.some((defined) => defined.name === name);
  return [...own, ...ofQuery.filter(isInherited)];
}

/** The columns that these steps had in the automation's last completed run. */
async function readColumns({ deps, run }: Pick<ToolWork, "deps" | "run">, names: string[]) {
  const steps = await deps.db.prisma.automationStep.findMany({
    where: {
      name: { in: names },
      result: {
        run: { automationId: run.brief.comparedWith ?? run.automationId, status: "completed" },
      },
    },
    select: { name: true, output: true },
  });
  return new Map(
    steps.flatMap(({ name, output }) => {
      const { data } = Fields.safeParse(output);
      const columns = data?.fields
        .slice(0, maxShown)
        .map((field) => ({ name: toPlain(field.name, 100), type: field.type }));
      return columns ? [[name, columns] as const] : [];
    }),
  );
}
