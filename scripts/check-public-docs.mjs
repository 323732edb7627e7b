/**
 * Every name that a package exports, and every public member of an exported class, says in a docstring what it is: an
 * editor shows that text to somebody who will never open the source.
 */
import { existsSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { createProgram } from "./readers/program.mjs";

const HIDDEN = ts.ModifierFlags.Private | ts.ModifierFlags.Protected;

/** Members that explain themselves: the standard protocols, and what an interface or base class documents already. */
function needsDoc(member) {
  if (!ts.isMethodDeclaration(member) && !ts.isGetAccessor(member)) return false;
  if (ts.isPrivateIdentifier(member.name) || ts.isComputedPropertyName(member.name)) return false;
  return (ts.getCombinedModifierFlags(member) & (HIDDEN | ts.ModifierFlags.Override)) === 0;
}

const isDocumented = (checker, name) => {
  const symbol = checker.getSymbolAtLocation(name);
  return symbol !== undefined && ts.displayPartsToString(symbol.getDocumentationComment(checker)).trim() !== "";
};

function undocumented(checker, symbol) {
  const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  const [declaration] = target.declarations ?? [];
  if (declaration === undefined) return [];
  const found = [];
  if (ts.displayPartsToString(target.getDocumentationComment(checker)).trim() === "") {
    found.push({ node: declaration, name: symbol.name });
  }
  for (const member of ts.isClassDeclaration(declaration) ? declaration.members : []) {
    if (needsDoc(member) && !isDocumented(checker, member.name)) {
      found.push({ node: member, name: `${symbol.name}.${member.name.getText()}` });
    }
  }
  return found;
}

/**
 * @param {string} root - A tree with `packages/` and `tsconfig.base.json`.
 * @returns {string[]} One line per exported name without a docstring.
 */
export function checkPublicDocs(root) {
  const { program } = createProgram(root);
  const checker = program.getTypeChecker();
  const indexes = readdirSync(join(root, "packages"))
    .map((name) => join(root, "packages", name, "src", "index.ts"))
    .filter((file) => existsSync(file));
  return indexes.flatMap((file) => {
    const source = program.getSourceFile(file);
    const module = source && checker.getSymbolAtLocation(source);
    return (module ? checker.getExportsOfModule(module) : [])
      .flatMap((symbol) => undocumented(checker, symbol))
      .map(({ node, name }) => {
        const at = node.getSourceFile();
        const line = at.getLineAndCharacterOfPosition(node.getStart(at)).line + 1;
        return `${relative(root, at.fileName)}:${line}: ${name} is exported without a docstring`;
      });
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const findings = checkPublicDocs(fileURLToPath(new URL("..", import.meta.url)));
  for (const finding of findings) console.error(finding);
  console.log(`public docs: ${findings.length} findings`);
  process.exitCode = findings.length === 0 ? 0 : 1;
}
