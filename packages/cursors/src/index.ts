export { CursorError } from "./cursor-error.ts";
export {
  type Cursors,
  createCursors,
  cursorExpired,
  type Key,
  type Sequence,
  type SnapshotPosition,
} from "./cursors.ts";
