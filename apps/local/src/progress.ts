import { styleText } from "node:util";

/** One line for each step, with the time it took, so that a person sees that something happens. */
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
