// Imports the module in its argument and prints the URLs of everything that was loaded for it.
import { registerHooks } from "node:module";

const loaded: string[] = [];
registerHooks({
  load(url, context, next) {
    loaded.push(url);
    return next(url, context);
  },
});
await import(process.argv[2] ?? "");
console.log(JSON.stringify(loaded));
process.exit();
