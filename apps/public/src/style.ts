import { createHash } from "node:crypto";

const light = `
  --body: #f8f6f1;
  --text: #1d2233;
  --dimmed: #565b6b;
  --accent: #7d5200;
  --on-accent: #ffffff;
  --card: #ffffff;
  --line: #dfdacd;
  --edge: #8b8778;
  --quiet: #f2eee4;
  --bad: #b3261e;`;
const dark = `
  --body: #12141c;
  --text: #eceae4;
  --dimmed: #a9adba;
  --accent: #f2b84b;
  --on-accent: #1d2233;
  --card: #1a1d28;
  --line: #333849;
  --edge: #767c90;
  --quiet: #222634;
  --bad: #ff9a90;`;

const text = `
:root { color-scheme: light dark; ${light} }
@media (prefers-color-scheme: dark) { :root { ${dark} } }
:root[data-theme="light"] { color-scheme: light; ${light} }
:root[data-theme="dark"] { color-scheme: dark; ${dark} }
* { box-sizing: border-box; }
body {
  max-width: 1248px;
  margin: 0 auto;
  padding: 24px;
  background: var(--body);
  color: var(--text);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
  overflow-wrap: anywhere;
}
h1, h2, h3 { font-family: ui-serif, "Iowan Old Style", "Palatino Linotype", Palatino, Georgia, serif; line-height: 1.25; }
h1 { margin: 0; font-size: 26px; }
a { color: var(--accent); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
header { margin-bottom: 20px; }
header p { margin: 4px 0 0; color: var(--dimmed); white-space: pre-line; }
footer { margin-top: 28px; color: var(--dimmed); font-size: 13px; }
nav { display: flex; overflow-x: auto; margin-bottom: 16px; border-bottom: 1px solid var(--line); gap: 4px; }
nav a { padding: 8px 12px; border-bottom: 2px solid transparent; color: var(--dimmed); text-decoration: none; white-space: nowrap; }
nav a[aria-current] { border-bottom-color: var(--accent); color: var(--text); font-weight: 600; }
.grid { display: grid; gap: 16px; grid-auto-rows: 40px; grid-template-columns: repeat(12, minmax(0, 1fr)); }
.tile { display: flex; overflow: hidden; flex-direction: column; border: 1px solid var(--line); border-radius: 8px; background: var(--card); }
.tile.plain { overflow: auto; border-color: transparent; background: none; }
.tile picture { display: contents; }
.tile img { display: block; width: 100%; min-height: 0; flex: 1; object-fit: contain; object-position: left top; }
.tile h2 { margin: 10px 14px 6px; font: 600 14px/1.4 system-ui, sans-serif; }
.note { margin: 0; padding: 4px 14px 8px; color: var(--dimmed); font-size: 12px; }
.empty { display: flex; align-items: center; justify-content: center; flex: 1; margin: 0; padding: 14px; color: var(--dimmed); text-align: center; }
.rows { overflow: auto; flex: 1; }
table { width: 100%; border-collapse: collapse; font-size: 13px; }
th, td { padding: 5px 14px; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
th { position: sticky; top: 0; background: var(--quiet); font-weight: 600; }
td { max-width: 480px; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.reference .grid { grid-auto-rows: auto; }
.reference .tile { grid-column: 1 / -1; }
.reference .rows { max-height: 75vh; }
.text h2, .text h3 { margin: 0.2em 0 0.3em; font: 600 1.25em/1.3 ui-serif, Georgia, serif; }
.text h2 { font-size: 1.6em; }
.text p, .text ul, .text ol, .text blockquote, .text pre { margin: 0 0 0.6em; }
.text p { white-space: pre-line; }
.text blockquote { padding-left: 12px; border-left: 3px solid var(--line); color: var(--dimmed); }
.text code, .text pre { padding: 1px 4px; border-radius: 4px; background: var(--quiet); font-family: ui-monospace, Menlo, Consolas, monospace; font-size: 0.92em; }
.text pre { overflow-x: auto; padding: 8px; }
.text hr { border: 0; border-top: 1px solid var(--line); }
.card { max-width: 420px; margin: 12vh auto 0; padding: 28px; border: 1px solid var(--line); border-radius: 8px; background: var(--card); }
.card label { display: block; margin: 16px 0 4px; font-weight: 600; }
.card input { width: 100%; padding: 9px 10px; border: 1px solid var(--edge); border-radius: 6px; background: var(--body); color: inherit; font: inherit; }
.card button { margin-top: 14px; padding: 9px 18px; border: 0; border-radius: 6px; background: var(--accent); color: var(--on-accent); font: inherit; font-weight: 600; cursor: pointer; }
.filters { display: flex; flex-wrap: wrap; align-items: end; margin-bottom: 16px; gap: 12px; }
.filters label { display: block; margin-bottom: 2px; font-size: 13px; font-weight: 600; }
.filters input, .filters select { min-width: 160px; max-width: 100%; padding: 7px 9px; border: 1px solid var(--edge); border-radius: 6px; background: var(--card); color: inherit; font: inherit; }
.filters button { padding: 8px 16px; border: 0; border-radius: 6px; background: var(--accent); color: var(--on-accent); font: inherit; font-weight: 600; cursor: pointer; }
.filters a { padding: 8px 0; }
[data-state] body { max-width: none; padding: 12px; }
[data-state] .card { margin: 12px auto; }
.problem { margin: 6px 0 0; color: var(--bad); }
@media (max-width: 48em) {
  body { padding: 16px; }
  .grid { display: flex; flex-direction: column; }
  .rows { max-height: 60vh; }
}
/* A frame is as high as its page, so nothing in it depends on its height. */
[data-state] .reference .rows, [data-state] .dashboard .rows { max-height: 520px; }
@media print {
  body { max-width: none; padding: 0; }
  .tile { break-inside: avoid; }
  nav { display: none; }
}
`;

/** The style sheet. Its address changes with it, so browsers keep it for ever. */
export const style = {
  bytes: Buffer.from(text.trim()),
  path: `/p/style-${createHash("sha256").update(text).digest("hex").slice(0, 16)}.css`,
};
