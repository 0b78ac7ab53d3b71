import { readFileSync } from "node:fs";

/** The first entry of the table of stubs is the dynamic linker's own; its size depends on the processor. */
const firstStubBytes: Partial<Record<NodeJS.Architecture, number>> = { x64: 16, arm64: 32 };
const stubBytes = 16;
const fixedPositionExecutable = 2;

/**
 * The address at which a program calls a function of the C library, read from its ELF file (the `.plt`
 * entry). The programs of Node for Linux are not position-independent: the address is the same in every
 * process.
 */
export function addressOfImport(name: string, program: string = process.execPath): number {
  const elf = readFileSync(program);
  const headerBytes = firstStubBytes[process.arch];
  if (headerBytes === undefined) throw new Error(`The stubs of ${process.arch} are not known here.`);
  if (elf.readUInt16LE(16) !== fixedPositionExecutable) {
    throw new Error(`${program} is position-independent: its addresses change with every start.`);
  }
  const sections = readSections(elf);
  const section = (wanted: string) => {
    const found = sections.get(wanted);
    if (!found) throw new Error(`${program} has no section ${wanted}.`);
    return found;
  };
  const { offset, size } = section(".rela.plt");
  for (let index = 0; index * 24 < size; index++) {
    const symbol = elf.readUInt32LE(offset + index * 24 + 12);
    const nameAt = section(".dynstr").offset + elf.readUInt32LE(section(".dynsym").offset + symbol * 24);
    if (textAt(elf, nameAt) === name) return section(".plt").address + headerBytes + index * stubBytes;
  }
  throw new Error(`${program} does not import ${name}.`);
}

interface Section {
  address: number;
  offset: number;
  size: number;
}

function readSections(elf: Buffer): Map<string, Section> {
  const table = Number(elf.readBigUInt64LE(40));
  const headerAt = (index: number) => table + index * elf.readUInt16LE(58);
  const read = (at: number): Section => ({
    address: Number(elf.readBigUInt64LE(at + 16)),
    offset: Number(elf.readBigUInt64LE(at + 24)),
    size: Number(elf.readBigUInt64LE(at + 32)),
  });
  const names = read(headerAt(elf.readUInt16LE(62))).offset;
  return new Map(
    Array.from({ length: elf.readUInt16LE(60) }, (_, index) => headerAt(index)).map((at) => [
      textAt(elf, names + elf.readUInt32LE(at)),
      read(at),
    ]),
  );
}

const textAt = (bytes: Buffer, start: number) => bytes.toString("latin1", start, bytes.indexOf(0, start));
