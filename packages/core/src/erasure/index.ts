export { deleteDueOrganizations, deleteFiles } from "./delete-due-organizations.ts";
export { deleteAccount, erasePersonAsOperator } from "./erase-person.ts";
export {
  cancelDeletion,
  cancelDeletionAsOperator,
  findDeletion,
  requestDeletion,
  requestDeletionAsOperator,
} from "./organization-deletion.ts";
