import { setParameters } from "@querybell/core/queries";
import { createOptimisticReference, createReference } from "@querybell/core/references";
import type { ParameterDefinition } from "@querybell/domain";
import type { ProvocationContext } from "./provoke.ts";

const defined = (name: string, more: Partial<ParameterDefinition> = {}): ParameterDefinition => ({
  name,
  displayName: name,
  type: "integer",
  description: "",
  ...more,
});

/** Errors because of the content of a reference. */
export async function provokeReferences({ deps, make, owner, provoke }: ProvocationContext): Promise<void> {
  const { id: queryId } = await make.query(owner, "SELECT {{least}}, '{{label}}'");
  const { shortId } = await createReference(deps, owner, { queryId });
  const margins = { top: 0, right: 0, bottom: 0, left: 0 };
  const script = { type: "bar", jsxConfig: "<script />", marginConfig: margins };
  const wrong = [
    ["invalid_visualization", { visualization: script }],
    ["invalid_parameter_value", { parameters: [defined("least", { defaultValue: "many" })] }],
  ] as const;
  for (const [code, content] of wrong) {
    await provoke("references.create", code, { queryId, ...content });
    await provoke("references.createOptimistic", code, content);
    await provoke("references.update", code, { shortId, ...content });
  }

  const unfitting = [
    ["unknown_placeholder", [defined("other")]],
    ["misplaced_placeholder", [defined("least"), defined("label", { type: "string[]" })]],
  ] as const;
  for (const [code, given] of unfitting) {
    const parameters = [...given];
    await provoke("references.create", code, { queryId, parameters });
    await provoke("references.update", code, { shortId, parameters });
    const waiting = await createOptimisticReference(deps, owner, { parameters });
    await provoke("references.attach", code, { shortId: waiting.shortId, queryId });
  }
  await provoke("references.attach", "conflict", { shortId, queryId });

  const parameters = [defined("least"), defined("label")];
  for (let made = 0; made < 100; made++) await createReference(deps, owner, { queryId, parameters });
  await provoke("references.create", "conflict", { queryId, parameters });
  await provoke("references.update", "conflict", { shortId, parameters });
  const basedOn = "2020-01-01T00:00:00.000Z";
  await provoke("references.update", "reference_changed", { shortId, title: "Other", basedOn });
}

/** Errors because of the parameters of a query. */
export async function provokeParameters({ deps, make, owner, provoke }: ProvocationContext): Promise<void> {
  const { id } = await make.query(owner, "SELECT {{least}}");
  const change = { id, version: 0, definitions: [defined("least", { type: "string" })] };
  const wrong = [defined("least", { defaultValue: "many" })];
  await provoke("queries.setParameters", "invalid_parameter_value", { ...change, definitions: wrong });
  await createReference(deps, owner, { queryId: id, parameters: [defined("least", { defaultValue: "1" })] });
  await setParameters(deps, owner, { ...change, choices: {}, ranges: [] });
  await provoke("queries.setParameters", "query_changed", { ...change, definitions: [] });
  const parameters = [defined("least", { type: "string", defaultValue: "many" })];
  await createReference(deps, owner, { queryId: id, parameters });
  await provoke("queries.setParameters", "conflict", {
    ...change,
    version: 1,
    definitions: [defined("least")],
  });
}
