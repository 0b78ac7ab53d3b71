// pnpm bench dashboards: whether the tiles of a dashboard agree, how soon one is shown, and what public pages cost.
//   --rounds 100      refreshes on each engine (1000)
//   --only opening    measures one thing: agreement, opening or public
import { parseArgs } from "node:util";
import { measureAgreement } from "./dashboards/agreement.ts";
import { measureOpening } from "./dashboards/opening.ts";
import { measurePublicPages } from "./dashboards/public-pages.ts";
import { printFigures } from "./measuring/measuring.ts";

const parts = ["agreement", "opening", "public"];
const { values: flags } = parseArgs({
  args: process.argv.slice(3),
  options: { rounds: { type: "string", default: "1000" }, only: { type: "string" } },
});
const rounds = Number(flags.rounds);
if (!(Number.isInteger(rounds) && rounds > 0)) throw new Error("--rounds must be a whole number above 0.");
if (flags.only !== undefined && !parts.includes(flags.only)) {
  throw new Error(`--only must be one of ${parts.join(", ")}.`);
}
const wanted = async <Measured>(name: string, measure: () => Promise<Measured>) =>
  flags.only === undefined || flags.only === name ? measure() : undefined;

const agreement = await wanted("agreement", () => measureAgreement(rounds));
const opening = await wanted("opening", measureOpening);
const pages = await wanted("public", measurePublicPages);
printFigures("dashboards", {
  agree: agreement && `${agreement.postgres.agreeing}/${rounds}`,
  agree_duckdb: agreement && `${agreement.duckdb.agreeing}/${rounds}`,
  refresh_ms: agreement?.postgres.refreshMs.toFixed(0),
  refresh_ms_duckdb: agreement?.duckdb.refreshMs.toFixed(0),
  lcp_ms: opening?.lcpMs.toFixed(0),
  tiles_ms: opening?.tilesMs.toFixed(0),
  public_rps_ratio: pages?.ratio.toFixed(2),
  public_effect: pages?.effect.toFixed(2),
});
