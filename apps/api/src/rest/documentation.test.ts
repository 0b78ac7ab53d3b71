import { expect } from "vitest";
import { apiTest } from "../testing/api-test.ts";
import { openApiDocument } from "./openapi.ts";
import { restRoutes } from "./route-table.ts";

apiTest(
  "the routes are described for programs and for people, from the table that serves them",
  async ({ api }) => {
    const answer = await api.fetch("/api/openapi.json");
    const document: typeof openApiDocument = JSON.parse(await answer.text());
    expect(document).toEqual(JSON.parse(JSON.stringify(openApiDocument)));
    const page = await api.fetch("/api/reference");
    expect(page.headers.get("content-type")).toMatch(/^text\/html/);
    const html = await page.text();
    for (const { method, path } of restRoutes) {
      expect(document.paths[path.replaceAll(/:(\w+)/g, "{$1}")]).toHaveProperty(method.toLowerCase());
      expect(html).toContain(`<code>${method} ${path}</code>`);
    }
    expect(html).not.toMatch(/<script|undefined/);
    // Every shape that is referred to is there.
    const names = [...JSON.stringify(document).matchAll(/#\/components\/schemas\/(\w+)/g)].map(
      ([, name = ""]) => name,
    );
    const unused = Object.keys(document.components.schemas).filter((name) => !names.includes(name));
    expect([unused, names.filter((name) => !(name in document.components.schemas))]).toEqual([[], []]);
  },
);
