// A second receiver, written from the published rules alone: no code of the kit, and no crypto of the platform.
// SHA-256 is that of FIPS 180-4, HMAC that of RFC 2104.

const primes: number[] = [];
for (let n = 2; primes.length < 64; n++) if (primes.every((prime) => n % prime !== 0)) primes.push(n);
const fraction = (root: number) => Math.floor((root - Math.floor(root)) * 2 ** 32) | 0;
const constants = primes.map((prime) => fraction(Math.cbrt(prime)));
const initial = primes.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)));

const rotate = (word: number, by: number) => (word >>> by) | (word << (32 - by));

function sha256(message: number[]): number[] {
  const padded = [...message, 0x80];
  while (padded.length % 64 !== 56) padded.push(0);
  const bits = message.length * 8;
  for (const shift of [56, 48, 40, 32, 24, 16, 8, 0]) padded.push(Math.floor(bits / 2 ** shift) % 256);

  const state = [...initial];
  for (let start = 0; start < padded.length; start += 64) compress(state, padded.slice(start, start + 64));
  return state.flatMap((word) => [24, 16, 8, 0].map((shift) => (word >>> shift) & 255));
}

function compress(state: number[], block: number[]): void {
  const at = (list: number[], index: number) => list[index] ?? 0;
  const w = Array.from({ length: 16 }, (_, i) =>
    [0, 1, 2, 3].reduce((word, byte) => (word << 8) | at(block, i * 4 + byte), 0),
  );
  for (let i = 16; i < 64; i++) {
    const [a, b] = [at(w, i - 15), at(w, i - 2)];
    const s0 = rotate(a, 7) ^ rotate(a, 18) ^ (a >>> 3);
    const s1 = rotate(b, 17) ^ rotate(b, 19) ^ (b >>> 10);
    w.push((at(w, i - 16) + s0 + at(w, i - 7) + s1) | 0);
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let i = 0; i < 64; i++) {
    const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + at(constants, i) + at(w, i)) | 0;
    const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) | 0, c, b, a, (t1 + t2) | 0];
  }
  for (const [index, word] of [a, b, c, d, e, f, g, h].entries())
    state[index] = (at(state, index) + word) | 0;
}

export function hmacHex(key: Uint8Array, message: Uint8Array): string {
  const pad = (value: number) => Array.from({ length: 64 }, (_, index) => (key[index] ?? 0) ^ value);
  const digest = sha256([...pad(0x5c), ...sha256([...pad(0x36), ...message])]);
  return digest.map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

export interface Received {
  /** A list if the header is there more than once. */
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: Uint8Array;
}

/** Answers `ok`, or the code of the first fault. */
export function checkDelivery({ headers, body }: Received, secrets: string[], now: number): string {
  const values = ["svc-webhook-id", "svc-webhook-timestamp", "svc-webhook-signature"].map(
    (name) => headers[name],
  );
  if (values.some((value) => value === undefined)) return "missing_header";
  if (values.some(Array.isArray)) return "duplicate_header";
  const [id = "", timestamp = "", signature = ""] = values.map(String);
  if (!/^[A-Za-z0-9_-]{1,128}$/.test(id)) return "malformed_id";
  if (String(Number.parseInt(timestamp, 10)) !== timestamp) return "malformed_timestamp";
  const given = signature.split(",").map((part) => part.trim().split("="));
  const digests = given.filter(([scheme]) => scheme === "v1").map(([, digest = ""]) => digest);
  if (digests.length === 0 || digests.some((digest) => !/^[a-f\d]{64}$/.test(digest)))
    return "malformed_signature";
  if (Number(timestamp) < now - 300) return "timestamp_too_old";
  if (Number(timestamp) > now + 300) return "timestamp_in_future";
  const content = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body]);
  const keys = secrets.map((secret) => Buffer.from(secret.replace("whsec_", ""), "base64"));
  return keys.some((key) => digests.includes(hmacHex(key, content))) ? "ok" : "signature_mismatch";
}
