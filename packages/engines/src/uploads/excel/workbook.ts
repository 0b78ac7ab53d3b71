import { FileReading } from "@querybell/domain/file-reading";
import { maxSheets, UploadRefused } from "../upload-tasks.ts";
import { kindOfFormat, type NumberKind } from "./number-formats.ts";
import { readWholeXml } from "./read-xml.ts";
import { damaged, toKey, type ZipArchive } from "./zip-archive.ts";

/** More relations, formats or styles are none of Excel. They are held in memory. */
const maxListed = 100_000;
/** The characters of all texts that are held in memory. */
const maxTextLength = 100_000_000;
const lengthOfEmpty = 8;

export interface Sheet {
  name: string;
  isHidden: boolean;
  /** The name of its part in the archive. */
  part: string;
}

export interface Workbook {
  sheets: Sheet[];
  /** Whether days are counted from 1904. */
  is1904: boolean;
  /** What the number of a cell means, by its style. */
  kinds: NumberKind[];
  /** The texts that cells refer to. */
  texts: string[];
}

/** Reads what a workbook says about its sheets. */
export async function readWorkbook(archive: ZipArchive): Promise<Workbook> {
  const book = (await findPart(archive, "", "officeDocument")) ?? "xl/workbook.xml";
  const parts = await readRelations(archive, book);
  let is1904 = false;
  const sheets: Sheet[] = [];
  await readWholeXml(archive.read(toKey(book)), {
    open(element, attribute) {
      if (element === "workbookPr") is1904 = isTrue(attribute("date1904"));
      if (element !== "sheet" || sheets.length >= maxSheets) return;
      const relation = parts.get(attribute("r:id") ?? "");
      // Sheets with nothing but a chart have no cells.
      if (relation?.type !== "worksheet") return;
      const state = attribute("state") ?? "visible";
      const { data: name } = SheetName.safeParse(attribute("name") ?? "");
      if (name === undefined) throw badSheetName();
      sheets.push({ name, isHidden: state !== "visible", part: relation.target });
    },
  });
  if (sheets.length === 0) throw damaged();
  const partOf = (type: string) => parts.values().find((relation) => relation.type === type)?.target;
  return {
    sheets,
    is1904,
    kinds: await readKinds(archive, partOf("styles")),
    texts: await readTexts(archive, partOf("sharedStrings")),
  };
}

const isTrue = (text: string | undefined): boolean => text === "1" || text === "true";

interface Relation {
  /** The last part of its address: `worksheet`. */
  type: string;
  target: string;
}

/** The parts that a part refers to, by their ids. */
async function readRelations(archive: ZipArchive, part: string): Promise<Map<string, Relation>> {
  const slash = part.lastIndexOf("/");
  const [folder, name] = [part.slice(0, slash + 1), part.slice(slash + 1)];
  const relations = new Map<string, Relation>();
  const key = toKey(`${folder}_rels/${name}.rels`);
  if (!archive.has(key)) return relations;
  await readWholeXml(archive.read(key), {
    open(element, attribute) {
      if (element !== "Relationship") return;
      const target = attribute("Target") ?? "";
      if (relations.size >= maxListed) throw damaged();
      relations.set(attribute("Id") ?? "", {
        type: (attribute("Type") ?? "").split("/").at(-1) ?? "",
        target: toKey(target.startsWith("/") ? target : joinPath(folder, target)),
      });
    },
  });
  return relations;
}

function joinPath(folder: string, target: string): string {
  const steps = folder.split("/").filter((step) => step !== "");
  for (const step of target.split("/")) {
    if (step === "..") steps.pop();
    else if (step !== ".") steps.push(step);
  }
  return steps.join("/");
}

async function findPart(archive: ZipArchive, from: string, type: string): Promise<string | undefined> {
  const relations = await readRelations(archive, from);
  return relations.values().find((relation) => relation.type === type)?.target;
}

async function readKinds(archive: ZipArchive, part: string | undefined): Promise<NumberKind[]> {
  if (part === undefined || !archive.has(part)) return [];
  const codes = new Map<number, string>();
  const ids: number[] = [];
  let isInCells = false;
  await readWholeXml(archive.read(part), {
    open(name, attribute) {
      if (name === "cellXfs") isInCells = true;
      if (name === "numFmt") codes.set(Number(attribute("numFmtId")), attribute("formatCode") ?? "");
      if (Math.max(codes.size, ids.length) >= maxListed) throw damaged();
      if (name === "xf" && isInCells) ids.push(Number(attribute("numFmtId") ?? 0));
    },
    close(name) {
      if (name === "cellXfs") isInCells = false;
    },
  });
  // Thousands of styles can have one format with a long code.
  const kinds = new Map(new Set(ids).keys().map((id) => [id, kindOfFormat(id, codes.get(id))]));
  return ids.map((id) => kinds.get(id) ?? "number");
}

async function readTexts(archive: ZipArchive, part: string | undefined): Promise<string[]> {
  if (part === undefined || !archive.has(part)) return [];
  const texts: string[] = [];
  let [text, length] = ["", 0];
  let [isInText, isPhonetic] = [false, false];
  await readWholeXml(archive.read(part), {
    open(name) {
      if (name === "si") text = "";
      if (name === "rPh") isPhonetic = true;
      isInText = name === "t" && !isPhonetic;
    },
    text(piece) {
      if (isInText) text += piece;
    },
    close(name) {
      isInText = false;
      if (name === "rPh") isPhonetic = false;
      if (name !== "si") return;
      length += text.length + lengthOfEmpty;
      if (length > maxTextLength) throw tooMuchText();
      texts.push(decodeEscapes(text));
    },
  });
  return texts;
}

/** Characters that XML cannot have are written as `_x000D_`. */
export const decodeEscapes = (text: string): string =>
  text.includes("_x")
    ? text.replaceAll(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) =>
        String.fromCharCode(Number.parseInt(code, 16)),
      )
    : text;

const SheetName = FileReading.shape.sheet.unwrap();

const badSheetName = () =>
  new UploadRefused(
    "unreadable",
    "A sheet of the Excel file has no name, or one of more than 100 characters. Give it another in Excel, save the file, and upload it again.",
  );

const tooMuchText = () =>
  new UploadRefused(
    "unreadable",
    "The Excel file has more text than can be read at once. Save the sheet as CSV, and upload that.",
  );
