import { styleText } from "node:util";

/** Writes one line for each step, with its duration. */
export function createProgress(write: (text: string) => void) {
  let since = performance.now();
  let open = false;

  const finish = () => {
    if (!open) return;
    const seconds = ((performance.now() - since) / 1000).toFixed(1);
    write(` ${styleText("dim", `${seconds} s`)}\n`);
    open = false;
  };
  return {
    step(sentence: string) {
      finish();
      write(`${styleText("cyan", "›")} ${sentence} …`);
      since = performance.now();
      open = true;
    },
    finish,
  };
}
