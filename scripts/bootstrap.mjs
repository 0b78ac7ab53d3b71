// The first step of `npm start`, `pnpm dev` and `npm test`. It runs on whatever Node is there (20 or newer) with nothing
// installed, so it is plain JavaScript: it installs the workspace, Node 24 included, and hands over to it.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { accessSync, constants, existsSync } from "node:fs";
import { createServer } from "node:net";
import { delimiter, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const repository = dirname(dirname(fileURLToPath(import.meta.url)));
const pnpm = "pnpm@12.18.0";
// Without dots, a filter installs the example itself and only links the kit, whose own dependencies are for its tests.
const running = [
  "@querybell/local...",
  "@querybell/api...",
  "@querybell/worker...",
  "@querybell/public...",
  "@querybell/web...",
  "@querybell/operator...",
  "@querybell/example-receiver",
];
const built = ["@querybell/db#build", "@querybell/web#build", "@querybell/webhook-receiver#strip-types"];
const filtersOf = (names, option = "--filter") => names.map((name) => `${option}=${name}`);
const commands = {
  // Not what only tests and checks need, unless that is installed already: it would be removed.
  start: {
    entry: "apps/local/src/main.ts",
    install: hasDevDependencies() ? filtersOf(running) : ["--prod", ...filtersOf(running, "--filter-prod")],
    build: ["--only", ...built],
  },
  // Vite serves the web app from its sources.
  dev: {
    entry: "apps/local/src/dev/main.ts",
    install: filtersOf(running),
    build: ["--only", ...built.filter((task) => task !== "@querybell/web#build")],
  },
  test: { entry: "scripts/test.ts", install: filtersOf(["*"]), build: ["build"] },
};

const command = commands[process.argv[2]];
if (!command) fail(`Usage: node scripts/bootstrap.mjs ${Object.keys(commands).join("|")}`);
if (majorOf(process.versions.node) < 20) fail("Querybell needs Node 20 or newer to set itself up.");

// Passes signals on to the running step and exits after it. A terminal sends them to the step too; twice does no harm.
let stopped = false;
let atWork;
const stop = (signal) => {
  stopped = true;
  atWork?.kill(signal);
};
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, stop);
// npm's shell does not pass SIGTERM on, so this checks whether the parent process is gone.
const parent = process.ppid;
setInterval(() => process.ppid === parent || stop("SIGTERM"), 500).unref();
process.stdout.on("error", () => {});

process.env.TURBO_TELEMETRY_DISABLED = "1";
process.env.PATH = join(repository, "node_modules", ".bin") + delimiter + process.env.PATH;
if (isWritable(repository)) {
  const lock = await lockInstallation();
  const install = [
    "install",
    "--frozen-lockfile",
    "--prefer-offline",
    // pnpm would ask the registry when each locked version was published. The lockfile's hashes were reviewed with it.
    "--config.minimumReleaseAge=0",
    "--filter=querybell",
    ...command.install,
  ];
  await quietly("Installing packages", "npx", ["-y", pnpm, ...install]);
  requireNode24();
  // Turborepo runs the scripts of packages with pnpm.
  await quietly("Building", "npx", ["-y", "--package", pnpm, "turbo", "run", ...command.build]);
  lock.close();
} else if (existsSync(join(repository, "apps/web/dist/index.html"))) {
  requireNode24();
} else {
  fail(
    `The folder ${repository} cannot be written to, and Querybell is not installed in it yet. Make it writable, or copy it to a folder that is.`,
  );
}
// Every process loads its modules in half of the time once they were compiled.
process.env.NODE_COMPILE_CACHE ??= join(repository, "node_modules", ".cache", "compiled");
process.exitCode = await handOver("node", [command.entry, ...process.argv.slice(3)]);

/**
 * The registry has no Node 24 for some systems, such as macOS. The installation goes on without it, because the package
 * is optional, and the Node that runs this has to be new enough.
 */
function requireNode24() {
  const { stdout } = spawnSync("node", ["--version"], { encoding: "utf8" });
  if (isNewEnough(stdout?.replace("v", "") ?? "")) return;
  if (!isNewEnough(process.versions.node)) {
    fail(
      `The registry has no Node 24 for ${process.platform}-${process.arch}, and this is Node ${process.versions.node}. Install Node 24.2 or newer, and start again with it.`,
    );
  }
  process.env.PATH = dirname(process.execPath) + delimiter + process.env.PATH;
}

/** Engine hosts need `import.meta.main`, which 24.0 and 24.1 do not have. */
function isNewEnough(version) {
  const [major, minor] = version.split(".").map(Number);
  return major > 24 || (major === 24 && minor >= 2);
}

function hasDevDependencies() {
  return existsSync(join(repository, "node_modules", ".bin", "vitest"));
}

/** Whether packages can be installed. A checkout may be mounted read-only after it was installed and built. */
function isWritable(folder) {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Two installations in one folder at once would break each other, so the second waits. A name in Linux's abstract socket
 * namespace belongs to one process at a time, and is free again however that ends. Other systems have no such names.
 */
async function lockInstallation() {
  const lock = createServer();
  if (process.platform !== "linux") return lock;
  for (let tries = 1; ; tries++) {
    try {
      lock.listen({ path: `\0querybell-install-${createHash("sha256").update(repository).digest("hex")}` });
      await once(lock, "listening");
      return lock;
    } catch (error) {
      if (error.code !== "EADDRINUSE") throw error;
      if (tries === 1)
        console.log("› Waiting for another npm start, pnpm dev or npm test that installs packages here");
      if (stopped) process.exit(130);
      await sleep(500);
    }
  }
}

function majorOf(version) {
  return Number(version.split(".")[0]);
}

/** Runs a step and prints its output only if it fails. */
async function quietly(title, program, args) {
  const since = Date.now();
  process.stdout.write(`› ${title} …`);
  const output = [];
  const child = spawn(program, args, { cwd: repository, stdio: ["ignore", "pipe", "pipe"] });
  child.stdout.on("data", (chunk) => output.push(chunk));
  child.stderr.on("data", (chunk) => output.push(chunk));
  const code = await exitOf(child);
  process.stdout.write(` ${((Date.now() - since) / 1000).toFixed(1)} s\n`);
  if (stopped) process.exit(130);
  if (code !== 0)
    fail(
      `${Buffer.concat(output)}\n${title} did not work; the reason stands above. If nothing else helps, remove node_modules and start again.`,
    );
}

/** Runs the rest in Node 24. The IPC channel tells it when this process has ended, even by SIGKILL. */
function handOver(program, args) {
  const child = spawn(program, args, { cwd: repository, stdio: ["inherit", "inherit", "inherit", "ipc"] });
  return exitOf(child);
}

function exitOf(child) {
  atWork = child;
  return new Promise((resolve) => {
    child.once("error", (error) => fail(error.message));
    child.once("exit", (code, signal) => resolve(code ?? (signal === "SIGINT" ? 130 : 1)));
  });
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
