import { type FSWatcher, readdirSync, watch } from "node:fs";
import { dirname, join, sep } from "node:path";

interface FileWatchOptions {
  /** Files that count, whether they are loaded or not. */
  files?: readonly string[];
  /** Folders of which every source file counts, except tests. */
  sourceFolders?: readonly string[];
}

/** Watches the files that a process has loaded. Folders are watched, because editors replace files. */
export class FileWatch implements Disposable {
  readonly #folders = new Map<string, FSWatcher>();
  readonly #always: ReadonlySet<string>;
  readonly #sourceFolders: readonly string[];
  readonly #loaded = new Set<string>();
  /** What earlier processes had loaded, until the next one runs. */
  readonly #loadedBefore = new Set<string>();
  #isDown = false;
  #onChange: (file: string) => void = () => {};

  constructor({ files = [], sourceFolders = [] }: FileWatchOptions) {
    this.#always = new Set(files);
    this.#sourceFolders = sourceFolders;
    for (const file of files) this.#watchFolder(dirname(file));
    for (const folder of sourceFolders) {
      this.#watchFolder(folder);
      for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
        if (entry.isDirectory()) this.#watchFolder(join(entry.parentPath, entry.name));
      }
    }
  }

  /** Call it before a process starts. Resolves to the first file that changes from now on. */
  nextChange(): Promise<string> {
    this.#isDown = false;
    for (const file of this.#loaded) this.#loadedBefore.add(file);
    this.#loaded.clear();
    return new Promise((resolve) => {
      this.#onChange = resolve;
    });
  }

  addLoaded(file: string): void {
    this.#loaded.add(file);
    this.#watchFolder(dirname(file));
  }

  /** The process has loaded what it needs. */
  setRunning(): void {
    this.#loadedBefore.clear();
  }

  /** The process has ended. It may lack a file that does not exist yet, so every file in the watched folders counts. */
  setDown(): void {
    this.#isDown = true;
  }

  [Symbol.dispose](): void {
    for (const watcher of this.#folders.values()) watcher.close();
  }

  #watchFolder(folder: string): void {
    if (this.#folders.has(folder)) return;
    const watcher = watch(folder, (_event, name) => {
      if (name === null) return;
      const file = join(folder, name);
      if (this.#counts(file)) this.#onChange(file);
    });
    // The folder was deleted: nothing in it can change.
    watcher.on("error", () => this.#folders.delete(folder));
    this.#folders.set(folder, watcher);
  }

  #counts(file: string): boolean {
    if (this.#loaded.has(file) || this.#loadedBefore.has(file) || this.#always.has(file)) return true;
    return isSource(file) && (this.#isDown || this.#sourceFolders.some((folder) => isInside(file, folder)));
  }
}

const isInside = (file: string, folder: string): boolean => file.startsWith(folder + sep);

const isSource = (file: string): boolean =>
  /\.(?:ts|json)$/.test(file) && !file.endsWith(".test.ts") && !file.includes(`${sep}testing${sep}`);
