export {
  attachReference,
  createOptimisticReference,
  createReference,
  deleteReference,
  insertReference,
  updateReference,
} from "./change-reference.ts";
export { getReference } from "./get-reference.ts";
export { listReferences, listReferencesOfQuery } from "./list-references.ts";
export { getReferenceWithInputs } from "./reference-inputs.ts";
