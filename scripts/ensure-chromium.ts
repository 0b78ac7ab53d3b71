// Prints the path of a working Chromium, for tests in a browser.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ensureDebianProgram } from "./debian-program.ts";

const path = await ensureDebianProgram({
  name: "chromium",
  installedAs: ["chromium", "chromium-browser", "google-chrome"],
  path: "usr/lib/chromium/chromium",
  megabytes: 120,
  async prepare(folder) {
    const fonts = ["/etc/fonts/fonts.conf", "root/etc/fonts/fonts.conf"].map(
      (file) => `<include ignore_missing="yes">${file}</include>`,
    );
    const fontFolder = '<dir prefix="relative">root/usr/share/fonts</dir>';
    await writeFile(join(folder, "fonts.conf"), `<fontconfig>${fonts.join("")}${fontFolder}</fontconfig>\n`);
    return { FONTCONFIG_FILE: "$here/fonts.conf" };
  },
});
console.log(path);
