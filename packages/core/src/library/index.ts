export { archiveItems, duplicateItems, moveItems } from "./change-items.ts";
export { deleteItems, findDependents, findUndoableDeletion, undoDelete } from "./delete-items.ts";
export { listFavourites, setFavourite } from "./favourites.ts";
export { getItem, listItems } from "./list-items.ts";
