// Copied into the project: serves a bundled file with Vercel's edge runtime.
import { readFileSync } from "node:fs";
import { EdgeRuntime, runServer } from "edge-runtime";

const runtime = new EdgeRuntime({
  initialCode: readFileSync(process.argv[2], "utf8"),
  extend: (context) => Object.assign(context, { process: { env: { ...process.env } } }),
});
const { url } = await runServer({ runtime, host: "127.0.0.1", port: 0 });
console.log(url);
