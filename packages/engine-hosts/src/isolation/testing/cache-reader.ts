// A host that reports what it can do with its compile cache.
import { readdirSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { getCompileCacheDir } from "node:module";
import { join } from "node:path";
import { encodeFrame } from "../../channel/channel.ts";
import { messageDescriptor } from "../isolation.ts";

const folder = getCompileCacheDir() ?? "";
const files = readdirSync(folder);
const bytes = files.reduce((sum, file) => sum + readFileSync(join(folder, file)).length, 0);
const isWritable = [...files, "new"].some((file) => {
  try {
    writeFileSync(join(folder, file), "");
    return true;
  } catch {
    return false;
  }
});
writeSync(messageDescriptor, encodeFrame(JSON.stringify({ files: files.length, bytes, isWritable })));
