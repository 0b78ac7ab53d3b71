export {
  attachReference,
  createOptimisticReference,
  createReference,
  deleteReference,
  insertReference,
  updateReference,
} from "./change-reference.ts";
export { drawReferencePicture, type Picture } from "./draw-picture.ts";
export { getReference } from "./get-reference.ts";
export { listReferences, listReferencesOfQuery } from "./list-references.ts";
export { getReferenceWithInputs } from "./reference-inputs.ts";
