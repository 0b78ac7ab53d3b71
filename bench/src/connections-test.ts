// pnpm bench connections-test: starts each process with connections to Postgres that must work or be refused: TLS with
// verified and other certificates, PgBouncer in both modes, and addresses, names and passwords that are wrong.
import { execFile } from "node:child_process";
import { once } from "node:events";
import { stat } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { freePort, withConnection } from "@querybell/embedded-postgres";
import { createCertificates } from "./availability/certificates.ts";
import { withAddress } from "./availability/moving-address.ts";
import { startPooler } from "./availability/pooler.ts";
import { apiEntry, startChild, workerEntry } from "./webhooks/child.ts";
import { startInstallation } from "./webhooks/installation.ts";
import { withCleanup } from "./webhooks/with-cleanup.ts";

const execute = promisify(execFile);
const operatorEntry = new URL("../../apps/operator/src/main.ts", import.meta.url);

interface Case {
  name: string;
  url: string;
  /** What the process says. Without it, it must start. */
  refusal?: RegExp;
}

await withCleanup(async (cleanup) => {
  const installation = await startInstallation({ onError: () => {} });
  cleanup.defer(installation.dispose);
  const { url, port, superuserUrl, serverFolder } = installation.server();
  const account = await stat(join(serverFolder, "data"));
  const certificates = await createCertificates(account);
  cleanup.defer(certificates.remove);
  const session = await startPooler({ url, mode: "session", account });
  cleanup.defer(session.stop);
  const transaction = await startPooler({ url, mode: "transaction", account });
  cleanup.defer(transaction.stop);
  const verifiedBy = (sslrootcert: string) => withAddress(url, port, { sslmode: "verify-full", sslrootcert });
  const changed = (change: Partial<URL>) => Object.assign(new URL(url), change).href;
  const closed = await freePort();
  const silent = await startSilentServer(cleanup);

  const withoutTls: Case[] = [
    { name: "no TLS", url },
    {
      name: "TLS, and the server has none",
      url: verifiedBy(certificates.authority),
      refusal: /the server does not offer it/,
    },
    { name: "PgBouncer in session mode", url: session.url },
    { name: "PgBouncer in transaction mode", url: transaction.url, refusal: /Use pool_mode = session/ },
    {
      name: "another password",
      url: changed({ password: "wrong" }),
      refusal: /refuses the user, the password/,
    },
    { name: "another database", url: changed({ pathname: "/other" }), refusal: /no database of that name/ },
    { name: "a closed port", url: withAddress(url, closed), refusal: /No database answers/ },
    { name: "a server that says nothing", url: withAddress(url, silent), refusal: /No database answers/ },
    {
      name: "a name that does not exist",
      url: changed({ hostname: "no-such-host.invalid" }),
      refusal: /host in DATABASE_URL is not known/,
    },
    {
      name: "two hosts",
      url: url.replace(/@[^/]*/, "@one.example:5432,two.example:5432"),
      refusal: /must name one host/,
    },
  ];
  const withTls: Case[] = [
    { name: "verify-full", url: verifiedBy(certificates.authority) },
    {
      name: "verify-full, another authority",
      url: verifiedBy(certificates.otherAuthority),
      refusal: /not signed by an authority that is known here/,
    },
    {
      name: "verify-full, another name",
      url: verifiedBy(certificates.authority).replace("127.0.0.1", "localhost"),
      refusal: /not for the host in DATABASE_URL/,
    },
    {
      name: "require, without an authority",
      url: withAddress(url, port, { sslmode: "require" }),
      refusal: /not signed by an authority that is known here/,
    },
    {
      name: "a file that does not exist",
      url: verifiedBy("/no/such/file.pem"),
      refusal: /sslrootcert, sslcert, sslkey\) cannot be read|no such file or directory, open/,
    },
  ];
  const check = async ({ name, url: DATABASE_URL, refusal }: Case) => {
    for (const [app, entry] of Object.entries({
      api: apiEntry,
      worker: workerEntry,
      operator: operatorEntry,
    })) {
      // A command has one connection, which a pooler in transaction mode serves as well.
      const expected = app === "operator" && name.includes("transaction") ? undefined : refusal;
      const environment = { ...installation.environment, DATABASE_URL, PORT: String(await freePort()) };
      const said = await (app === "operator" ? runOperator(environment) : startAndRead(entry, environment));
      const isRight = expected ? said !== "works" && expected.test(said) : said === "works";
      if (!isRight) process.exitCode = 1;
      console.log(`${isRight ? "✓" : "✗"} ${name}, ${app}: ${said}`);
    }
  };
  for (const one of withoutTls) await check(one);
  await withConnection(superuserUrl, async (client) => {
    for (const [name, value] of Object.entries(certificates.settings))
      await client.query(`ALTER SYSTEM SET ${name} = '${value}'`);
    await client.query("SELECT pg_reload_conf()");
  });
  for (const one of withTls) await check(one);
});

/** Accepts connections and never answers. */
async function startSilentServer(cleanup: AsyncDisposableStack): Promise<number> {
  const port = await freePort();
  const server = createServer().listen(port, "127.0.0.1");
  await once(server, "listening");
  cleanup.defer(() => void server.close());
  return port;
}

/** Starts a process. Returns what it says last if it ends instead of becoming ready. */
async function startAndRead(entry: URL, environment: Record<string, string>): Promise<string> {
  const lines: string[] = [];
  const onLine = (line: string) => lines.push(line);
  try {
    const child = await startChild(entry, environment, { onLine, onErrorLine: onLine });
    await child.stop();
    return "works";
  } catch {
    return lines.join(" ") || "it ended without a word";
  }
}

async function runOperator(env: Record<string, string>): Promise<string> {
  const args = [fileURLToPath(operatorEntry), "keys", "check"];
  return execute(process.execPath, args, { env }).then(
    () => "works",
    ({ stderr }: { stderr: string }) => stderr.trim(),
  );
}
