import { AsyncLocalStorage } from "node:async_hooks";

/** What a caller may see and change, where something is narrowed. The nil UUID stands for what is in no folder. */
export interface Rights {
  userId: string;
  folders: readonly string[];
  editableFolders: readonly string[];
  databases: readonly string[];
  writableDatabases: readonly string[];
  /** The caller's own values for placeholders, each as the text of its JSON. */
  values: Readonly<Record<string, string>>;
}

export const nilId = "00000000-0000-0000-0000-000000000000";

/** The rights of a request before its caller is known: none. */
const noRights: Rights = {
  userId: nilId,
  folders: [],
  editableFolders: [],
  databases: [],
  writableDatabases: [],
  values: {},
};

/** Undefined: everything may be seen and changed. */
interface Holder {
  rights: Rights | undefined;
}

const holders = new AsyncLocalStorage<Holder>();

/** The rights with which statements run here; undefined for everything. Outside of requests the service itself works. */
export const currentRights = (): Rights | undefined => holders.getStore()?.rights;

/** Runs a request. Until `setRights` is called in it, its statements see nothing that rights protect. */
export const runRequest = (work: () => void): void => holders.run({ rights: noRights }, work);

/** Sets the rights of the request that runs here; undefined for everything. */
export function setRights(rights: Rights | undefined): void {
  const holder = holders.getStore();
  if (!holder) throw new Error("Rights are set only in a request.");
  holder.rights = rights;
}

/** Runs work with these rights. */
export const withRights = <T>(rights: Rights | undefined, work: () => T): T => holders.run({ rights }, work);

/** Runs work of the service itself, such as reading who the caller is. It sees and changes everything. */
export const asService = <T>(work: () => T): T => holders.run({ rights: undefined }, work);

/** The same values, each read with the rights that are current now, whoever asks for them. */
export function keepRights<T>(values: AsyncIterable<T>): AsyncIterable<T> {
  const run = AsyncLocalStorage.snapshot();
  return {
    [Symbol.asyncIterator]() {
      const iterator = values[Symbol.asyncIterator]();
      return {
        next: () => run(() => iterator.next()),
        return: (value) => run(async () => (await iterator.return?.(value)) ?? { done: true, value }),
      };
    },
  };
}
