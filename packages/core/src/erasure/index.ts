export { deleteDueOrganizations } from "./delete-due-organizations.ts";
export { deleteAccount, erasePersonAsOperator } from "./erase-person.ts";
export { cancelDeletion, findDeletion, requestDeletion } from "./organization-deletion.ts";
