/** A session variable as the environment of the process has it: what a program of one session starts with. */
export function sessionVariable(name: string): string | undefined {
  return process.env[name];
}
