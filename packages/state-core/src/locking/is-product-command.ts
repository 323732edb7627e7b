/** Programs that run another one: it is named by one of their next arguments. */
const LAUNCHERS =
  /^(?:python[\d.]*|pypy[\d.]*|node|nodejs|bun|deno|tsx|uv|uvx|npx|pnpm|pipx|env|sudo|sh|bash|dash|zsh|tini|dumb-init)$/;
const PRODUCT = /^@?\.?hermes(?:$|[-_.@:])/i;
/** How many arguments behind a launcher may still name the program. */
const REACH = 8;

function segments(token: string): readonly string[] {
  return token.split(/[\\/]/).filter((part) => part !== "");
}

function namesProduct(token: string): boolean {
  return segments(token).some((part) => PRODUCT.test(part));
}

/**
 * True when a command line is one of this product: of this package, or of the program that shares its files. What a
 * program merely works on (an editor with a config file of ours) does not make it one (SEA-10).
 */
export function isProductCommand(argv: readonly string[]): boolean {
  const [program = "", ...rest] = argv;
  const name = (segments(program).at(-1) ?? "").toLowerCase().replace(/\.exe$/, "");
  // A process that names itself puts everything into its first argument: "hermes: gateway".
  if (namesProduct(name.split(" ")[0] ?? "")) return true;
  return LAUNCHERS.test(name) && (namesProduct(program) || rest.slice(0, REACH).some(namesProduct));
}
