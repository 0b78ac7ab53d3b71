export { answerHelp } from "./answer-help.ts";
export { askForHelp } from "./help-requests.ts";
