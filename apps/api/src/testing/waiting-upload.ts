import type { Deps } from "@querybell/core";
import { receiveUpload } from "@querybell/core/uploads";
import type { Caller } from "@querybell/domain";

/** A file that waits to be imported. */
export const makeWaitingUpload = (
  deps: Deps,
  caller: Caller,
  content = "id,name,price\n1,Apple,1.5\n2,Pear,\n",
) =>
  receiveUpload(deps, caller, {
    fileName: "sales.csv",
    format: "csv",
    announcedBytes: content.length,
    content: (async function* () {
      yield Buffer.from(content);
    })(),
  });
