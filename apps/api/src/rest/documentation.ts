import type { FastifyInstance } from "fastify";
import { openApiDocument } from "./openapi.ts";
import { restRoutes } from "./route-table.ts";

/** Serves the documentation of the published routes, also where they are retired. */
export function addRestDocumentation(app: FastifyInstance): void {
  app.get("/api/openapi.json", async () => openApiDocument);
  app.get("/api/reference", async (_request, reply) =>
    reply.type("text/html; charset=utf-8").send(referencePage),
  );
}

const asText = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

const code = (value: unknown): string => `<pre>${asText(JSON.stringify(value, null, 2))}</pre>`;
const details = (title: string, inside: string): string =>
  `<details><summary>${asText(title)}</summary>${inside}</details>`;

const routes = restRoutes.map(({ method, path, summary }) => {
  const operation = openApiDocument.paths[path.replaceAll(/:(\w+)/g, "{$1}")]?.[method.toLowerCase()];
  if (!operation) throw new Error(`${method} ${path} is missing in the OpenAPI document.`);
  const { parameters, requestBody, responses } = operation;
  const answers = Object.entries(responses).map(([status, { description, content }]) => {
    const [{ schema } = { schema: { $ref: "" } }] = Object.values(content);
    const name = schema.$ref.split("/").at(-1) ?? "";
    return `<tr><td>${status}<td><a href="#${name}">${name}</a><td>${asText(description)}`;
  });
  return `<h2><code>${method} ${asText(path)}</code></h2><p>${asText(summary)}.</p>
    ${parameters.length > 0 ? details("Parameters", code(parameters)) : ""}
    ${requestBody ? details("Body", code(requestBody.content["application/json"].schema)) : ""}
    <table><tr><th>status<th>body<th>meaning${answers.join("")}</table>`;
});

const schemas = Object.entries(openApiDocument.components.schemas).map(
  ([name, schema]) => `<h3 id="${name}">${name}</h3>${code(schema)}`,
);

/** The OpenAPI document as an HTML page without scripts. */
const referencePage = `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${asText(openApiDocument.info.title)}</title>
<style>
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
  pre { overflow-x: auto; padding: 1rem; background: #8881; } table { border-collapse: collapse; }
  td, th { text-align: left; vertical-align: top; padding: .2rem .8rem .2rem 0; } h2 { margin-top: 2.5rem; }
</style>
<h1>${asText(openApiDocument.info.title)}</h1>
<p>${asText(openApiDocument.info.description)}</p>
<p>For programs: <a href="/api/openapi.json">openapi.json</a>.</p>
${routes.join("\n")}
<h2>Shapes</h2>
${schemas.join("\n")}
</html>
`;
