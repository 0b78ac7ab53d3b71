// `npm start`
import { runLauncher } from "./launcher.ts";
import { readNpmStart } from "./npm-start.ts";

await runLauncher(() => readNpmStart(process.env));
