import { constants } from "node:os";
import { conditionalCalls, folderCalls, refusedCalls } from "./system-calls.ts";

// linux/audit.h
const architectures = { x64: 0xc000003e, arm64: 0xc00000b7 };
type Processor = keyof typeof architectures;
const columnOf: Record<Processor, 0 | 1> = { x64: 0, arm64: 1 };

// The last call that was reviewed. Calls that newer kernels add are answered with ENOSYS.
const lastReviewedCall = 450;
const x32Calls = 0x40000000;
const offsets = { number: 0, architecture: 4, arguments: 16 };

// linux/bpf_common.h and linux/seccomp.h
const load = 0x20;
const [jumpEqual, jumpGreaterOrEqual, jumpAnyBit] = [0x15, 0x35, 0x45];
const finish = 0x06;
const allow = 0x7fff0000;
const killProcess = 0x80000000;
const answer = (error: number) => 0x00050000 | error;
const refuse = answer(constants.errno.EPERM);
const notImplemented = answer(constants.errno.ENOSYS);
const exists = answer(constants.errno.EEXIST);

// A thread with a separate table of descriptors would have a separate limit, and its parent would not see them.
const [threadFlag, sharedDescriptorsFlag, unshareDescriptorsFlag] = [0x10000, 0x400, 2];
// All that Node and its libraries use: the name of a thread and of a mapping. Others reserve memory in the kernel.
const [setThreadName, getThreadName, setMappingName] = [15, 16, 0x53564d41];
// The pages of a shared mapping stay when the process drops them, and huge pages are not counted as resident.
const sharedOrHugePages = 0x01 | 0x40000;
// Locks, each a piece of kernel memory, that DuckDB does not use.
const [setLockWaiting, setFileLock, setFileLockWaiting] = [7, 37, 38];
const setPipeSize = 1031;
// Each makes the kernel send a signal to a chosen process.
const [setSignal, setOwner, setOwnerExtended] = [10, 8, 15];
const [setSocketOwner, setSocketGroup] = [0x8901, 0x8902];
// Each inserts text into a terminal as if it were typed.
const [typeIntoTerminal, selectInTerminal] = [0x5412, 0x541c];

type Instruction = [code: number, ifTrue: number, ifFalse: number, value: number];

export const isSupportedProcessor = (name: string): name is Processor => Object.hasOwn(architectures, name);

/**
 * A seccomp filter for an engine host as BPF bytes: no sockets, no access to other processes, no new processes, no
 * change of user, no change of the file system view, no memory in the kernel. Other calls only affect what the process
 * has already.
 *
 * @param pid The host's own process id, as it sees it itself: signals to itself are allowed.
 */
export function createSeccompFilter(processor: Processor, pid: number): Buffer {
  const column = columnOf[processor];
  const argument = (index: number): Instruction => [load, 0, 0, offsets.arguments + index * 8];
  const end = (value: number): Instruction => [finish, 0, 0, value];
  const when = (value: number, then: Instruction[]): Instruction[] => [
    [jumpEqual, 0, then.length, value],
    ...then,
  ];
  /** Compares the low half of one argument with `values`; ends with `result` on a match, else with `otherwise`. */
  const checkArgument = (
    name: keyof typeof conditionalCalls,
    index: number,
    { values, result, otherwise }: { values: number[]; result: number; otherwise: number },
  ): Instruction[] =>
    when(conditionalCalls[name][column], [
      argument(index),
      ...values.flatMap((value) => when(value, [end(result)])),
      end(otherwise),
    ]);

  const refuseBits = (name: keyof typeof conditionalCalls, index: number, bits: number): Instruction[] =>
    when(conditionalCalls[name][column], [
      argument(index),
      [jumpAnyBit, 0, 1, bits],
      end(refuse),
      end(allow),
    ]);

  const numbersOf = (calls: typeof refusedCalls) =>
    Object.values(calls).flatMap((numbers) => numbers[column] ?? []);
  const onlySelf = { values: [pid], result: allow, otherwise: refuse };
  const instructions: Instruction[] = [
    [load, 0, 0, offsets.architecture],
    [jumpEqual, 1, 0, architectures[processor]],
    end(killProcess),
    [load, 0, 0, offsets.number],
    // Also catches the calls of the x32 interface, which have other numbers.
    [jumpGreaterOrEqual, 0, 1, x32Calls],
    end(killProcess),
    [jumpGreaterOrEqual, 0, 1, lastReviewedCall + 1],
    end(notImplemented),
    ...numbersOf(refusedCalls).flatMap((number) => when(number, [end(refuse)])),
    ...numbersOf(folderCalls).flatMap((number) => when(number, [end(exists)])),
    // Without clone3, whose flags a filter cannot see, the C library uses clone.
    ...when(conditionalCalls.clone3[column], [end(notImplemented)]),
    ...when(conditionalCalls.clone[column], [
      argument(0),
      [jumpAnyBit, 0, 2, threadFlag],
      [jumpAnyBit, 0, 1, sharedDescriptorsFlag],
      end(allow),
      end(refuse),
    ]),
    ...refuseBits("mmap", 3, sharedOrHugePages),
    ...refuseBits("close_range", 2, unshareDescriptorsFlag),
    ...checkArgument("kill", 0, onlySelf),
    ...checkArgument("tgkill", 0, onlySelf),
    ...checkArgument("prlimit64", 0, { values: [0, pid], result: allow, otherwise: refuse }),
    ...checkArgument("prctl", 0, {
      values: [setThreadName, getThreadName, setMappingName],
      result: allow,
      otherwise: refuse,
    }),
    ...checkArgument("fcntl", 1, {
      values: [
        setSignal,
        setOwner,
        setOwnerExtended,
        setLockWaiting,
        setFileLock,
        setFileLockWaiting,
        setPipeSize,
      ],
      result: refuse,
      otherwise: allow,
    }),
    ...checkArgument("ioctl", 1, {
      values: [setSocketOwner, setSocketGroup, typeIntoTerminal, selectInTerminal],
      result: refuse,
      otherwise: allow,
    }),
    end(allow),
  ];
  const filter = Buffer.alloc(instructions.length * 8);
  for (const [index, [code, ifTrue, ifFalse, value]] of instructions.entries()) {
    filter.writeUInt16LE(code, index * 8);
    filter.writeUInt8(ifTrue, index * 8 + 2);
    filter.writeUInt8(ifFalse, index * 8 + 3);
    filter.writeUInt32LE(value >>> 0, index * 8 + 4);
  }
  return filter;
}
