import { indexPage } from "./index-page.ts";
import { type Procedure, procedures } from "./procedures.ts";
import { routerPage } from "./router-page.ts";

const routerOf = ({ path }: Procedure): string => path.split(".")[0] ?? path;
const toFile = (router: string): string =>
  `${router.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.md`;

/** The pages of the reference as markdown, by file name: an index and one for each router. */
export const referencePages: Record<string, string> = {
  "README.md": indexPage(procedures, (procedure) => toFile(routerOf(procedure))),
  ...Object.fromEntries(
    [...Map.groupBy(procedures, routerOf)].map(([router, its]) => [toFile(router), routerPage(router, its)]),
  ),
};
