import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

/** Where a question is asked and answered; the process's own terminal unless a test stands in. */
export interface Terminal {
  readonly input: Readable & { readonly isTTY?: boolean };
  readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean };
}

const OWN: Terminal = { input: process.stdin, output: process.stderr };

/** Whether somebody is there who can be asked. */
export function canAsk({ input, output }: Terminal = OWN): boolean {
  return input.isTTY === true && output.isTTY === true;
}

/**
 * Asks a question that is answered with y or n; anything but a yes is a no, the end of the input among it.
 *
 * @param question - Without the choice, which is added.
 */
export async function confirm(question: string, { input, output }: Terminal = OWN): Promise<boolean> {
  const lines = createInterface({ input, output });
  try {
    return await new Promise<boolean>((resolve) => {
      lines.once("close", () => {
        resolve(false);
      });
      lines.question(`${question} [y/N] `, (answer) => {
        resolve(/^y(?:es)?$/i.test(answer.trim()));
      });
    });
  } finally {
    lines.close();
  }
}
