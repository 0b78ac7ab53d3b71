import { deflateRawSync } from "node:zlib";

/** A zip archive with these files. With large numbers, sizes and offsets have 64 bits, as in archives of some gigabytes. */
export function zipOf(files: Record<string, string | Uint8Array>, { hasLargeNumbers = false } = {}): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of Object.entries(files)) {
    const packed = deflateRawSync(content);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50);
    local.writeUInt16LE(8, 8);
    local.writeUInt32LE(packed.length, 18);
    local.writeUInt16LE(name.length, 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50);
    entry.writeUInt16LE(8, 10);
    entry.writeUInt32LE(packed.length, 20);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE(offset, 42);
    const extra = Buffer.alloc(hasLargeNumbers ? 34 : 0);
    if (hasLargeNumbers) {
      for (const at of [20, 24, 42]) entry.writeUInt32LE(0xffffffff, at);
      entry.writeUInt16LE(extra.length, 30);
      // Another field, which is skipped, and the one with the numbers.
      extra.writeUInt16LE(0x5455, 0);
      extra.writeUInt16LE(2, 2);
      extra.writeUInt16LE(1, 6);
      extra.writeUInt16LE(24, 8);
      const numbers = [content.length, packed.length, offset];
      for (const [at, number] of numbers.entries()) extra.writeBigUInt64LE(BigInt(number), 10 + 8 * at);
    }
    parts.push(local, Buffer.from(name), packed);
    directory.push(entry, Buffer.from(name), extra);
    offset += local.length + name.length + packed.length;
  }
  const entries = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50);
  end.writeUInt16LE(Object.keys(files).length, 10);
  end.writeUInt32LE(entries.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, entries, end]);
}

interface ExcelOptions {
  /** The XML in `sheetData`, by the names of the sheets. */
  sheets: Record<string, string>;
  /** Names of sheets that are hidden. */
  hidden?: string[];
  sharedStrings?: string[];
  /** The codes of formats. The first has the style 1. */
  formats?: string[];
  is1904?: boolean;
  /** Parts to add or to replace. */
  parts?: Record<string, string>;
  hasLargeNumbers?: boolean;
}

const relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";

/** An Excel file. */
export function excelOf({
  sheets,
  hidden = [],
  sharedStrings,
  formats = [],
  is1904,
  parts,
  hasLargeNumbers = false,
}: ExcelOptions) {
  const names = Object.keys(sheets);
  const listed = names.map(
    (name, at) =>
      `<sheet name="${name}" sheetId="${at + 1}" r:id="s${at}"${hidden.includes(name) ? ' state="hidden"' : ""}/>`,
  );
  const targets = names.map(
    (_, at) =>
      `<Relationship Id="s${at}" Type="${relations}/worksheet" Target="worksheets/sheet${at + 1}.xml"/>`,
  );
  const codes = formats.map(
    (code, at) => `<numFmt numFmtId="${164 + at}" formatCode="${code.replaceAll('"', "&quot;")}"/>`,
  );
  const styles = formats.map((_, at) => `<xf numFmtId="${164 + at}"/>`);
  const files: Record<string, string> = {
    "_rels/.rels": `<Relationships><Relationship Id="r1" Type="${relations}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    "xl/workbook.xml": `<?xml version="1.0" encoding="UTF-8"?><workbook xmlns="${main}" xmlns:r="${relations}">${is1904 ? '<workbookPr date1904="1"/>' : ""}<sheets>${listed.join("")}</sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": `<Relationships>${targets.join("")}<Relationship Id="st" Type="${relations}/styles" Target="/xl/styles.xml"/><Relationship Id="ss" Type="${relations}/sharedStrings" Target="sharedStrings.xml"/></Relationships>`,
    "xl/styles.xml": `<styleSheet xmlns="${main}"><numFmts>${codes.join("")}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/>${styles.join("")}</cellXfs></styleSheet>`,
  };
  if (sharedStrings) {
    files["xl/sharedStrings.xml"] =
      `<sst xmlns="${main}">${sharedStrings.map((text) => `<si>${text}</si>`).join("")}</sst>`;
  }
  for (const [at, name] of names.entries()) {
    files[`xl/worksheets/sheet${at + 1}.xml`] =
      `<worksheet xmlns="${main}"><sheetData>${sheets[name]}</sheetData></worksheet>`;
  }
  return zipOf({ ...files, ...parts }, { hasLargeNumbers });
}

type Cell = string | number | boolean | null | { xml: string };

/** The rows of a sheet. A text is written into its cell. */
export const rowsOf = (...rows: Cell[][]): string =>
  rows.map((cells, at) => `<row r="${at + 1}">${cells.map((cell) => cellOf(cell)).join("")}</row>`).join("");

function cellOf(cell: Cell): string {
  if (cell === null) return "<c/>";
  if (typeof cell === "object") return cell.xml;
  if (typeof cell === "number") return `<c><v>${cell}</v></c>`;
  if (typeof cell === "boolean") return `<c t="b"><v>${Number(cell)}</v></c>`;
  return `<c t="inlineStr"><is><t>${cell}</t></is></c>`;
}

/** A number with the style of a format. */
export const styled = (value: number | string, style = 1): { xml: string } => ({
  xml: `<c s="${style}"><v>${value}</v></c>`,
});
