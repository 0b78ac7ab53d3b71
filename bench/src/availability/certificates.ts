import { execFile } from "node:child_process";
import { chmod, chown, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** A certificate for 127.0.0.1, signed by an authority; and another authority that has signed nothing. */
export async function createCertificates({ uid, gid }: { uid: number; gid: number }) {
  const folder = await mkdtemp(join(await realpath(tmpdir()), "querybell-tls-"));
  await chmod(folder, 0o755);
  const at = (file: string) => join(folder, file);
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  for (const name of ["authority", "other"]) {
    const files = ["-keyout", at(`${name}.key`), "-out", at(`${name}.pem`)];
    await run("openssl", ["req", "-x509", ...key, ...files, "-subj", `/CN=${name}`]);
  }
  const signed = ["-CA", at("authority.pem"), "-CAkey", at("authority.key")];
  const names = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"];
  const files = ["-keyout", at("server.key"), "-out", at("server.pem")];
  await run("openssl", ["req", "-x509", ...key, ...signed, ...files, ...names]);
  await chown(at("server.key"), uid, gid);
  await chmod(at("server.key"), 0o600);
  return {
    authority: at("authority.pem"),
    otherAuthority: at("other.pem"),
    /** Of the server. */
    settings: { ssl: "on", ssl_cert_file: at("server.pem"), ssl_key_file: at("server.key") },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
