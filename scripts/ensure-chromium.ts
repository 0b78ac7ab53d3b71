// Prints the path of a working Chromium, for tests in a browser.
import { existsSync } from "node:fs";
import { readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type DebianProgram, ensureDebianProgram } from "./debian-program.ts";

const programs = "usr/lib/chromium";

/** Chromium without windows: the same engine for less than half of the processor time. */
const headlessShell: DebianProgram = {
  name: "chromium-headless-shell",
  installedAs: ["chromium-headless-shell", "chrome-headless-shell"],
  path: `${programs}/chromium-headless-shell`,
  megabytes: 90,
  async prepare(folder) {
    await linkInstalledFiles(join(folder, "root", programs));
    return useFonts(folder);
  },
};

const chromium: DebianProgram = {
  name: "chromium",
  installedAs: ["chromium", "chromium-browser", "google-chrome"],
  path: `${programs}/chromium`,
  megabytes: 120,
  prepare: useFonts,
};

/** Where Debian's chromium-common is installed, apt does not download it, but the program looks beside itself. */
async function linkInstalledFiles(folder: string): Promise<void> {
  const installed = `/${programs}`;
  if (!existsSync(installed)) return;
  const missing = (await readdir(installed)).filter((name) => !existsSync(join(folder, name)));
  for (const name of missing) await symlink(join(installed, name), join(folder, name));
}

async function useFonts(folder: string): Promise<Record<string, string>> {
  const fonts = ["/etc/fonts/fonts.conf", "root/etc/fonts/fonts.conf"].map(
    (file) => `<include ignore_missing="yes">${file}</include>`,
  );
  const fontFolder = '<dir prefix="relative">root/usr/share/fonts</dir>';
  await writeFile(join(folder, "fonts.conf"), `<fontconfig>${fonts.join("")}${fontFolder}</fontconfig>\n`);
  return { FONTCONFIG_FILE: "$here/fonts.conf" };
}

// Not every release of Debian has the smaller package.
const path = await ensureDebianProgram(headlessShell).catch(() => ensureDebianProgram(chromium));
console.log(path);
