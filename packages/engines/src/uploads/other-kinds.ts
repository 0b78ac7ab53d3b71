import { UploadRefused } from "./upload-tasks.ts";

const hex = (text: string) => Buffer.from(text, "hex");
const archives = [
  hex("377abcaf271c"),
  hex("526172211a"),
  hex("425a6839314159"),
  hex("fd377a585a00"),
  hex("28b52ffd"),
];
const databases = [Buffer.from("SQLite format 3\0"), hex("4f626a01"), Buffer.from("ARROW1\0")];

/** Whether there are bytes that no text has. What also text can begin with is another kind only if there are. */
const isBinary = (start: Buffer): boolean =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: They are what is looked for.
  /[\x00-\x08\x0e-\x1f]/.test(start.toString("latin1"));

const beginsAsOne = (start: Buffer, kinds: readonly Buffer[]): boolean =>
  kinds.some((kind) => start.subarray(0, kind.length).equals(kind));

/** What files begin with that are often taken for text. */
const otherKinds: readonly [begins: (start: Buffer) => boolean, message: string][] = [
  [
    (start) =>
      /^(?:\x89PNG\r\n|\xff\xd8\xff|GIF8[79]a|RIFF.{4}WEBP|II\*\0|MM\0\*)/s.test(start.toString("latin1")) &&
      isBinary(start),
    "The file is a picture, no table. Export the table as CSV or Excel, and upload that.",
  ],
  [
    (start) => start.subarray(0, 4).equals(Buffer.from([0xd0, 0xcf, 0x11, 0xe0])),
    "The file is an Excel file of the old format (.xls), or has a password. Save it as .xlsx without a password, and upload that.",
  ],
  [
    (start) => start.toString("latin1", 0, 4) === "PAR1" && isBinary(start),
    "The file is a Parquet file. Give it a name that ends in .parquet, and upload it again.",
  ],
  [
    (start) => start.subarray(0, 5).toString("latin1") === "%PDF-",
    "The file is a PDF. Export the table as CSV or Excel, and upload that.",
  ],
  [
    (start) => /^(?:\xef\xbb\xbf)?\s*<(?:!doctype|html|\?xml)/i.test(start.toString("latin1")),
    "The file is a page of HTML or XML. Export the table as CSV or Excel, and upload that.",
  ],
  [looksLikeUtf32, "The file is UTF-32. Save it as UTF-8, and upload it again."],
  [
    (start) => start[0] === 0x1f && start[1] === 0x8b,
    "The file is packed with gzip twice. Unpack it once, and upload it again.",
  ],
  [
    (start) =>
      (beginsAsOne(start, archives) || start.toString("latin1", 257, 262) === "ustar") && isBinary(start),
    "The file is an archive (7z, RAR, bzip2, xz, Zstandard or tar). Unpack it, and upload what is in it.",
  ],
  [
    (start) =>
      (beginsAsOne(start, databases) || start.toString("latin1", 8, 12) === "DUCK") && isBinary(start),
    "The file is a database, or an Avro or Arrow file. Export the table as CSV or Parquet, and upload that.",
  ],
];

/** The first two characters are Latin, after a mark or without one: three bytes of each are zero. */
function looksLikeUtf32(start: Buffer): boolean {
  if (start.length < 8) return false;
  const [first, second] = [start.readUInt32LE(), start.readUInt32LE(4)];
  const [firstBig, secondBig] = [start.readUInt32BE(), start.readUInt32BE(4)];
  const isLatin = (code: number) => code > 0 && code < 0x80;
  return (
    first === 0xfeff ||
    firstBig === 0xfeff ||
    (isLatin(first) && isLatin(second)) ||
    (isLatin(firstBig) && isLatin(secondBig))
  );
}

/** Refuses a file that is of another kind than its name says. */
export function refuseOtherKinds(start: Buffer): void {
  const [, message] = otherKinds.find(([begins]) => begins(start)) ?? [];
  if (message !== undefined) throw new UploadRefused("unreadable", message);
}
