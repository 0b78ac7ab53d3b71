import { generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import { isIPv4 } from "node:net";

/** A certificate authority for one test. */
export interface Authority {
  /** Its certificate as PEM, to be trusted. */
  ca: string;
  /** A key and certificate for these host names and IPv4 addresses. */
  issue(hosts: string[], validity?: Validity): { key: string; cert: string };
}

export interface Validity {
  from: Date;
  until: Date;
}

const day = 86_400_000;
const today: Validity = { from: new Date(Date.now() - day), until: new Date(Date.now() + day) };
export const lastWeek: Validity = { from: new Date(Date.now() - 7 * day), until: new Date(Date.now() - day) };
export const nextWeek: Validity = { from: new Date(Date.now() + day), until: new Date(Date.now() + 7 * day) };

export function createAuthority(name: string): Authority {
  const issuer = newKeyPair();
  const ca = certificate({ issuer: name, subject: name, signer: issuer.privateKey }, issuer.publicKey, [
    extension(oid.basicConstraints, sequence(der(0x01, Buffer.from([0xff])))),
  ]);
  return {
    ca,
    issue(hosts, validity = today) {
      const { privateKey, publicKey } = newKeyPair();
      const names = { issuer: name, subject: hosts[0] ?? "", signer: issuer.privateKey, validity };
      return {
        key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
        cert: certificate(names, publicKey, [
          extension(oid.subjectAltName, sequence(...hosts.map(alternativeName))),
        ]),
      };
    },
  };
}

const newKeyPair = () => generateKeyPairSync("ec", { namedCurve: "P-256" });

/** The object identifiers used here, already encoded. */
const oid = {
  commonName: Buffer.from("550403", "hex"),
  subjectAltName: Buffer.from("551d11", "hex"),
  basicConstraints: Buffer.from("551d13", "hex"),
  ecdsaWithSha256: Buffer.from("2a8648ce3d040302", "hex"),
};

interface Names {
  issuer: string;
  subject: string;
  signer: KeyObject;
  validity?: Validity;
}

/** X.509 v3 as RFC 5280 lays it out. */
function certificate(names: Names, publicKey: KeyObject, extensions: Buffer[]): string {
  const { from, until } = names.validity ?? today;
  const algorithm = sequence(der(0x06, oid.ecdsaWithSha256));
  const content = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1]), randomBytes(15)),
    algorithm,
    distinguishedName(names.issuer),
    sequence(utcTime(from), utcTime(until)),
    distinguishedName(names.subject),
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(...extensions)),
  );
  const signature = der(0x03, Buffer.from([0]), sign("sha256", content, names.signer));
  const encoded = sequence(content, algorithm, signature).toString("base64");
  return `-----BEGIN CERTIFICATE-----\n${encoded.replace(/.{1,64}/g, "$&\n")}-----END CERTIFICATE-----\n`;
}

function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag, ...derLength(content.length)]), content]);
}

function derLength(length: number): number[] {
  if (length < 0x80) return [length];
  return length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
}

const sequence = (...parts: Buffer[]) => der(0x30, ...parts);

const distinguishedName = (text: string) =>
  sequence(der(0x31, sequence(der(0x06, oid.commonName), der(0x0c, Buffer.from(text)))));

const utcTime = (date: Date) =>
  der(0x17, Buffer.from(`${date.toISOString().replace(/\D/g, "").slice(2, 14)}Z`));

const extension = (id: Buffer, value: Buffer) => sequence(der(0x06, id), der(0x04, value));

const alternativeName = (host: string) =>
  isIPv4(host) ? der(0x87, Buffer.from(host.split(".").map(Number))) : der(0x82, Buffer.from(host));
