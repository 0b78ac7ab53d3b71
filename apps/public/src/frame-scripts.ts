import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

const read = (name: string): Buffer => readFileSync(new URL(`scripts/${name}`, import.meta.url));

const frame = read("frame.js");

/** The script of pages in frames. Its address changes with it, so browsers keep it for ever. */
export const frameScript = {
  bytes: frame,
  path: `/e/frame-${createHash("sha256").update(frame).digest("hex").slice(0, 16)}.js`,
};

/** The script that customers load in their pages. */
export const embedScript = { bytes: read("embed.js"), path: "/e/embed.js" };
