// The chart that clients of MCP show beside an answer of run_query: an MCP App, one page without a network. It talks to
// the program that shows it by messages (https://github.com/modelcontextprotocol/ext-apps, protocol 2026-01-26).
import { connectHost, type HostContext } from "./host.ts";
import { drawResult, type Result, readResult } from "./result-view.ts";

const root = document.getElementById("result");
let context: HostContext = {};
let result: Result | undefined;

const host = connectHost({
  onContext(changed) {
    context = { ...context, ...changed };
    draw();
  },
  onResult(answer) {
    result = readResult(answer);
    draw();
  },
});

function draw(): void {
  if (!root || !result) return;
  const isDark =
    context.theme === undefined
      ? matchMedia("(prefers-color-scheme: dark)").matches
      : context.theme === "dark";
  document.documentElement.dataset.scheme = isDark ? "dark" : "light";
  root.replaceChildren(
    ...drawResult(result, { ...context, isDark, width: document.documentElement.clientWidth }),
  );
  host.sendHeight(document.documentElement.getBoundingClientRect().height);
}

let drawnWidth = document.documentElement.clientWidth;
addEventListener("resize", () => {
  // The program changes the height to what was sent: drawing again would never end.
  if (document.documentElement.clientWidth === drawnWidth) return;
  drawnWidth = document.documentElement.clientWidth;
  draw();
});
