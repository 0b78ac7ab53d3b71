import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { build, type Plugin, type Rolldown } from "vite";

const folder = new URL("../src/chart-app/", import.meta.url);

/**
 * Adds `mcp-chart.html` to the build: the chart that clients of MCP show, in one file. Its policy allows its own script
 * and styles, and no network.
 */
export const chartApp = (target: string[]): Plugin => ({
  name: "chart-app",
  apply: "build",
  async generateBundle() {
    const styles = await readFile(new URL("chart-app.css", folder), "utf8");
    const source = toPage(await bundleScript(target), styles);
    this.emitFile({ type: "asset", fileName: "mcp-chart.html", source });
  },
});

async function bundleScript(target: string[]): Promise<string> {
  const built = (await build({
    configFile: false,
    logLevel: "error",
    build: {
      ...{ target, write: false, modulePreload: false },
      lib: { entry: new URL("main.ts", folder).pathname, formats: ["iife"], name: "chartApp" },
    },
  })) as Rolldown.RolldownOutput[];
  const [file] = built.flatMap(({ output }) => output);
  if (file?.type !== "chunk") throw new Error("The chart app was not built.");
  return file.code;
}

function toPage(code: string, styles: string): string {
  const script = code.trim().replaceAll("</script", "<\\/script");
  const hash = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  const policy = `default-src 'none'; script-src ${hash(script)}; style-src ${hash(styles)}; base-uri 'none'; form-action 'none'`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Querybell: a result</title>
<style>${styles}</style>
</head>
<body>
<main id="result"></main>
<script>${script}</script>
</body>
</html>
`;
}
