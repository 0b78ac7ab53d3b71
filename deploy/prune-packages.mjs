// Run by deploy/assemble.sh: deletes installed packages that nothing needs in production. pnpm also installs optional
// peers, such as Next for better-auth and Prisma's command line for its client, because other parts of the workspace
// have them: hundreds of megabytes that no process of the image loads.
import { existsSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";

const root = realpathSync(process.argv[2]);
const store = join(root, "node_modules/.pnpm");
const needed = new Set();

for (const group of ["apps", "packages", "."]) {
  for (const name of readdirSync(join(root, group))) {
    const folder = join(root, group, name);
    if (existsSync(join(folder, "package.json"))) follow(folder);
  }
}
for (const name of readdirSync(store)) {
  if (name !== "node_modules" && !needed.has(name)) rmSync(join(store, name), { recursive: true });
}

function follow(folder) {
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const {
    dependencies = {},
    optionalDependencies = {},
    peerDependencies = {},
    peerDependenciesMeta = {},
  } = manifest;
  const requiredPeers = Object.keys(peerDependencies).filter((name) => !peerDependenciesMeta[name]?.optional);
  for (const name of [...Object.keys({ ...dependencies, ...optionalDependencies }), ...requiredPeers]) {
    const found = find(folder, name);
    // A package for another platform is not installed.
    if (found?.startsWith(store)) {
      const [entry] = found.slice(store.length + 1).split("/");
      const isNew = !needed.has(entry);
      needed.add(entry);
      if (isNew) follow(found);
    }
  }
}

/** Where Node finds a package from this folder. */
function find(folder, name) {
  for (let at = folder; at.startsWith(root); at = dirname(at)) {
    const path = join(at, "node_modules", name);
    if (existsSync(join(path, "package.json"))) return realpathSync(path);
  }
  return undefined;
}
