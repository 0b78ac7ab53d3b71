import { pbkdf2Sync, randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createAuthority } from "@querybell/webhooks/certificates";

/** The credentials that a test needs to sign in over TLS. */
export interface Secrets {
  certificateAuthority: string;
  password: string;
  /** Signs tokens with HMAC SHA-256. */
  tokenSecret: string;
}

/** The user that may sign in with the password, or with a token that names it. */
export const signedInUser = "analyst";

interface NodePorts {
  http: number;
  /** Of the coordinator only. */
  https: number;
}

const node = {
  "query.max-memory-per-node": "500MB",
  "memory.heap-headroom-per-node": "300MB",
  // How long a node that does not answer is retried. The default is a minute; a test kills the worker and waits for this.
  "query.remote-task.max-error-duration": "5s",
  "exchange.max-error-duration": "5s",
};

/** Writes the settings of a coordinator and a worker, each in a separate folder. */
export function writeClusterFiles(folder: string, ports: NodePorts): Secrets {
  const authority = createAuthority("Querybell tests");
  const { key, cert } = authority.issue(["localhost", "127.0.0.1"]);
  const password = randomBytes(12).toString("hex");
  const tokenSecret = randomBytes(32).toString("base64");
  const write = (name: string, text: string) => {
    const path = join(folder, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  const internal = {
    ...node,
    "discovery.uri": `http://127.0.0.1:${ports.http}`,
    "internal-communication.shared-secret": randomBytes(32).toString("hex"),
  };
  const passwordFile = write("passwords", `${signedInUser}:${pbkdf2(password)}\n`);
  writeNode(folder, "coordinator", {
    ...internal,
    coordinator: "true",
    "node-scheduler.include-coordinator": "true",
    "http-server.http.port": String(ports.http),
    "http-server.https.enabled": "true",
    "http-server.https.port": String(ports.https),
    "http-server.https.keystore.path": write("server.pem", `${key}${cert}`),
    "http-server.authentication.type": "PASSWORD,JWT",
    // Over HTTP, user names are not verified: for tests without credentials.
    "http-server.authentication.allow-insecure-over-http": "true",
    "http-server.authentication.jwt.key-file": write("token-secret", tokenSecret),
    "password-authenticator.config-files": write(
      "password-authenticator.properties",
      toProperties({
        "password-authenticator.name": "file",
        "file.password-file": passwordFile,
      }),
    ),
  });
  writeNode(folder, "worker", { ...internal, coordinator: "false", "http-server.http.port": "0" });
  return { certificateAuthority: authority.ca, password, tokenSecret };
}

function writeNode(folder: string, name: string, settings: Record<string, string>): void {
  const catalogs = join(folder, name, "catalogs");
  mkdirSync(catalogs, { recursive: true });
  writeFileSync(join(folder, name, "config.properties"), toProperties(settings));
  for (const connector of ["memory", "tpch"]) {
    writeFileSync(join(catalogs, `${connector}.properties`), toProperties({ "connector.name": connector }));
  }
}

const toProperties = (settings: Record<string, string>): string =>
  Object.entries(settings)
    .map(([name, value]) => `${name}=${value}\n`)
    .join("");

/** In the form of Trino's password file. */
function pbkdf2(password: string): string {
  const salt = randomBytes(16);
  const iterations = 1000;
  const hash = pbkdf2Sync(password, salt, iterations, 64, "sha1");
  return `${iterations}:${salt.toString("hex")}:${hash.toString("hex")}`;
}
