import { SaxesParser } from "saxes";
import { UploadRefused } from "../upload-tasks.ts";
import { damaged } from "./zip-archive.ts";

interface XmlHandler {
  /** Names come without their prefix. */
  open(name: string, attribute: (name: string) => string | undefined): void;
  text?(text: string): void;
  close?(name: string): void;
}

/** A tag, a text or a comment that is longer is none of Excel. It is held in memory. */
const maxTokenBytes = 8 * 1024 ** 2;
const maxDepth = 100;

/** Reads XML piece by piece. Yields after each piece. No entities are expanded but the five of XML. */
export async function* readXml(chunks: AsyncIterable<Buffer>, handler: XmlHandler): AsyncGenerator<void> {
  const parser = new SaxesParser<{ xmlns: false; position: false }>({ xmlns: false, position: false });
  const local = new Map<string, string>();
  const toLocal = (name: string) => {
    const known = local.get(name);
    if (known !== undefined) return known;
    const short = name.slice(name.indexOf(":") + 1);
    local.set(name, short);
    return short;
  };
  let [depth, bytesOfToken] = [0, 0];
  const fail = (): never => {
    throw damaged();
  };
  const takeText = (text: string) => {
    bytesOfToken = 0;
    handler.text?.(text);
  };
  parser.on("opentag", ({ name, attributes }) => {
    bytesOfToken = 0;
    if (++depth > maxDepth) fail();
    handler.open(toLocal(name), (attribute) => attributes[attribute]);
  });
  parser.on("closetag", ({ name }) => {
    bytesOfToken = 0;
    depth--;
    handler.close?.(toLocal(name));
  });
  parser.on("text", takeText);
  parser.on("cdata", takeText);
  parser.on("error", fail);
  parser.on("doctype", fail);
  const decoder = new TextDecoder("utf-8", { fatal: true });
  for await (const chunk of chunks) {
    bytesOfToken += chunk.length;
    if (bytesOfToken > maxTokenBytes) throw tooLong();
    parser.write(decode(() => decoder.decode(chunk, { stream: true })));
    yield;
  }
  parser.write(decode(() => decoder.decode())).close();
}

function decode(read: () => string): string {
  try {
    return read();
  } catch (error) {
    throw error instanceof UploadRefused ? error : damaged();
  }
}

/** Reads all of a small part. */
export async function readWholeXml(chunks: AsyncIterable<Buffer>, handler: XmlHandler): Promise<void> {
  for await (const _ of readXml(chunks, handler));
}

const tooLong = () =>
  new UploadRefused(
    "unreadable",
    `The Excel file has a text or a tag of more than ${maxTokenBytes / 1024 ** 2} MiB. Save the sheet as CSV, and upload that.`,
  );
