import { SaxesParser } from "saxes";
import { UploadRefused } from "../upload-tasks.ts";
import { damaged } from "./zip-archive.ts";

interface XmlHandler {
  /** Names come without their prefix. */
  open(name: string, attribute: (name: string) => string | undefined): void;
  text?(text: string): void;
  close?(name: string): void;
}

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
  parser.on("opentag", ({ name, attributes }) =>
    handler.open(toLocal(name), (attribute) => attributes[attribute]),
  );
  parser.on("closetag", ({ name }) => handler.close?.(toLocal(name)));
  parser.on("text", (text) => handler.text?.(text));
  parser.on("cdata", (text) => handler.text?.(text));
  const fail = (): never => {
    throw damaged();
  };
  parser.on("error", fail);
  parser.on("doctype", fail);
  const decoder = new TextDecoder("utf-8", { fatal: true });
  for await (const chunk of chunks) {
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
